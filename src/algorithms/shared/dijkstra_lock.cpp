#include "algorithms/shared/dijkstra_lock.h"

#include <thread>

namespace baton {

bool DijkstraLock::turn_is_mine(NodeId self) const {
  return turn_.k.load(std::memory_order_acquire) == self.value;
}

bool DijkstraLock::take_turn_if_free(NodeId self) {
  const std::uint32_t whose = turn_.k.load(std::memory_order_acquire);
  if (!registers_[whose].b.load(std::memory_order_acquire)) return false;
  turn_.k.store(self.value, std::memory_order_release);
  return true;
}

bool DijkstraLock::claim(NodeId self) {
  registers_[self.value].c.store(false, std::memory_order_seq_cst);
  for (std::uint32_t j = 0; j < registers_.size(); ++j) {
    if (j != self.value && !registers_[j].c.load(std::memory_order_seq_cst)) return false;
  }
  return true;
}

void DijkstraLock::enter(NodeId self) {
  Registers& mine = registers_[self.value];
  mine.b.store(false, std::memory_order_release);
  while (true) {
    if (turn_is_mine(self)) {
      if (claim(self)) return;
    } else {
      mine.c.store(true, std::memory_order_release);
      if (take_turn_if_free(self)) continue;
    }
    std::this_thread::yield();
  }
}

bool DijkstraLock::try_enter(NodeId self) {
  registers_[self.value].b.store(false, std::memory_order_release);
  if ((turn_is_mine(self) || take_turn_if_free(self)) && claim(self)) return true;
  leave(self);
  return false;
}

void DijkstraLock::leave(NodeId self) {
  Registers& mine = registers_[self.value];
  mine.c.store(true, std::memory_order_release);
  mine.b.store(true, std::memory_order_release);
}

}  // namespace baton
