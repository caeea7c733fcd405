// Lamport's bakery as a lock for threads.
//
// L. Lamport, "A new solution of Dijkstra's concurrent programming problem", Communications of the
// ACM 17(8), 1974.
//
// Idea: a thread takes a ticket larger than all it sees, then waits until every other thread has
// either no ticket or a larger one. A thread that is just taking one says so (`choosing`), and the
// others wait for it. The lock needs only loads and stores, and each register has a single writer.
//
// Assumes: at most N threads, each with a Participant of its own.
// Promises: safety, freedom from deadlock and starvation; first come, first served: if a thread has
// its ticket before another starts to look for one, it goes first.
// Costs: 4 stores and 3(N−1) loads without contention; O(N) memory; a waiter spins (and yields).
//
// Memory orders. The paper reasons about interleavings, in which a store is there for all later
// loads. That matters where each of two threads stores a register and then loads the other's:
//   i: choosing[i] := true, then loads num[j]        j: num[j] := ticket, then loads choosing[i]
// If j finds choosing[i] false because i has not begun, i must find j's ticket: these stores and
// loads are sequentially consistent. The two other stores, choosing[i] := false and num[i] := 0,
// only let others go on, and their delay does no harm. They are release, so that who sees
// choosing[i] false again sees the ticket stored before it, and who sees the ticket gone sees all
// that was done inside. Loads of num while waiting are acquire: what was loaded before them, a
// ticket or choosing[i] false, already rules out any older value that could mislead.
//
// Differences from the paper: registers are atomic, since C++ leaves no meaning to a race on
// others. Tickets have 64 bits and go back to 1 whenever the bakery is empty; they do not run out.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "algorithms/shared/participant.h"
#include "core/ids.h"

namespace baton {

class BakeryLock {
 public:
  using Participant = baton::Participant<BakeryLock>;

  explicit BakeryLock(std::uint32_t threads) : places_(threads), registers_(threads) {}

 private:
  friend Participant;

  struct alignas(register_spacing) Registers {
    std::atomic<bool> choosing = false;
    std::atomic<std::uint64_t> num = 0;
  };

  void enter(NodeId self);
  // Takes a ticket, looks once at each other thread, and gives the ticket back if it would have to
  // wait for any of them. Never waits. If several threads try at the same time, all may fail.
  // Threads that try over and over can hold up waiting threads, which must find them not choosing.
  bool try_enter(NodeId self);
  void leave(NodeId self);

  void pass_doorway(NodeId self);
  bool goes_first(std::uint32_t other, NodeId self) const;

  Places places_;
  std::vector<Registers> registers_;
};

}  // namespace baton
