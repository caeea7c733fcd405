// The bakery without `choosing`, which lets two in.
//
// Between looking at the others' tickets and writing its own, a process has no visible ticket. A
// second process that looked before that write may have taken the same number, found nobody ahead,
// and gone in. If the first has the smaller process number, it goes in as well. `choosing` makes
// others wait for a ticket that is about to appear. Atomic registers do not help.
#pragma once

#include <cstdint>
#include <string>

#include "algorithms/shared/bakery_machine.h"

namespace baton {

class BakeryWithoutChoosing : public BakeryMachine {
 public:
  using BakeryMachine::BakeryMachine;

  void step(NodeId process, std::uint32_t choice = 0);
  std::string next_step(NodeId process) const;

  static const Info& info();
};

}  // namespace baton
