// A small instance: the group, how often its processes ask, which faults may happen, and which
// reductions the search uses.
#pragma once

#include <cstdint>

#include "core/info.h"
#include "core/setup.h"

namespace baton::service {
enum class LeaseRule : std::uint8_t;
}

namespace baton::check {

inline constexpr std::uint32_t most_processes = 6;

// How often each fault may happen, in all.
struct Budgets {
  std::uint32_t lose = 0;
  std::uint32_t duplicate = 0;
  std::uint32_t crash = 0;
  std::uint32_t quit = 0;  // processes that leave of their own accord, and may tell the others
  std::uint32_t recover = 0;
  std::uint32_t suspect = 0;  // wrong suspicions
  std::uint32_t delay = 0;  // where time counts: messages that take longer than any message should
  std::uint32_t pause = 0;  // processes that do nothing for a while, without knowing
  std::uint32_t drift = 0;  // units of time that one clock misses, or counts twice
  std::uint32_t cut = 0;    // connections that break; each returns at any time
  std::uint32_t takeover = 0;  // changes of leader, which are not faults
  std::uint32_t faults = 0;    // limit on all faults together; 0: no limit

  friend bool operator==(const Budgets&, const Budgets&) = default;
};

// When timers expire. Without time: at any moment. With time: it passes in units, for all processes
// alike, and every timer that is due expires before the next unit.
struct Time {
  bool counts = false;
  Ticks unit = message_time;
  std::uint32_t delay = 0;  // no message stays under way for more units than this
  std::uint32_t limit = 0;  // the run ends after so many units; 0: never
  // Due timers, and messages that are sent again and again whatever happens (heartbeats), come
  // before all other steps and in one fixed order. Delayed messages are excepted.
  bool prompt = false;
};

struct Reductions {
  // Merges states whose clocks and numbers have the same order and small gaps.
  bool canonical = true;
  bool symmetry = true;       // merges states that differ only in the processes' names
  bool partial_order = true;  // explores one order of independent steps instead of all
};

struct Bounds {
  Setup setup = {};
  std::uint32_t requests = 0;    // of each process; 0: any number
  std::uint32_t requesters = 0;  // only the first so many processes ask; 0: all
  NodeId inside = nobody;        // holds the lock from the beginning
  bool fifo = true;
  // Messages on one channel; the search leaves out runs with more. 0: any number.
  std::uint32_t under_way = 0;
  bool order = false;  // watches order by happened-before, which takes more states
  Budgets budgets = {};
  Time time = {};
  Reductions reductions = {};
  // Machines over shared memory.
  // True: atomic registers; false: safe registers, where a read during a write finds any value.
  bool atomic = false;
  std::uint32_t tickets = 6;  // the search leaves out runs in which the bakery gives out more
  // For the canonical form: larger differences between neighbouring numbers shrink to this.
  unsigned gap = 2;
  // The rule that the lease protocol of the service is to do without.
  service::LeaseRule lease_rule{};

  bool asks(NodeId node) const { return requesters == 0 || node.value < requesters; }
};

}  // namespace baton::check
