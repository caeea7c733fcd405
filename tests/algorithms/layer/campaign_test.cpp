// Every algorithm that runs on layers, on every combination of them, in worlds that do their worst.
// `make soak` goes on from here for as long as one likes.
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "lab/sim/catalog.h"
#include "support/explain.h"
#include "support/random_faults.h"
#include "support/random_plan.h"
#include "support/registry.h"

namespace baton::test {
namespace {

using sim::Entry;
using sim::Layers;
using sim::Plan;
using sim::Report;

constexpr std::uint64_t seeds = 2000;

struct World {
  const char* name;
  Layers layers;
  Plan (*plan)(const Info&, std::uint64_t seed);
};
void PrintTo(const World& world, std::ostream* to) { *to << world.name; }

Plan only_lossy(const Info& info, std::uint64_t seed) {
  Plan plan = random_plan(info, seed);
  plan.inside = nobody;
  if (plan.delay.kind == sim::Delay::Kind::heavy) plan.delay.kind = sim::Delay::Kind::exponential;
  sim::Random random(seed, 97);
  plan.faults.loss = 0.4 * random.unit();
  plan.faults.duplication = 0.4 * random.unit();
  plan.faults.reordering = plan.delay.kind != sim::Delay::Kind::constant;
  // What is lost again and again takes its time.
  plan.progress_bound = 100'000 * message_time;
  return plan;
}

constexpr World worlds[] = {
    {"lossy", Layers::reliable, only_lossy},
    {"crashes", Layers::resilient,
     [](const Info&, std::uint64_t seed) {
       return hard_plan(seed, {.lossy = false, .pauses = false});
     }},
    {"everything", Layers::both,
     [](const Info&, std::uint64_t seed) { return hard_plan(seed, {}); }},
    {"all_down_at_times", Layers::both,
     [](const Info&, std::uint64_t seed) { return hard_plan(seed, {.majority = true}); }},
};

using Combination = std::tuple<const Entry*, World>;

std::string name_of_test(const testing::TestParamInfo<Combination>& of) {
  const auto& [entry, world] = of.param;
  return test_word(entry->info().name) + "_" + world.name;
}

class OnLayers : public testing::TestWithParam<Combination> {};

TEST_P(OnLayers, KeepsItsPromises) {
  const auto& [entry, world] = GetParam();
  const sim::Runnable& subject = entry->with(world.layers);
  const std::uint64_t first = from_environment("BATON_FIRST_SEED", 0);
  const std::uint64_t count = from_environment("BATON_SEEDS", seeds);
  std::uint64_t entries = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Plan plan = world.plan(subject.info(), seed);
    ASSERT_EQ(sim::objection(plan, subject.info()), std::nullopt) << "seed " << seed;
    const Report report = subject.run(plan, nullptr);
    const sim::Violation* broken = report.broken(subject.info().promises);
    ASSERT_EQ(broken, nullptr) << explain(*entry, world.layers, plan, *broken);
    ASSERT_FALSE(report.stalled) << "seed " << seed << ": everything works in the end";
    entries += report.entries;
  }
  EXPECT_GT(entries, count);
}

INSTANTIATE_TEST_SUITE_P(
    Locks, OnLayers,
    testing::Combine(testing::ValuesIn(layered_entries(Kind::mutual_exclusion)),
                     testing::ValuesIn(worlds)),
    name_of_test);

// Elections in views: one leader per epoch, whatever happens, and in the end the right one.
class ElectionOnLayers : public testing::TestWithParam<const Entry*> {};

TEST_P(ElectionOnLayers, KeepsItsPromises) {
  const sim::Runnable& subject = GetParam()->with(Layers::both);
  const std::uint64_t first = from_environment("BATON_FIRST_SEED", 0);
  const std::uint64_t count = from_environment("BATON_SEEDS", seeds) / 4;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    Plan plan = hard_plan(seed, {.majority = seed % 2 == 0});
    plan.workload = {.kind = sim::Workload::Kind::everyone};
    // Inside a view messages are repeated, which a synchronous algorithm must reckon with.
    plan.setup.delay_bound = 40 * plan.setup.delay_bound;
    const Report report = subject.run(plan, nullptr);
    const sim::Violation* broken = report.broken(subject.info().promises);
    ASSERT_EQ(broken, nullptr) << explain(*GetParam(), Layers::both, plan, *broken);
  }
}

INSTANTIATE_TEST_SUITE_P(Elections, ElectionOnLayers,
                         testing::ValuesIn(layered_entries(Kind::election)), as_printed);

}  // namespace
}  // namespace baton::test
