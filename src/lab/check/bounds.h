// What a small instance is: the group, how often its processes ask, what the world may do to them,
// and which reductions are used.
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
  std::uint32_t quit = 0;  // processes that end of their own accord, and may say so
  std::uint32_t recover = 0;
  std::uint32_t suspect = 0;   // wrongly
  std::uint32_t delay = 0;     // messages that take longer than any should, where time counts
  std::uint32_t pause = 0;     // processes that do nothing for a while, without knowing
  std::uint32_t drift = 0;     // units of time that one clock does not show, or shows twice
  std::uint32_t cut = 0;       // connections that break, and return at any time
  std::uint32_t takeover = 0;  // changes of leader, which are no faults
  std::uint32_t faults = 0;    // of all kinds together; 0: no such limit

  friend bool operator==(const Budgets&, const Budgets&) = default;
};

// When timers run out. Without time: whenever they like. With it, time passes in units, for all
// processes alike; a timer that is due runs out before time passes again.
struct Time {
  bool counts = false;
  Ticks unit = message_time;
  std::uint32_t delay = 0;  // no message stays under way while more units pass
  std::uint32_t limit = 0;  // so many units in all; 0: for ever
  // Timers that are due, and messages that are sent again and again whatever happens, such as
  // heartbeats, come before all else and in one order; but for messages that are delayed.
  bool prompt = false;
};

struct Reductions {
  bool canonical = true;      // of clocks and numbers only order and small differences
  bool symmetry = true;       // groups that differ only in names are one
  bool partial_order = true;  // of steps whose order does not matter, one order
};

struct Bounds {
  Setup setup = {};
  std::uint32_t requests = 0;    // of each process; 0: any number
  std::uint32_t requesters = 0;  // the first so many; 0: all
  NodeId inside = nobody;        // holds the lock from the beginning
  bool fifo = true;
  std::uint32_t under_way = 0;  // on one channel: runs with more are left out; 0: any number
  bool order = false;  // whether order by happened-before is watched, which takes more states
  Budgets budgets = {};
  Time time = {};
  Reductions reductions = {};
  // Machines over shared memory.
  bool atomic = false;        // registers; otherwise safe: a read during a write finds anything
  std::uint32_t tickets = 6;  // runs in which the bakery gives out more are left out
  unsigned gap = 2;  // of the canonical form: numbers further apart than this are moved closer
  service::LeaseRule lease_rule{};  // that the lease protocol of the service is to do without

  bool asks(NodeId node) const { return requesters == 0 || node.value < requesters; }
};

}  // namespace baton::check
