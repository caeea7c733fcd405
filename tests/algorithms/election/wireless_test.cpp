#include "algorithms/election/wireless.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "lab/sim/catalog.h"
#include "lab/sim/random.h"
#include "support/seeded_chooser.h"

namespace baton::test {
namespace {

using sim::Plan;
using sim::Report;
using sim::Workload;

const sim::Entry& wireless() { return *sim::find("wireless"); }

Report run(const Plan& plan) {
  EXPECT_EQ(sim::objection(plan, wireless().info()), std::nullopt);
  return wireless().run(plan, nullptr);
}

std::uint64_t count_of(const Report& report, std::string_view type) {
  std::uint64_t count = 0;
  for (const sim::MessageType& one : report.by_type) {
    if (type.empty() || one.name == type) count += one.count;
  }
  return count;
}

// The root of the tree in which a process ended up, and nobody if its way up has no end.
NodeId root_of(const std::vector<NodeId>& parents, NodeId node) {
  for (std::size_t steps = 0; steps <= parents.size(); ++steps) {
    if (parents[node.value] == nobody) return node;
    node = parents[node.value];
  }
  return nobody;
}

void expect_spanning_tree(const Setup& setup, const Report& report, std::uint64_t seed) {
  const NodeId root = root_of(report.parents, {0});
  ASSERT_NE(root, nobody) << "seed " << seed;
  for (std::uint32_t i = 0; i < setup.size; ++i) {
    ASSERT_EQ(root_of(report.parents, {i}), root) << "seed " << seed;
    if (NodeId{i} == root) continue;
    const std::vector<NodeId> near = setup.neighbours({i});
    ASSERT_NE(std::find(near.begin(), near.end(), report.parents[i]), near.end())
        << "process " << i << ", seed " << seed;
  }
}

TEST(Wireless, CostsWhatTheorySaysForAnySizeAndGraph) {
  for (std::uint32_t size = 2; size <= 40; ++size) {
    for (const ElectionCost& cost : wireless().info().election_costs) {
      for (std::uint64_t seed = 0; seed < 5; ++seed) {
        SeededChooser chooser(seed);
        ElectionCase situation{default_setup(size), {}, {}};
        cost.arrange(situation, chooser);
        Plan plan;
        plan.seed = seed;
        plan.setup = situation.setup;
        plan.delay.kind = seed == 0 ? sim::Delay::Kind::constant : sim::Delay::Kind::exponential;
        plan.workload = {.kind = Workload::Kind::one, .first = situation.initiators.front()};
        const Report report = run(plan);
        EXPECT_EQ(static_cast<double>(count_of(report, cost.type)), cost.value(situation).low)
            << size << " processes, " << cost.situation << ", " << cost.type << ", seed " << seed;
        EXPECT_TRUE(report.violations.empty());
        EXPECT_EQ(root_of(report.parents, {0}), situation.initiators.front());
        expect_spanning_tree(plan.setup, report, seed);
      }
    }
  }
}

// A network of ten, a to j, with a as the source, as in the lectures; its graph and capacities are
// our own.
//
//   b6 --- c3 --- d2
//   |  \     \    |
//   a4   g2 - e1 - f4
//   |  /  \       |
//   j4     h8 --- i5
TEST(Wireless, TenNodesWithTheFirstAsTheSource) {
  Plan plan;
  plan.setup = default_setup(10);
  plan.setup.graph = parse_graph("0-1,0-9,1-2,1-6,2-3,2-4,3-5,4-5,4-6,5-8,6-7,6-9,7-8", 10).graph;
  ASSERT_NE(plan.setup.graph, nullptr);
  plan.setup.capacities = {4, 6, 3, 2, 1, 4, 2, 8, 5, 4};
  plan.workload = {.kind = Workload::Kind::one, .first = {0}};
  const Report report = run(plan);

  EXPECT_EQ(report.leaders, std::vector<NodeId>(10, NodeId{7}));
  // Both b and j ask g at the same instant; what b sent came first. Likewise c before g at e, d
  // before e at f, and f and h at i, where h is the nearer.
  EXPECT_EQ(report.parents,
            (std::vector<NodeId>{nobody, {0}, {1}, {2}, {2}, {3}, {1}, {6}, {7}, {0}}));
  EXPECT_EQ(count_of(report, "Election"), 2U * 13 - 10 + 1);
  EXPECT_EQ(count_of(report, "Ack"), 2U * 13 - 10 + 1);
  EXPECT_EQ(count_of(report, "Leader"), 9U);
}

TEST(Wireless, OfEquallyGoodOnesTheHigherIdentityLeads) {
  Plan plan;
  plan.setup = default_setup(5);
  plan.setup.graph = ring_graph(5);
  plan.setup.capacities = {3, 7, 7, 7, 1};
  plan.setup.identities = {40, 30, 50, 20, 60};
  plan.workload = {.kind = Workload::Kind::one, .first = {3}};
  EXPECT_EQ(run(plan).leaders, std::vector<NodeId>(5, NodeId{2}));
  plan.setup.capacities.clear();
  EXPECT_EQ(run(plan).leaders, std::vector<NodeId>(5, NodeId{4}));
}

TEST(Wireless, OfElectionsAtTheSameInstantThatOfTheHighestInitiatorComesToItsEnd) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SeededChooser chooser(seed);
    Plan plan;
    plan.seed = seed;
    plan.setup = default_setup(2 + chooser.choose(12));
    const std::uint32_t size = plan.setup.size;
    plan.setup.graph =
        random_graph(size, std::min<std::uint64_t>(2 * size, most_edges(size)), chooser);
    plan.delay.kind = sim::Delay::Kind::exponential;
    const std::uint32_t low = chooser.choose(size);
    const std::uint32_t high = low + chooser.choose(size - low);
    plan.workload = {.kind = Workload::Kind::one, .first = {low}};
    plan.workload.also = {{Ticks{0}, NodeId{high}}};
    const Report report = run(plan);
    ASSERT_TRUE(report.violations.empty()) << report.violations.front().what;
    ASSERT_EQ(root_of(report.parents, {0}), NodeId{high}) << "seed " << seed;
  }
}

