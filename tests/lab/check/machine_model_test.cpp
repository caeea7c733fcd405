#include "lab/check/machine_model.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/shared/bakery_machine.h"
#include "algorithms/shared/bakery_machine_wrong.h"
#include "algorithms/shared/checked_machine.h"
#include "algorithms/shared/dijkstra_machine.h"
#include "lab/check/explore.h"

namespace baton::check {
namespace {

using test::CheckedMachine;
using Bakery = MachineModel<BakeryMachine>;
using Wrong = MachineModel<BakeryWithoutChoosing>;
using Dijkstra = MachineModel<DijkstraMachine>;
using Registers = BakeryMachine::Registers;

static_assert(Model<Bakery>);
static_assert(Model<Wrong>);
static_assert(Model<Dijkstra>);

struct Numbers {
  std::uint64_t distinct;
  std::uint64_t generated;
  std::uint32_t depth;

  friend bool operator==(const Numbers&, const Numbers&) = default;
  friend void PrintTo(const Numbers& numbers, std::ostream* to) {
    *to << numbers.distinct << " distinct, " << numbers.generated << " generated, depth "
        << numbers.depth;
  }
};

// The numbers of a machine that does all that it promises.
template <class M>
Numbers numbers_of(const MachineModel<M>& model) {
  const auto found = explore(model);
  EXPECT_TRUE(found.exhausted);
  EXPECT_EQ(found.violated, 0U);
  EXPECT_EQ(found.shown, PropertySet{1} << MachineModel<M>::somebody_enters);
  return {found.distinct, found.generated, found.depth};
}

template <class M = BakeryMachine>
MachineModel<M> up_to(std::uint32_t last_ticket, std::uint32_t processes, Registers registers,
                      bool order = true) {
  return MachineModel<M>(M(processes, {.registers = registers, .last_ticket = {last_ticket}}),
                         {.order = order});
}

template <class M = BakeryMachine>
MachineModel<M> canonical(std::uint32_t gap, std::uint32_t processes, Registers registers,
                          bool order = true) {
  return MachineModel<M>(endless_machine<M>(processes, gap, {.registers = registers}),
                         {.order = order, .gap = gap});
}

TEST(MachineModel, SaysWhatIsWatched) {
  const auto names = [](const auto& model) {
    std::string all;
    for (const Property& property : model.properties()) all += property.name + "\n";
    return all;
  };
  EXPECT_EQ(names(Bakery(BakeryMachine(2))),
            "mutual exclusion\n"
            "somebody enters\n"
            "first come, first served\n");
  EXPECT_EQ(names(Bakery(BakeryMachine(2), {.order = false})),
            "mutual exclusion\n"
            "somebody enters\n");
  EXPECT_EQ(names(Dijkstra(DijkstraMachine(2))),
            "mutual exclusion\n"
            "somebody enters\n");
}

TEST(MachineModel, BakeryWithABoundOnTickets) {
  EXPECT_EQ(numbers_of(up_to(6, 2, Registers::atomic)), (Numbers{496, 985, 47}));
  EXPECT_EQ(numbers_of(up_to(6, 2, Registers::safe)), (Numbers{1'959, 4'299, 29}));
  EXPECT_EQ(numbers_of(up_to(6, 3, Registers::atomic)), (Numbers{43'861, 130'853, 98}));
  EXPECT_EQ(numbers_of(up_to(4, 3, Registers::safe)), (Numbers{120'173, 403'358, 47}));
}

TEST(MachineModel, BakeryWhereOrderIsNotWatched) {
  EXPECT_EQ(numbers_of(up_to(6, 2, Registers::atomic, false)), (Numbers{406, 805, 47}));
  EXPECT_EQ(numbers_of(up_to(6, 2, Registers::safe, false)), (Numbers{1'719, 3'739, 29}));
  EXPECT_EQ(numbers_of(up_to(6, 3, Registers::atomic, false)), (Numbers{22'242, 66'098, 98}));
  EXPECT_EQ(numbers_of(up_to(4, 3, Registers::safe, false)), (Numbers{55'786, 189'135, 47}));
}

TEST(MachineModel, BakeryWithTicketsThatNeverRunOut) {
  EXPECT_EQ(numbers_of(canonical(3, 2, Registers::atomic)), (Numbers{284, 569, 33}));
  EXPECT_EQ(numbers_of(canonical(3, 2, Registers::safe)), (Numbers{1'027, 2'297, 29}));
  EXPECT_EQ(numbers_of(canonical(4, 3, Registers::atomic)), (Numbers{38'833, 116'500, 104}));
  EXPECT_EQ(numbers_of(canonical(3, 3, Registers::safe)), (Numbers{273'426, 1'023'991, 52}));
}

TEST(MachineModel, DijkstraHasNoNumbersThatGrow) {
  EXPECT_EQ(numbers_of(Dijkstra(DijkstraMachine(2))), (Numbers{182, 365, 30}));
  EXPECT_EQ(numbers_of(Dijkstra(DijkstraMachine(3))), (Numbers{5'357, 16'072, 43}));
}

TEST(MachineModel, WhatLiesBeyondTheBoundIsLeftOut) {
  const BakeryMachine machine(2, {.registers = Registers::atomic});
  std::uint64_t before = 0;
  for (const std::uint32_t most : {1U, 2U, 5U, 20U}) {
    const Bakery model(machine, {.most_tickets = most});
    EXPECT_GT(numbers_of(model).distinct, before);
    before = numbers_of(model).distinct;
  }
}

struct Caught {
  Registers registers;
  std::uint32_t processes;
  std::size_t steps;
};

TEST(MachineModel, WithoutChoosingTwoAreInsideWhetherTicketsEndOrNot) {
  for (const Caught& one : {Caught{Registers::atomic, 2, 8}, Caught{Registers::safe, 2, 10},
                            Caught{Registers::atomic, 3, 12}, Caught{Registers::safe, 3, 14}}) {
    const BakeryWithoutChoosing bounded(one.processes,
                                        {.registers = one.registers, .last_ticket = {3}});
    const auto endless = endless_machine<BakeryWithoutChoosing>(one.processes, one.processes,
                                                                {.registers = one.registers});
    const CheckedMachine<BakeryWithoutChoosing> checked(bounded);
    const CheckedMachine<BakeryWithoutChoosing> canonical(endless, {.gap = one.processes});
    for (const auto* found : {&checked, &canonical}) {
      EXPECT_EQ(found->explorer().violated(), PropertySet{1} << Wrong::mutual_exclusion);
      EXPECT_EQ(found->run_to_violation(Wrong::mutual_exclusion).size(), one.steps);
    }
    // What the canonical form has found is played on a machine whose tickets stay what they are.
    BakeryWithoutChoosing machine = bounded;
    for (const auto& step : canonical.run_to_violation(Wrong::mutual_exclusion)) {
      machine.step(NodeId{step.process}, step.choice);
    }
    std::uint32_t inside = 0;
    for (std::uint32_t i = 0; i < machine.size(); ++i) {
      if (machine.section({i}) == Section::inside) ++inside;
    }
    EXPECT_EQ(inside, 2U);
  }
}

// Dijkstra's machine, said to serve in the order of arrival.
struct Boastful : DijkstraMachine {
  using DijkstraMachine::DijkstraMachine;

  static const Info& info() {
    static const Info info = [] {
      Info boast = DijkstraMachine::info();
      boast.promises.add(Promise::order);
      return boast;
    }();
    return info;
  }
};

TEST(MachineModel, AnEntryBeforeOneThatCameFirstIsAViolation) {
  const CheckedMachine<Boastful> checked(Boastful(2));
  EXPECT_EQ(checked.explorer().violated(), PropertySet{1} << Dijkstra::order);
  EXPECT_EQ(checked.told(checked.run_to_violation(Dijkstra::order)),
            "process 1 b[1] := false\n"
            "process 0 b[0] := false\n"
            "process 0 reads k\n"
            "process 0 c[0] := false\n"
            "process 0 reads c[1], and enters\n");
}

// Goes through all states of the bakery with tickets up to `most`, together with its canonical form
// under the same schedule. In how many pairs of states is the order of tickets not the same, or
// anything else?
std::uint64_t differences(std::uint32_t processes, std::uint32_t most, std::uint32_t gap) {
  const BakeryMachine machine(processes,
                              {.registers = Registers::atomic, .last_ticket = {most + 2}});
  const Bakery plain(machine, {.order = false, .most_tickets = most});
  const Bakery closed = canonical(gap, processes, Registers::atomic, false);
  const Bakery order_only(machine, {.order = false, .gap = 1});
  const Bakery::Worker with_plain(plain);
  const Bakery::Worker with_closed(closed);
  const Bakery::Worker with_order(order_only);

  using Pair = std::pair<Bakery::State, Bakery::State>;
  const auto ranks = [&](Bakery::State state) {
    with_order.close_up(state.machine);
    return reflect::encoded(state.machine);
  };
  const auto next_of = [](const Bakery::Worker& worker, const Bakery::State& state) {
    std::vector<Bakery::State> all;
    worker.successors(state,
                      [&](const Bakery::Step&, const Bakery::State& next) { all.push_back(next); });
    return all;
  };
  std::set<std::string> seen;
  std::deque<Pair> ahead;
  std::uint64_t different = 0;
  const auto meet = [&](const Bakery::State& a, const Bakery::State& b) {
    if (!with_plain.within(a)) return;
    if (!seen.insert(reflect::encoded(a.machine) + reflect::encoded(b.machine)).second) return;
    if (ranks(a) == ranks(b)) {
      ahead.emplace_back(a, b);
    } else {
      ++different;
    }
  };
  with_plain.initial([&](const Bakery::State& first) { meet(first, first); });
  for (; !ahead.empty(); ahead.pop_front()) {
    // One step of each process, since registers are atomic and nobody is shut out.
    const auto [a, b] = ahead.front();
    const auto after_a = next_of(with_plain, a);
    const auto after_b = next_of(with_closed, b);
    EXPECT_EQ(after_a.size(), processes);
    EXPECT_EQ(after_b.size(), processes);
    for (std::uint32_t i = 0; i < processes; ++i) meet(after_a[i], after_b[i]);
  }
  return different;
}

TEST(MachineModel, OverAtomicRegistersTheCanonicalFormDoesWhatTheBakeryDoes) {
  EXPECT_EQ(differences(2, 30, 3), 0U);
  EXPECT_EQ(differences(3, 10, 4), 0U);
  EXPECT_GT(differences(2, 30, 1), 0U);
  EXPECT_GT(differences(3, 10, 2), 0U);
}

TEST(MachineModel, EveryStateIsWhatItsEncodingSays) {
  const CheckedMachine<BakeryMachine> checked(
      BakeryMachine(2, {.registers = Registers::atomic, .last_ticket = {300}}));
  std::size_t long_ones = 0;
  for (const auto number : checked.numbers()) {
    const auto state = checked.state(number);
    EXPECT_EQ(checked.number_of(state), number);
    if (state.machine.num[0].value > 127) ++long_ones;
  }
  EXPECT_GT(long_ones, 0U);
}

TEST(MachineModel, AProcessIsOwedItsStepsUnlessItIsOutside) {
  const Bakery model = up_to(3, 3, Registers::atomic);
  Bakery::Worker worker(model);
  EXPECT_EQ(worker.fair_kinds(), 3U);
  Bakery::State state;
  worker.initial([&](const Bakery::State& first) { state = first; });
  EXPECT_EQ(worker.pending(state), 0U);

  const auto take = [&](std::uint8_t process, std::uint8_t fair) {
    Bakery::State reached = state;
    bool enters = false;
    worker.successors(state, [&](const Bakery::Step& step, const Bakery::State& next) {
      if (step.process != process) return;
      EXPECT_EQ(step.fair, fair);
      enters = step.enters;
      reached = next;
    });
    state = reached;
    return enters;
  };
  EXPECT_FALSE(take(1, Bakery::unfair));
  EXPECT_EQ(worker.pending(state), 0b010U);
  EXPECT_FALSE(take(2, Bakery::unfair));
  EXPECT_EQ(worker.pending(state), 0b110U);
  // Process 2 has yet to draw, and process 1 waits for it.
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(take(1, 1));
  EXPECT_EQ(worker.pending(state), 0b110U);
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(take(2, 2));
  EXPECT_FALSE(take(1, 1));
  EXPECT_TRUE(take(1, 1));
  EXPECT_EQ(worker.pending(state), 0b100U);
  EXPECT_FALSE(take(1, 1));
  EXPECT_FALSE(take(1, Bakery::unfair));
}

TEST(MachineModel, AStepTellsItsOutcomeWhereItIsOpen) {
  const CheckedMachine<BakeryMachine> checked(BakeryMachine(2, {.last_ticket = {3}}));
  const auto saw_two = checked.find([](const BakeryMachine& machine) {
    return machine.state().processes[1].maximum == Ticket{2};
  });
  ASSERT_TRUE(saw_two);
  EXPECT_EQ(checked.told(checked.run_to(*saw_two)),
            "process 0 choosing[0] := true begins\n"
            "process 0 choosing[0] := true ends\n"
            "process 0 reads num[1]\n"
            "process 0 num[0] := 1 begins\n"
            "process 1 choosing[1] := true begins\n"
            "process 1 choosing[1] := true ends\n"
            "process 1 reads num[0], which is being written: 2\n");
}

TEST(MachineModel, SaysWhatItHasRoomFor) {
  EXPECT_NO_THROW(Bakery(BakeryMachine(6)));
  EXPECT_THROW(Bakery(BakeryMachine(7)), std::length_error);
  EXPECT_NO_THROW(canonical(10, 6, Registers::safe));
  EXPECT_THROW(canonical(11, 6, Registers::safe), std::length_error);
}

}  // namespace
}  // namespace baton::check
