// The explorer against TLC: published TLA+ specifications have the numbers that TLC reports for
// them, which are in the manifests of tlaplus/Examples.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "lab/check/explore.h"
#include "lab/check/published/chang_roberts.h"
#include "lab/check/published/ewd840.h"
#include "lab/check/published/lamport_mutex.h"
#include "lab/check/published/two_phase.h"

namespace baton::check {
namespace {

using published::ChangRoberts;
using published::Ewd840;
using published::LamportMutex;
using published::TwoPhase;

struct Numbers {
  std::uint64_t distinct;
  std::uint64_t generated;
  std::uint32_t depth;
};

PropertySet all_of(const std::vector<Property>& properties, Property::Kind kind) {
  PropertySet set = 0;
  for (std::size_t i = 0; i < properties.size(); ++i) {
    if (properties[i].kind == kind) set |= PropertySet{1} << i;
  }
  return set;
}

template <Model M>
void expect_as_published(const M& model, const Numbers& numbers) {
  const auto found = explore(model);
  EXPECT_TRUE(found.exhausted);
  EXPECT_EQ(found.distinct, numbers.distinct);
  EXPECT_EQ(found.generated, numbers.generated);
  EXPECT_EQ(found.depth, numbers.depth);
  EXPECT_EQ(found.violated, 0U);
  EXPECT_EQ(found.shown, all_of(model.properties(), Property::Kind::sometimes));
}

// A model with one first state of our own, from which it may go wrong.
template <class M>
struct StartedFrom : M {
  StartedFrom(const M& model, const typename M::State& state) : M(model), first(state) {}

  struct Worker : M::Worker {
    explicit Worker(const StartedFrom& model) : M::Worker(model), first(model.first) {}

    template <class Visit>
    void initial(Visit&& visit) const {
      visit(first);
    }

    typename M::State first;
  };

