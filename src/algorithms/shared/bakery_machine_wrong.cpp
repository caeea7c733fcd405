#include "algorithms/shared/bakery_machine_wrong.h"

namespace baton {

void BakeryWithoutChoosing::step(NodeId process, std::uint32_t choice) {
  Process& p = at(process);
  if (p.at == Step::noncritical) {
    begin_looking(process);
    return;
  }
  BakeryMachine::step(process, choice);
  // Skips the steps in which the bakery uses `choosing`.
  if (p.at == Step::lower || p.at == Step::lowering) leave_doorway(process);
  if (p.at == Step::await_choosing) p.at = Step::await_number;
}

std::string BakeryWithoutChoosing::next_step(NodeId process) const {
  return at(process).at == Step::noncritical ? "starts" : BakeryMachine::next_step(process);
}

const Info& BakeryWithoutChoosing::info() {
  static const Info info = [] {
    Info wrong = variant_of(BakeryMachine::info());
    wrong.name = "wrong-bakery-no-choosing";
    wrong.title = "Lamport's bakery without choosing";
    wrong.idea = "take a ticket larger than all you see, and wait for the smaller ones in sight";
    wrong.problem = "two inside";
    wrong.flaws = {{Promise::safety, Assumptions{},
                    "a ticket that is about to be written is not in sight; it may be as small as "
                    "the ticket of a process that is already inside"}};
    wrong.example = "-n 2 --entries 2 --seed 18";
    return wrong;
  }();
  return info;
}

}  // namespace baton
