#include "algorithms/shared/dijkstra_machine.h"

#include <gtest/gtest.h>

#include "algorithms/shared/checked_machine.h"
#include "algorithms/shared/fair_cycle.h"
#include "algorithms/shared/random_run.h"

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
  const auto explore = [&](const DijkstraMachine& machine) {
    const CheckedMachine<DijkstraMachine> checked(machine);
    EXPECT_TRUE(checked.somebody_enters());
    EXPECT_EQ(checked.explorer().violated(), 0U);
    EXPECT_TRUE(deadlock(Graph(checked)).empty());
    return checked.states();
  };
  for (std::uint32_t k = 0; k < 2; ++k) EXPECT_EQ(explore(DijkstraMachine(2, {{k}})), 182U);
  for (std::uint32_t k = 0; k < 3; ++k) EXPECT_EQ(explore(DijkstraMachine(3, {{k}})), 5'357U);
  EXPECT_EQ(explore(DijkstraMachine(4)), 161'860U);
}

// A run that returns to a state it has been in, and so can go on like that for ever: process 1
// is given steps and waits, while process 0 enters and leaves again and again.
class Starvation : public testing::Test {
 protected:
  static constexpr NodeId victim{1};

  // Plays the cycle, in which the victim must wait all the time, and returns the entries of 0.
  int play(const std::vector<Move>& cycle) {
    int entries = 0;
    story_.clear();
    for (const Move& move : cycle) {
      story_ += std::to_string(move.process.value) + " " + machine_.next_step(move.process) + "\n";
      const Section before = machine_.section({0});
      machine_.step(move.process);
      if (before != Section::inside && machine_.section({0}) == Section::inside) ++entries;
      EXPECT_EQ(machine_.section(victim), Section::waiting);
    }
    return entries;
  }

  DijkstraMachine machine_{2};
  std::string story_;
};

TEST_F(Starvation, IsACycleInWhichTheVictimIsGivenStepsAndTheOtherEnters) {
  const CheckedMachine<DijkstraMachine> checked(machine_);
  const Graph graph(checked);
  const auto waits = where_it_waits(graph, victim);
  const auto enters = [](const auto& edge) { return edge.enters; };
  const auto by_victim = [](const auto& edge) { return edge.move.process == victim; };
  const std::vector<std::size_t> component = waits.fair(enters);
  ASSERT_FALSE(component.empty());

  machine_ = graph[component.front()].machine;
  const DijkstraMachine start = machine_;
  const std::vector<Move> cycle = waits.lasso(component, {enters, by_victim});
  for (int round = 0; round < 10; ++round) {
    EXPECT_EQ(play(cycle), 1);
    ASSERT_TRUE(reflect::equal(machine_.state(), start.state()));
  }
  // Whenever process 1 looks whether the turn is free, process 0 wants to enter again.
  EXPECT_EQ(story_,
            "0 c[0] := false\n"
            "0 reads c[1]\n"
            "1 reads b[0]\n"
            "0 c[0] := true\n"
            "0 b[0] := true\n"
            "0 b[0] := false\n"
            "0 reads k\n"
            "1 reads k\n"
            "1 c[1] := true\n"
            "1 reads k\n");
}

TEST(DijkstraMachine, StarvationIsLongWaitingUnderRandomSchedules) {
  const MachineRun run{.processes = 3, .entries_per_process = 2000, .seed = 1};
  const MachineReport report = run_at_random(DijkstraMachine(3), run);
  EXPECT_TRUE(report.finished);
  EXPECT_GT(report.longest_wait_entries, 10U);
}

}  // namespace
}  // namespace baton::test
