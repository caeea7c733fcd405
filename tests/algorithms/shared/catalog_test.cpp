#include "algorithms/shared/catalog.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace baton::test {
namespace {

TEST(SharedMachines, AreListedByName) {
  std::string names;
  for (const CatalogedMachine& machine : shared_machines()) {
    names += std::string(machine.info().name) + "\n";
    EXPECT_EQ(machine.info().kind, Kind::shared_memory);
    EXPECT_TRUE(machine.info().assumes.empty());
  }
  EXPECT_EQ(names,
            "bakery\n"
            "dijkstra\n"
            "wrong-bakery-no-choosing\n");
  EXPECT_FALSE(run_machine("baker", {}));
}

// Each is held to what it says of itself.
TEST(SharedMachines, KeepTheirPromisesUnderRandomSchedules) {
  for (const CatalogedMachine& machine : shared_machines()) {
    const Info& info = machine.info();
    std::uint64_t violations = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      const MachineReport report =
          machine.run({.processes = 4, .entries_per_process = 10, .seed = seed});
      violations += report.violations;
      EXPECT_TRUE(report.finished) << info.name << " seed " << seed;
      EXPECT_EQ(report.entries, 40U);
      if (!info.is_wrong() && info.promises.has(Promise::order)) {
        EXPECT_LE(report.longest_wait_entries, 3U) << info.name << " seed " << seed;
      }
    }
    EXPECT_EQ(violations > 0, info.is_wrong()) << info.name;
  }
}

// First come, first served is from the doorway on; Dijkstra's has none, and no order either.
TEST(SharedMachines, AnEntryAheadOfOneThatWaitedBeforeIsCounted) {
  std::uint64_t inversions = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const MachineRun run{.processes = 4, .entries_per_process = 10, .seed = seed};
    EXPECT_EQ(run_machine("bakery", run)->inversions, 0U) << "seed " << seed;
    const auto report = run_machine("dijkstra", run);
    EXPECT_EQ(report->inversions > 0, report->inverted_step.has_value());
    EXPECT_LE(report->longest_wait_step, report->steps);
    inversions += report->inversions;
  }
  EXPECT_GT(inversions, 0U);
}

TEST(SharedMachines, OneAloneIsTheScheduleThatItsHeaderSays) {
  const auto report = run_machine("dijkstra", {.processes = 1, .keep_schedule = true});
  ASSERT_TRUE(report);
  std::string schedule;
  for (const MachineStep& step : report->schedule) schedule += step.what + "\n";
  EXPECT_EQ(schedule,
            "b[0] := false\n"
            "reads k\n"
            "c[0] := false\n"
            "c[0] := true\n"
            "b[0] := true\n");
  EXPECT_EQ(report->schedule[2].then, Section::inside);
  EXPECT_EQ(report->steps_per_entry(), 5);
}

TEST(SharedMachines, TheSameSeedGivesTheSameRun) {
  const MachineRun run{.processes = 3, .entries_per_process = 4, .seed = 7, .keep_schedule = true};
  const auto once = run_machine("bakery", run);
  const auto again = run_machine("bakery", run);
  const auto same = [](const MachineStep& a, const MachineStep& b) {
    return a.process == b.process && a.what == b.what && a.choice == b.choice;
  };
  EXPECT_TRUE(std::equal(once->schedule.begin(), once->schedule.end(), again->schedule.begin(),
                         again->schedule.end(), same));
  EXPECT_EQ(once->schedule.size(), once->steps);
}

TEST(SharedMachines, ARunEndsAtItsLimit) {
  const auto report =
      run_machine("bakery", {.processes = 5, .entries_per_process = 1000, .max_steps = 500});
  EXPECT_EQ(report->steps, 500U);
  EXPECT_FALSE(report->finished);
}

TEST(SharedMachines, TheFirstViolationIsTheStepThatBringsASecondIn) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto report =
        run_machine("wrong-bakery-no-choosing",
                    {.entries_per_process = 20, .seed = seed, .keep_schedule = true});
    if (report->violations == 0) continue;
    ASSERT_TRUE(report->violated_step);
    EXPECT_EQ(report->schedule[*report->violated_step - 1].then, Section::inside);
    return;
  }
  FAIL() << "no violation in 100 seeds";
}

}  // namespace
}  // namespace baton::test