  typename M::State first;
};

// Takes the steps of these names, each of which must be possible.
template <Model M>
typename M::State follow(const M& model, typename M::State state,
                         const std::vector<std::string>& names) {
  typename M::Worker worker(model);
  for (const std::string& name : names) {
    bool possible = false;
    typename M::State reached = state;
    worker.successors(state, [&](const typename M::Step& step, const typename M::State& next) {
      if (M::describe(step) != name) return;
      possible = true;
      reached = next;
    });
    EXPECT_TRUE(possible) << name;
    state = reached;
  }
  return state;
}

template <Model M>
std::vector<std::string> steps_from(const M& model, const typename M::State& state) {
  std::vector<std::string> names;
  typename M::Worker(model).successors(
      state, [&](const typename M::Step& step, const typename M::State& /*next*/) {
        names.push_back(M::describe(step));
      });
  return names;
}

template <Model M>
std::vector<std::uint8_t> encoding_of(const M& model, const typename M::State& state) {
  std::array<std::uint8_t, M::most_bytes> bytes{};
  typename M::Worker worker(model);
  const std::size_t size = worker.encode(state, bytes.data());
  EXPECT_LE(size, bytes.size());
  return {bytes.data(), bytes.data() + size};
}

TEST(PublishedLamportMutex, HasTheNumbersOfTlc) {
  expect_as_published(LamportMutex(3, 6), {724'274, 2'729'079, 61});
}

TEST(PublishedLamportMutex, EntersWhenAllHaveAcknowledged) {
  const LamportMutex model(3, 6);
  const auto state =
      follow(model, {},
             {"1 requests", "2 requests", "2 receives the request of 1",
              "3 receives the request of 1", "1 receives the request of 2",
              "3 receives the request of 2", "2 receives the acknowledgement of 1",
              "2 receives the acknowledgement of 3", "1 receives the acknowledgement of 3"});
  EXPECT_EQ(steps_from(model, state),
            (std::vector<std::string>{"1 receives the acknowledgement of 2", "3 requests"}));
  const auto left =
      follow(model, state, {"1 receives the acknowledgement of 2", "1 enters", "1 exits"});
  EXPECT_EQ(steps_from(model, left),
            (std::vector<std::string>{"1 requests", "2 receives the release of 1", "3 requests",
                                      "3 receives the release of 1"}));
  const auto later = follow(model, left, {"2 receives the release of 1", "2 enters"});
  EXPECT_EQ(later.critical, 0b010U);
}

TEST(PublishedLamportMutex, AForgedAcknowledgementLetsTwoIn) {
  LamportMutex::State forged;
  forged.channels[0][1] = {1, {4, 0, 0}};
  const auto found = explore(StartedFrom<LamportMutex>(LamportMutex(2, 3), forged));
  EXPECT_TRUE(found.violated & LamportMutex::mutual_exclusion);
}

TEST(PublishedLamportMutex, AFourthMessageInAChannelIsAViolation) {
  LamportMutex::State full;
  full.channels[0][1] = {3, {0, 0, 0}};
  const auto found = explore(StartedFrom<LamportMutex>(LamportMutex(2, 2), full));
  EXPECT_TRUE(found.violated & LamportMutex::bounded_channels);
}

TEST(PublishedLamportMutex, TheLargestStateFits) {
  const LamportMutex model(4, 14);
  LamportMutex::State state;
  for (std::size_t p = 0; p < 4; ++p) {
    state.processes[p] = {15, {14, 13, 12, 11}, 0b1111};
    for (std::size_t q = 0; q < 4; ++q) {
      if (q != p) state.channels[p][q] = {3, {15, 0, static_cast<std::uint8_t>(1 + p + q)}};
    }
  }
  state.critical = 0b1111;
  state.overflow = true;
  const auto bytes = encoding_of(model, state);
  EXPECT_EQ(bytes.size(), LamportMutex::most_bytes);
  LamportMutex::State decoded;
  LamportMutex::Worker(model).decode(bytes.data(), bytes.size(), decoded);
  EXPECT_EQ(decoded.channels[3][2].messages[2], 6U);
  EXPECT_EQ(encoding_of(model, decoded), bytes);
}

TEST(PublishedChangRoberts, HasTheNumbersOfTlc) {
  expect_as_published(ChangRoberts(3), {137, 227, 10});
}

TEST(PublishedChangRoberts, TheSmallestInitiatorWins) {
  ChangRoberts::State state;
  state.initiators = 0b110;
  state.lost = 0b001;
  const auto reached = follow(
      ChangRoberts(3), state,
      {"1 starts", "2 starts", "3 starts", "1 receives the identity 3", "3 receives the identity 2",
       "1 receives the identity 2", "2 receives the identity 2"});
  EXPECT_EQ(reached.won, 0b010U);
  EXPECT_EQ(reached.lost, 0b101U);
}

TEST(PublishedChangRoberts, AForgedIdentityLetsTheWrongOneWin) {
  ChangRoberts::State forged;
  forged.initiators = 0b111;
  forged.inboxes[1] = 0b010;
  const auto found = explore(StartedFrom<ChangRoberts>(ChangRoberts(3), forged));
  EXPECT_TRUE(found.violated & ChangRoberts::correctness);
}

TEST(PublishedEwd840, HasTheNumbersOfTlc) { expect_as_published(Ewd840(4), {1'566, 15'986, 12}); }

TEST(PublishedEwd840, ASecondRoundDetectsWhatTheFirstMissed) {
  const Ewd840 model(3);
  const auto state = follow(model, {.active = 0b001},
                            {"0 initiates a probe", "0 sends 1 a message", "2 passes the token",
                             "0 becomes passive", "1 becomes passive", "1 passes the token"});
  EXPECT_FALSE(Ewd840::Worker(model).judge(state) & Ewd840::detection);
  const auto later =
      follow(model, state, {"0 initiates a probe", "2 passes the token", "1 passes the token"});
  EXPECT_TRUE(Ewd840::Worker(model).judge(later) & Ewd840::detection);
}

TEST(PublishedEwd840, AForgedTokenDetectsTooEarly) {
  const Ewd840 model(4);
  const Ewd840::State forged{.active = 0b0100, .black = 0, .token_at = 1, .token_black = false};
  const auto found = explore(StartedFrom<Ewd840>(model, forged));
  EXPECT_TRUE(found.violated & Ewd840::dijkstras_invariant);
  const auto state = follow(model, forged, {"1 passes the token"});
  EXPECT_TRUE(Ewd840::Worker(model).judge(state) & Ewd840::termination_detection);
}

TEST(PublishedTwoPhase, HasTheNumbersOfTlc) { expect_as_published(TwoPhase(3), {288, 1'146, 11}); }

// The specification's own remark says how many states six resource managers have.
TEST(PublishedTwoPhase, HasTheStatesThatItsAuthorsCounted) {
  EXPECT_EQ(explore(TwoPhase(6)).distinct, 50'816U);
}

TEST(PublishedTwoPhase, CommitsWhenAllArePrepared) {
  const auto state =
      follow(TwoPhase(2), {},
             {"r1 prepares", "r2 prepares", "the transaction manager learns that r2 is prepared",
              "the transaction manager learns that r1 is prepared",
              "the transaction manager commits", "r1 is told to commit", "r2 is told to commit"});
  EXPECT_EQ(state.committed, 0b11U);
}

TEST(PublishedTwoPhase, AForgedMessageCommitsWhatAnotherAborts) {
  const TwoPhase::State forged{.sent_prepared = 0b001};
  const auto found = explore(StartedFrom<TwoPhase>(TwoPhase(3), forged));
  EXPECT_TRUE(found.violated & TwoPhase::consistency);
}

TEST(Published, ModelsSayWhatTheyHaveRoomFor) {
  EXPECT_THROW(LamportMutex(5, 6), std::length_error);
  EXPECT_THROW(LamportMutex(3, 15), std::length_error);
  EXPECT_THROW(ChangRoberts(9), std::length_error);
  EXPECT_THROW(Ewd840(9), std::length_error);
  EXPECT_THROW(TwoPhase(9), std::length_error);
}

}  // namespace
}  // namespace baton::check
