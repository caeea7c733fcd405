// Holds every election of the registry to what it says of itself. An algorithm that is added later
// is tested here without new test code.
#include <gtest/gtest.h>

#include <cstddef>
#include <ostream>
#include <string_view>

#include "lab/sim/catalog.h"
#include "lab/sim/measure_election.h"
#include "support/explain.h"
#include "support/random_election_plan.h"
#include "support/registry.h"

namespace baton::test {
namespace {

using sim::Entry;
using sim::Fault;
using sim::Plan;
using sim::Report;

constexpr std::uint64_t seeds = 10'000;

class Election : public testing::TestWithParam<const Entry*> {
 protected:
  const Info& info() const { return GetParam()->info(); }
  Report run(const Plan& plan) const { return GetParam()->run(plan, nullptr); }
};

TEST_P(Election, CostsWhatTheorySays) {
  for (std::uint32_t size = 2; size <= 40; ++size) {
    for (const auto& one : sim::measure_election(*GetParam(), default_setup(size), 1)) {
      EXPECT_TRUE(one.agrees()) << "N = " << size << ", " << one.cost->situation << ", "
                                << one.cost->type << ": measured " << one.value << " within "
                                << one.half_width << ", theory " << one.cost->formula << " = "
                                << one.expected.low << " to " << one.expected.high;
    }
  }
}

TEST_P(Election, KeepsItsPromisesInRandomWorlds) {
  // `make soak` goes on from here for as long as one likes.
  const std::uint64_t first = from_environment("BATON_FIRST_SEED", 0);
  const std::uint64_t count = from_environment("BATON_SEEDS", seeds);
  std::uint64_t with_leader = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Plan plan = random_election_plan(info(), seed);
    ASSERT_EQ(sim::objection(plan, info()), std::nullopt) << "seed " << seed;
    const Report report = run(plan);
    const sim::Violation* broken = report.broken(info().promises);
    ASSERT_EQ(broken, nullptr) << explain(*GetParam(), sim::Layers::none, plan, *broken);
    with_leader += report.entries > 0 ? 1 : 0;
  }
  // Only where whoever was to hold an election is down does none take place.
  EXPECT_GT(10 * with_leader, 9 * count);
}

TEST_P(Election, DoesTheSameAgainWithTheSameSeed) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Plan plan = random_election_plan(info(), seed);
    Trace first;
    Trace second;
    GetParam()->run(plan, &first);
    GetParam()->run(plan, &second);
    ASSERT_EQ(first.events.size(), second.events.size());
    for (std::size_t i = 0; i < first.events.size(); ++i) {
      ASSERT_EQ(first.events[i].at, second.events[i].at);
      ASSERT_EQ(first.events[i].body, second.events[i].body);
      ASSERT_EQ(first.events[i].vector, second.events[i].vector);
    }
  }
}

TEST_P(Election, SaysWhoPublishedItAndWhatItPromises) {
  EXPECT_FALSE(info().title.empty());
  EXPECT_FALSE(info().publication.empty());
  EXPECT_FALSE(info().idea.empty());
  EXPECT_FALSE(info().problem.empty());
  EXPECT_FALSE(info().promises.empty());
}

INSTANTIATE_TEST_SUITE_P(Registry, Election, testing::ValuesIn(entries(Kind::election, false)),
                         as_printed);

class WrongElection : public Election {};

TEST_P(WrongElection, IsCaught) {
  for (const Flaw& flaw : info().flaws) {
    ASSERT_TRUE(info().promises.has(flaw.breaks)) << "a wrong variant claims what it breaks";
    bool caught = false;
    for (std::uint64_t seed = 0; seed < seeds && !caught; ++seed) {
      caught = run(random_election_plan(info(), seed)).violated(flaw.breaks) != nullptr;
    }
    EXPECT_TRUE(caught) << sim::name_of(flaw.breaks) << " was never broken: " << flaw.why;
  }
}

TEST_P(WrongElection, SaysWhy) { EXPECT_FALSE(info().flaws.front().why.empty()); }

INSTANTIATE_TEST_SUITE_P(Registry, WrongElection, testing::ValuesIn(entries(Kind::election, true)),
                         as_printed);

// Processes 0 to 2 and 3 to 5 cannot talk to each other from time 20 on, and again if `healed`.
Plan partitioned(bool healed) {
  Plan plan;
  plan.setup = default_setup(6);
  plan.may_break = {Assumption::no_loss};
  plan.faults.detection = 3 * message_time;
  plan.faults.schedule.push_back(
      {.at = 20 * message_time, .kind = Fault::Kind::partition, .side_of = {0, 0, 0, 1, 1, 1}});
  if (healed) {
    plan.faults.schedule.push_back({.at = 60 * message_time, .kind = Fault::Kind::heal});
  }
  plan.workload.kind = sim::Workload::Kind::one;
  plan.workload.first = {1};
  return plan;
}

std::vector<NodeId> nodes(std::initializer_list<std::uint32_t> values) {
  std::vector<NodeId> all;
  for (const std::uint32_t value : values) all.push_back({value});
  return all;
}

struct Partitioned {
  std::string_view algorithm;
  // A process that comes back behind the partition, and is not told of it, may announce itself while
  // those who have asked it in vain announce another. Bully gets over that if it repeats results.
  std::size_t most_untold = 1;
};
void PrintTo(const Partitioned& one, std::ostream* to) { *to << one.algorithm; }

class APartition : public testing::TestWithParam<Partitioned> {
 protected:
  const Entry& entry() const { return *sim::find(GetParam().algorithm); }
};

TEST_P(APartition, HasALeaderOnEachSideAndOneAgainWhenItHeals) {
  const Report cut = entry().run(partitioned(false), nullptr);
  EXPECT_TRUE(cut.violations.empty()) << cut.violations.front().what;
  EXPECT_EQ(cut.leaders, nodes({2, 2, 2, 5, 5, 5}));
  const Report healed = entry().run(partitioned(true), nullptr);
  EXPECT_TRUE(healed.violations.empty()) << healed.violations.front().what;
  EXPECT_EQ(healed.leaders, nodes({5, 5, 5, 5, 5, 5}));
}

TEST_P(APartition, EndsWellInRandomWorlds) {
  // `make soak` goes on from here for as long as one likes.
  const std::uint64_t first = from_environment("BATON_FIRST_SEED", 0);
  const std::uint64_t count = from_environment("BATON_SEEDS", seeds / 5);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const std::size_t most_untold = GetParam().most_untold;
    const Plan plan = random_partitioned_plan(entry().info(), seed, most_untold);
    ASSERT_EQ(sim::objection(plan, entry().info()), std::nullopt) << "seed " << seed;
    const Report report = entry().run(plan, nullptr);
    const sim::Violation* broken = report.broken(entry().info().promises);
    ASSERT_EQ(broken, nullptr) << explain(
        entry(), sim::Layers::none, plan, *broken,
        [&](const Plan& shorter) { return untold(shorter).size() <= most_untold; });
  }
}

INSTANTIATE_TEST_SUITE_P(Elections, APartition,
                         testing::Values(Partitioned{"bully", 0}, Partitioned{"bully-repeating"},
                                         Partitioned{"ring-election"}),
                         as_printed);

}  // namespace
}  // namespace baton::test
