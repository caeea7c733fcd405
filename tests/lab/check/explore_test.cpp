// The explorer and its store, on models whose numbers are known.
#include "lab/check/explore.h"

#include <set>

#include "lab/check/listed_model.h"
#include "lab/check/published/lamport_mutex.h"
#include "lab/check/published/two_phase.h"

namespace baton::check {
namespace {

using test::ListedModel;

TEST(Explorer, CountsAreTheSameForAnyNumberOfThreads) {
  const published::LamportMutex model(3, 4);
  const auto alone = explore(model, {.threads = 1});
  EXPECT_TRUE(alone.exhausted);
  for (const unsigned threads : {2U, 3U, 8U}) {
    const auto together = explore(model, {.threads = threads});
    EXPECT_EQ(together.distinct, alone.distinct) << threads;
    EXPECT_EQ(together.generated, alone.generated) << threads;
    EXPECT_EQ(together.depth, alone.depth) << threads;
  }
}

TEST(Explorer, FingerprintsFindTheSameStatesWithLessMemory) {
  const published::LamportMutex model(3, 4);
  const auto exact = explore(model, {.threads = 1});
  const auto compact = explore(model, {.threads = 2, .fingerprints = true});
  EXPECT_EQ(compact.distinct, exact.distinct);
  EXPECT_EQ(compact.generated, exact.generated);
  EXPECT_EQ(compact.depth, exact.depth);
  EXPECT_LT(compact.memory, exact.memory);
  EXPECT_LT(omission_probability(compact.distinct), 1e-8);
  EXPECT_GT(omission_probability(std::uint64_t{1} << 33), 0.5);
}

TEST(Explorer, LimitsEndTheSearchAndSaySo) {
  const published::LamportMutex model(3, 6);
  const auto few = explore(model, {.threads = 2, .most_states = 10'000});
  EXPECT_FALSE(few.exhausted);
  EXPECT_GT(few.distinct, 10'000U);
  EXPECT_LT(few.distinct, 200'000U);
  const auto small = explore(model, {.threads = 2, .memory = 4 << 20});
  EXPECT_FALSE(small.exhausted);
  EXPECT_LE(small.memory, 8U << 20);
  const auto shallow = explore(model, {.threads = 1, .most_depth = 5});
  EXPECT_FALSE(shallow.exhausted);
  EXPECT_EQ(shallow.depth, 5U);
  const std::atomic<bool> interrupted{true};
  EXPECT_FALSE(explore(model, {.interrupted = &interrupted}).exhausted);
}

TEST(Explorer, TheWayToAViolationIsAShortestOne) {
  // A long way round and a short cut to state 4, which violates.
  const ListedModel model{
      .steps = {{{1}, {5}}, {{2}}, {{3}}, {{4}}, {}, {{4}}},
      .judged = {0, 0, 0, 0, 1, 0},
      .all_properties = {{"never 4"}, {"sometimes 3", Property::Kind::sometimes}}};
  Explorer<ListedModel> explorer(model, {.threads = 1, .stop_at = 1});
  explorer.run();
  EXPECT_EQ(explorer.stop(), Stop::violation);
  EXPECT_EQ(explorer.violated(), 1U);
  EXPECT_EQ(explorer.shown(), 0U);
  EXPECT_EQ(explorer.way_to(explorer.violation_of(0)).size(), 3U);
}

TEST(Explorer, GoesOnAfterAViolationWhereAskedTo) {
  const ListedModel model{.steps = {{{1}}, {{2}}, {}},
                          .judged = {0, 1, 2},
                          .all_properties = {{"never 1"}, {"never 2"}}};
  const auto all = explore(model, {.threads = 1});
  EXPECT_TRUE(all.exhausted);
  EXPECT_EQ(all.violated, 3U);
}

TEST(StateStore, KeepsEachStateOnceWithItsBytesAndParent) {
  StateStore store(8);
  StateStore::Writer writer(store);
  std::set<StateStore::Number> numbers;
  constexpr std::uint32_t many = 200'000;
  for (std::uint32_t i = 0; i < many; ++i) {
    if (store.is_crowded()) store.grow();
    std::uint8_t bytes[4];
    std::memcpy(bytes, &i, 4);
    // Lengths differ as well.
    const std::size_t size = i < 256 ? 1 : 4;
    const auto [number, is_new] = writer.add(bytes, size, i == 0 ? StateStore::none : 0);
    EXPECT_TRUE(is_new);
    numbers.insert(number);
  }
  EXPECT_EQ(numbers.size(), many);
  EXPECT_EQ(store.size(), many);
  for (std::uint32_t i = 0; i < many; i += 997) {
    std::uint8_t bytes[4];
    std::memcpy(bytes, &i, 4);
    const std::size_t size = i < 256 ? 1 : 4;
    const auto number = store.find(bytes, size);
    ASSERT_NE(number, StateStore::none);
    EXPECT_FALSE(writer.add(bytes, size, StateStore::none).second);
    EXPECT_EQ(store.bytes_of(number).size(), size);
    EXPECT_EQ(std::memcmp(store.bytes_of(number).data(), bytes, size), 0);
  }
}

}  // namespace
}  // namespace baton::check
