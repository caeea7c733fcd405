#include "shared/dijkstra_machine.h"

#include <gtest/gtest.h>

#include "shared/exploration.h"
#include "shared/fair_cycle.h"
#include "shared/random_run.h"

namespace baton::test {
namespace {

std::string alone(DijkstraMachine machine, std::uint32_t process) {
  std::string log;
  do {
    log += machine.next_step({process}) + "\n";
    machine.step({process});
  } while (machine.section({process}) != Section::outside);
  return log;
}

TEST(DijkstraMachine, AProcessAloneTakesTheTurnAndKeepsIt) {
  EXPECT_EQ(alone(DijkstraMachine(2), 0),
            "b[0] := false\n"
            "reads k\n"
            "c[0] := false\n"
            "reads c[1]\n"
            "c[0] := true\n"
            "b[0] := true\n");
  EXPECT_EQ(alone(DijkstraMachine(2), 1),
            "b[1] := false\n"
            "reads k\n"
            "c[1] := true\n"
            "reads k\n"
            "reads b[0]\n"
            "k := 1\n"
            "reads k\n"
            "c[1] := false\n"
            "reads c[0]\n"
            "c[1] := true\n"
            "b[1] := true\n");
}

TEST(DijkstraMachine, RandomSchedulesNeverLetTwoIn) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const auto n = static_cast<std::uint32_t>(2 + seed % 3);
    const MachineRun run{.processes = n, .entries_per_process = 5, .seed = seed};
    const MachineReport report = run_at_random(DijkstraMachine(n), run);
    ASSERT_EQ(report.violations, 0U) << "seed " << seed;
    ASSERT_TRUE(report.finished) << "seed " << seed;
  }
}

TEST(DijkstraMachine, EveryInterleavingIsSafeAndSomebodyAlwaysGetsIn) {
  for (std::uint32_t n = 2; n <= 3; ++n) {
    for (std::uint32_t k = 0; k < n; ++k) {
      const Exploration<DijkstraMachine> graph(DijkstraMachine(n, {.k = {k}}));
      RecordProperty("states", static_cast<int>(graph.nodes().size()));
      const auto two_inside = [n](const auto& node) {
        std::uint32_t inside = 0;
        for (std::uint32_t i = 0; i < n; ++i) {
          if (node.machine.section({i}) == Section::inside) ++inside;
        }
        return inside > 1;
      };
      EXPECT_FALSE(graph.find(two_inside));
      EXPECT_TRUE(deadlock(graph).empty());
    }
  }
}

// A run that returns to a state it has been in, and so can go on like that for ever: process 1
// is given steps and waits, while process 0 enters and leaves again and again.
TEST(DijkstraMachine, LetsAProcessStarve) {
  const NodeId victim{1};
  const Exploration<DijkstraMachine> graph(DijkstraMachine(2));
  const auto waits = where_it_waits(graph, victim);
  const auto enters = [](const auto& edge) { return edge.enters; };
  const auto by_victim = [&](const auto& edge) { return edge.move.process == victim; };
  const std::vector<std::size_t> component = waits.fair(enters);
  ASSERT_FALSE(component.empty());
  const std::vector<Move> cycle = waits.lasso(component, {enters, by_victim});

  DijkstraMachine machine(2);
  for (const Move& move : graph.schedule_to(component.front())) machine.step(move.process);
  const DijkstraMachine start = machine;
  for (int round = 0; round < 10; ++round) {
    int entries = 0;
    int steps_of_victim = 0;
    for (const Move& move : cycle) {
      const Section before = machine.section({0});
      machine.step(move.process);
      if (before != Section::inside && machine.section({0}) == Section::inside) ++entries;
      if (move.process == victim) ++steps_of_victim;
      ASSERT_EQ(machine.section(victim), Section::waiting);
    }
    EXPECT_GE(entries, 1);
    EXPECT_GE(steps_of_victim, 1);
    ASSERT_TRUE(reflect::equal(machine.state(), start.state()));
  }
}

TEST(DijkstraMachine, StarvationIsLongWaitingUnderRandomSchedules) {
  const MachineRun run{.processes = 3, .entries_per_process = 2000, .seed = 1};
  const MachineReport report = run_at_random(DijkstraMachine(3), run);
  EXPECT_TRUE(report.finished);
  EXPECT_GT(report.longest_wait_entries, 10U);
}

}  // namespace
}  // namespace baton::test
