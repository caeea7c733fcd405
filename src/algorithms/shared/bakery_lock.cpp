#include "algorithms/shared/bakery_lock.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace baton {

void BakeryLock::pass_doorway(NodeId self) {
  Registers& mine = registers_[self.value];
  mine.choosing.store(true, std::memory_order_seq_cst);
  std::uint64_t maximum = 0;
  for (const Registers& theirs : registers_) {
    maximum = std::max(maximum, theirs.num.load(std::memory_order_seq_cst));
  }
  mine.num.store(maximum + 1, std::memory_order_seq_cst);
  mine.choosing.store(false, std::memory_order_release);
}

bool BakeryLock::goes_first(std::uint32_t other, NodeId self) const {
  const std::uint64_t theirs = registers_[other].num.load(std::memory_order_acquire);
  const std::uint64_t mine = registers_[self.value].num.load(std::memory_order_relaxed);
  return theirs != 0 && std::pair(theirs, other) < std::pair(mine, self.value);
}

void BakeryLock::enter(NodeId self) {
  pass_doorway(self);
  for (std::uint32_t j = 0; j < registers_.size(); ++j) {
    if (j == self.value) continue;
    while (registers_[j].choosing.load(std::memory_order_seq_cst)) std::this_thread::yield();
    while (goes_first(j, self)) std::this_thread::yield();
  }
}

bool BakeryLock::try_enter(NodeId self) {
  pass_doorway(self);
  for (std::uint32_t j = 0; j < registers_.size(); ++j) {
    if (j == self.value) continue;
    if (registers_[j].choosing.load(std::memory_order_seq_cst) || goes_first(j, self)) {
      leave(self);
      return false;
    }
  }
  return true;
}

void BakeryLock::leave(NodeId self) {
  registers_[self.value].num.store(0, std::memory_order_release);
}

}  // namespace baton
