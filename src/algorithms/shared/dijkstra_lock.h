// Dijkstra's first solution for N processes, as a lock for threads.
//
// E. W. Dijkstra, "Solution of a problem in concurrent programming control", Communications of the
// ACM 8(9), 1965.
//
// Idea: k names the thread whose turn it is. A thread that wants to enter takes the turn as soon as
// the thread that k names wants nothing (b[k]). With the turn it claims the critical section (c[i]
// false) and enters if no other claims it, else it starts over. The lock needs only loads and
// stores.
//
// Assumes: at most N threads, each with a Participant of its own.
// Promises: safety and freedom from deadlock. A thread can starve: a leaving thread may take the
// turn again before others notice that it was free. For a fair lock see bakery_lock.h.
// Costs: 4 stores and N loads when the turn is one's own already, else 6 and N+3; a waiter spins
// (and yields).
//
// Memory orders. Safety rests on c alone: each stores c[i] := false and then loads every c[j], and
// of two that do so one must see the other's. Those stores and loads are sequentially consistent.
// c[i] := true withdraws a claim, after the critical section or before; it is release, so that who
// sees it sees all that was done inside. b and k only decide who withdraws in favour of whom: late
// news of them costs time and nothing else, so release and acquire are plenty.
//
// Differences from the paper: none but C++.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "algorithms/shared/participant.h"
#include "core/ids.h"

namespace baton {

class DijkstraLock {
 public:
  using Participant = baton::Participant<DijkstraLock>;

  explicit DijkstraLock(std::uint32_t threads) : places_(threads), registers_(threads) {}

 private:
  friend Participant;

  struct alignas(register_spacing) Registers {
    std::atomic<bool> b = true;
    std::atomic<bool> c = true;
  };
  struct alignas(register_spacing) Turn {
    std::atomic<std::uint32_t> k = 0;
  };

  void enter(NodeId self);
  // Takes the turn if it is free, claims once, and withdraws if it is not its turn or another
  // claims too. Never waits. Of several that try at the same time all may fail.
  bool try_enter(NodeId self);
  void leave(NodeId self);

  bool turn_is_mine(NodeId self) const;
  bool take_turn_if_free(NodeId self);
  bool claim(NodeId self);

  Turn turn_;
  Places places_;
  std::vector<Registers> registers_;
};

}  // namespace baton
