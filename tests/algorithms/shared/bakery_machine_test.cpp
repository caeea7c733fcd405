#include "algorithms/shared/bakery_machine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <utility>

#include "algorithms/shared/bakery_machine_wrong.h"
#include "algorithms/shared/checked_machine.h"
#include "algorithms/shared/fair_cycle.h"
#include "algorithms/shared/random_run.h"

namespace baton::test {
namespace {

using Registers = BakeryMachine::Registers;
using Model = check::MachineModel<BakeryMachine>;

template <class M = BakeryMachine>
M small(std::uint32_t processes, std::uint32_t last_ticket, Registers registers = Registers::safe) {
  return M(processes, {.registers = registers, .last_ticket = {last_ticket}});
}

// Steps of one process until it is in a section.
template <class M>
std::string advance(M& machine, std::uint32_t process, Section until) {
  std::string log;
  for (int steps = 0; machine.section({process}) != until || steps == 0; ++steps) {
    if (steps == 1000) return log + "does not get there";
    log += std::to_string(process) + " " + machine.next_step({process}) + "\n";
    machine.step({process});
  }
  return log;
}

TEST(BakeryMachine, AProcessAloneTakesTicketOneAndEnters) {
  BakeryMachine machine = small(2, 3);
  EXPECT_EQ(advance(machine, 0, Section::outside),
            "0 choosing[0] := true begins\n"
            "0 choosing[0] := true ends\n"
            "0 reads num[1]\n"
            "0 num[0] := 1 begins\n"
            "0 num[0] := 1 ends\n"
            "0 choosing[0] := false begins\n"
            "0 choosing[0] := false ends\n"
            "0 reads choosing[1]\n"
            "0 reads num[1]\n"
            "0 num[0] := 0 begins\n"
            "0 num[0] := 0 ends\n");
}

TEST(BakeryMachine, AnEntryAloneIsFourWritesAndThreeReadsPerOther) {
  for (std::uint32_t n = 1; n <= 20; ++n) {
    BakeryMachine atomic = small(n, 3, Registers::atomic);
    const std::string log = advance(atomic, 0, Section::outside);
    EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 4 + 3 * (n - 1));
  }
}

TEST(BakeryMachine, AReadThatOverlapsAWriteMayReturnAnything) {
  BakeryMachine machine = small(2, 5);
  while (machine.next_step({0}) != "num[0] := 1 ends") machine.step({0});
  machine.step({1});
  machine.step({1});
  ASSERT_EQ(machine.next_step({1}), "reads num[0]");
  EXPECT_EQ(machine.choices({1}), 6U);
  machine.step({1}, 4);
  EXPECT_EQ(machine.next_step({1}), "num[1] := 5 begins");
  machine.step({0});
  EXPECT_EQ(machine.choices({1}), 1U);
}

TEST(BakeryMachine, WhileTheLastTicketIsOutNobodyElseComesIn) {
  BakeryMachine machine = small(3, 1, Registers::atomic);
  machine.step({2});
  advance(machine, 0, Section::waiting);
  EXPECT_FALSE(machine.enabled({1}));
  EXPECT_EQ(advance(machine, 2, Section::outside),
            "2 reads num[0]\n"
            "2 reads num[1]\n"
            "2 turns back\n");
  EXPECT_FALSE(machine.enabled({2}));
  advance(machine, 0, Section::outside);
  EXPECT_TRUE(machine.enabled({1}));
  EXPECT_TRUE(machine.enabled({2}));
}

TEST(BakeryMachine, RandomSchedulesNeverLetTwoInAndServeEveryone) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const auto n = static_cast<std::uint32_t>(2 + seed % 3);
    const MachineRun run{.processes = n, .entries_per_process = 5, .seed = seed};
    for (const std::uint32_t last_ticket : {4U, 1'000'000'000U}) {
      const MachineReport report = run_at_random(small(n, last_ticket), run);
      ASSERT_EQ(report.violations, 0U) << "seed " << seed;
      ASSERT_TRUE(report.finished) << "seed " << seed;
      ASSERT_EQ(report.entries, 5 * n);
      // Each other process gets in at most once after one's own doorway.
      ASSERT_LE(report.longest_wait_entries, n - 1) << "seed " << seed;
    }
  }
}

struct Instance {
  std::uint32_t processes;
  std::uint32_t last_ticket;
  Registers registers;
  std::size_t states;

  friend void PrintTo(const Instance& instance, std::ostream* to) {
    *to << instance.processes << " processes, tickets to " << instance.last_ticket << ", "
        << (instance.registers == Registers::safe ? "safe" : "atomic") << " registers";
  }
};

class EveryInterleaving : public testing::TestWithParam<Instance> {
 protected:
  BakeryMachine machine() const {
    return small(GetParam().processes, GetParam().last_ticket, GetParam().registers);
  }
};

TEST_P(EveryInterleaving, IsSafeAndFirstComeFirstServed) {
  const CheckedMachine<BakeryMachine> checked(machine());
  EXPECT_TRUE(checked.somebody_enters());
  EXPECT_FALSE(checked.violates(Model::mutual_exclusion));
  EXPECT_FALSE(checked.violates(Model::order));
}

TEST_P(EveryInterleaving, NobodyStarves) {
  const Graph graph(CheckedMachine<BakeryMachine>(machine(), {.order = false}));
  EXPECT_EQ(graph.size(), GetParam().states);
  EXPECT_TRUE(deadlock(graph).empty());
  for (std::uint32_t i = 0; i < machine().size(); ++i) {
    EXPECT_TRUE(where_it_waits(graph, {i}).fair().empty()) << "process " << i;
  }
}

