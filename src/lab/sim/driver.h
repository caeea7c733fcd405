// The simulated application: decides which process asks for the critical section, and when.
#pragma once

#include <cstdint>
#include <vector>

#include "core/ids.h"
#include "lab/sim/event_queue.h"
#include "lab/sim/plan.h"
#include "lab/sim/random.h"

namespace baton::sim {

class Driver {
 public:
  Driver(const Plan& plan, EventQueue& queue);

  // Schedules the first requests of the workload.
  void begin();
  // A scheduled request comes due. Returns the process that should ask now.
  NodeId due(NodeId node, std::uint32_t argument, Ticks now);
  // The process is busy: the driver keeps its request until the process is free.
  void postpone(NodeId node);
  // The process is down, so its request lapses.
  void lapse(NodeId node);
  // The process has left the critical section, or has come back to life.
  void is_free(NodeId node, Ticks now);
  // All is quiet: the next process takes its turn, if this workload takes turns. If the protocol
  // never falls silent, a pause of up to `pause` separates the turns.
  bool next_turn(Ticks now, Ticks pause);

  // True if no request is due before the next turn.
  bool is_idle() const { return scheduled_ == 0 && backlogged_ == 0; }

 private:
  void schedule(NodeId node, Ticks at);
  void schedule_arrival(Ticks now);
  bool take_entry();
  NodeId draw();

  const Workload* work_;
  EventQueue* queue_;
  Random random_;
  std::vector<NodeId> requesters_;
  std::vector<std::uint32_t> backlog_;
  std::uint64_t entries_left_;
  std::uint64_t turns_left_ = 0;
  std::uint64_t turn_ = 0;
  std::uint64_t scheduled_ = 0;
  std::uint64_t backlogged_ = 0;
};

}  // namespace baton::sim