TEST(Wireless, ALaterElectionIsHeldWhoeverStartsIt) {
  Plan plan;
  plan.setup = default_setup(6);
  plan.setup.graph = grid_graph(6);
  plan.workload = {.kind = Workload::Kind::one, .first = {5}};
  plan.workload.also = {{100 * message_time, NodeId{1}}, {200 * message_time, NodeId{0}}};
  const Report report = run(plan);
  EXPECT_TRUE(report.violations.empty());
  EXPECT_EQ(root_of(report.parents, {4}), NodeId{0});
  EXPECT_EQ(count_of(report, ""), 3 * (4 * plan.setup.edges() - 6 + 1));
}

TEST(Wireless, WhoTakesPartInAnElectionDoesNotStartAnother) {
  Plan plan;
  plan.setup = default_setup(6);
  plan.setup.graph = ring_graph(6);
  plan.workload = {.kind = Workload::Kind::one, .first = {0}};
  plan.workload.also = {{Ticks{1'500'000}, NodeId{1}}, {Ticks{2'500'000}, NodeId{0}}};
  const Report report = run(plan);
  EXPECT_EQ(report.requests, 3U);
  EXPECT_EQ(count_of(report, ""), 4 * plan.setup.edges() - 6 + 1);
}

// What the network doubles is not passed on twice.
TEST(Wireless, DuplicatesCauseNoFurtherWaves) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SeededChooser chooser(seed);
    Plan plan;
    plan.seed = seed;
    plan.setup = default_setup(8);
    plan.setup.graph = random_graph(8, 12, chooser);
    plan.delay.kind = sim::Delay::Kind::exponential;
    plan.faults.duplication = 0.9;
    plan.workload = {.kind = Workload::Kind::one, .first = {chooser.choose(8)}};
    const Report report = run(plan);
    ASSERT_EQ(count_of(report, "Election"), 2U * 12 - 8 + 1) << "seed " << seed;
    ASSERT_EQ(count_of(report, "Leader"), 7U) << "seed " << seed;
  }
}

TEST(Wireless, EveryoneLearnsOfTheBestInRandomWorlds) {
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    SeededChooser chooser(seed);
    Plan plan;
    plan.seed = seed;
    plan.setup = default_setup(2 + chooser.choose(12));
    const std::uint32_t size = plan.setup.size;
    const auto room = static_cast<std::uint32_t>(most_edges(size) - fewest_edges(size));
    if (chooser.choose(8) > 0) {
      plan.setup.graph = random_graph(size, fewest_edges(size) + chooser.choose(room + 1), chooser);
    }
    for (std::uint32_t i = 0; i < size; ++i) {
      plan.setup.capacities.push_back(chooser.choose(5));
      plan.setup.identities.push_back(100 + i);
    }
    for (std::uint32_t i = size; i > 1; --i) {
      std::swap(plan.setup.identities[i - 1], plan.setup.identities[chooser.choose(i)]);
    }
    plan.delay.kind = static_cast<sim::Delay::Kind>(chooser.choose(4));
    plan.faults.reordering = chooser.choose(2) == 0;
    if (chooser.choose(2) == 0) plan.faults.duplication = 0.3;
    plan.workload = {.kind =
                         chooser.choose(4) == 0 ? Workload::Kind::everyone : Workload::Kind::one};
    for (std::uint32_t i = chooser.choose(4); i > 0; --i) {
      plan.workload.also.emplace_back(Ticks{chooser.choose(20'000'000)},
                                      NodeId{chooser.choose(size)});
    }
    const Report report = run(plan);
    ASSERT_TRUE(report.violations.empty())
        << "seed " << seed << ": " << report.violations.front().what;
    expect_spanning_tree(plan.setup, report, seed);
  }
}

// What it assumes it needs.
TEST(Wireless, WaitsForEverForOneThatCrashed) {
  Plan plan;
  plan.setup = default_setup(4);
  plan.setup.graph = ring_graph(4);
  plan.workload = {.kind = Workload::Kind::one, .first = {0}};
  plan.faults.schedule = {{.at = Ticks{1}, .kind = sim::Fault::Kind::crash, .node = {2}}};
  ASSERT_NE(sim::objection(plan, wireless().info()), std::nullopt);
  plan.may_break.add(Assumption::no_crash);
  EXPECT_NE(run(plan).violated(Promise::everyone_learns), nullptr);
}

}  // namespace
}  // namespace baton::test