std::string name_of(const testing::TestParamInfo<Instance>& of) {
  const auto& [processes, last_ticket, registers, states] = of.param;
  return "n" + std::to_string(processes) + "_tickets_to_" + std::to_string(last_ticket) +
         (registers == Registers::safe ? "_safe" : "_atomic");
}

INSTANTIATE_TEST_SUITE_P(BakeryMachine, EveryInterleaving,
                         testing::Values(Instance{2, 6, Registers::safe, 1'719},
                                         Instance{2, 6, Registers::atomic, 406},
                                         Instance{3, 4, Registers::safe, 55'786},
                                         Instance{3, 6, Registers::atomic, 22'242}),
                         name_of);

// With as many tickets as anybody may want: lab/check/machine_model.h.
TEST(BakeryMachine, NobodyStarvesWhereTicketsNeverRunOut) {
  for (const std::uint32_t n : {2U, 3U}) {
    const auto machine =
        check::endless_machine<BakeryMachine>(n, n + 1, {.registers = Registers::atomic});
    const Graph graph(CheckedMachine<BakeryMachine>(machine, {.order = false, .gap = n + 1}));
    EXPECT_TRUE(deadlock(graph).empty());
    for (std::uint32_t i = 0; i < n; ++i) {
      EXPECT_TRUE(where_it_waits(graph, {i}).fair().empty()) << "process " << i;
    }
  }
}

// Cardellini: "if p_i is in the doorway and p_j is in the bakery, then {num[j], j} < {num[i], i}".
// It can only be meant once p_i has its number.
bool lemma_breaks(const BakeryMachine& machine, NodeId i, NodeId j) {
  const auto& num = machine.state().num;
  return machine.section(i) == Section::doorway && num[i.value] != Ticket{} &&
         (machine.section(j) == Section::waiting || machine.section(j) == Section::inside) &&
         std::pair(num[j.value], j) > std::pair(num[i.value], i);
}

TEST(TicketLemma, BreaksWhereDoorwaysOverlap) {
  const CheckedMachine<BakeryMachine> checked(small(2, 3, Registers::atomic));
  const auto broken =
      checked.find([](const BakeryMachine& machine) { return lemma_breaks(machine, {0}, {1}); });
  ASSERT_TRUE(broken);
  EXPECT_EQ(checked.told(checked.run_to(*broken)),
            "process 0 choosing[0] := true\n"
            "process 0 reads num[1]\n"
            "process 0 num[0] := 1\n"
            "process 1 choosing[1] := true\n"
            "process 1 reads num[0]\n"
            "process 1 num[1] := 2\n"
            "process 1 choosing[1] := false\n");
  const BakeryMachine machine = checked.machine(*broken);
  // Process 1 is in the bakery with ticket 2, process 0 still in its doorway with ticket 1.
  EXPECT_EQ(machine.section({1}), Section::waiting);
  EXPECT_EQ(machine.section({0}), Section::doorway);
}

TEST(TicketLemma, SaysNothingOfOneThatHasNoTicketYet) {
  BakeryMachine machine = small(2, 3, Registers::atomic);
  advance(machine, 1, Section::inside);
  machine.step({0});
  EXPECT_EQ(machine.section({0}), Section::doorway);
  EXPECT_EQ(reflect::printed(machine.state().num), "[0 1]");
}

TEST(TicketLemma, HoldsWhereTheOneHadItsTicketBeforeTheOtherBegan) {
  for (const auto& [n, last_ticket] : {std::pair(2U, 6U), std::pair(3U, 4U)}) {
    const CheckedMachine<BakeryMachine> checked(small(n, last_ticket));
    std::size_t held = 0;
    for (const auto number : checked.numbers()) {
      const Model::State state = checked.state(number);
      const BakeryMachine machine = checked.machine(number);
      for (NodeId i{0}; i.value < n; ++i.value) {
        if (state.machine.num[i.value] == Ticket{}) continue;
        for (NodeId j{0}; j.value < n; ++j.value) {
          if ((state.ahead[i.value] >> j.value & 1) == 0) continue;
          ++held;
          ASSERT_FALSE(lemma_breaks(machine, i, j)) << reflect::printed(state.machine);
        }
      }
    }
    EXPECT_GT(held, 0U);
  }
}

TEST(BakeryWithoutChoosing, LetsTwoInEvenOverAtomicRegisters) {
  const CheckedMachine<BakeryWithoutChoosing> checked(
      small<BakeryWithoutChoosing>(2, 2, Registers::atomic));
  ASSERT_TRUE(checked.violates(Model::mutual_exclusion));
  EXPECT_EQ(checked.told(checked.run_to_violation(Model::mutual_exclusion)),
            "process 0 starts\n"
            "process 0 reads num[1]\n"
            "process 1 starts\n"
            "process 1 reads num[0]\n"
            "process 1 num[1] := 1\n"
            "process 1 reads num[0], and enters\n"
            "process 0 num[0] := 1\n"
            "process 0 reads num[1], and enters\n");
}

TEST(BakeryWithoutChoosing, LetsTwoInOverSafeRegistersToo) {
  const CheckedMachine<BakeryWithoutChoosing> checked(small<BakeryWithoutChoosing>(2, 2));
  EXPECT_TRUE(checked.violates(Model::mutual_exclusion));
}

TEST(BakeryWithoutChoosing, IsCaughtByRandomSchedules) {
  std::uint64_t caught = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const MachineRun run{.processes = 3, .entries_per_process = 5, .seed = seed};
    if (run_at_random(BakeryWithoutChoosing(3), run).violations > 0) ++caught;
  }
  EXPECT_GT(caught, 100U);
}

}  // namespace
}  // namespace baton::test
