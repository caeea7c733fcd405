// The results of one simulated run.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.h"
#include "core/info.h"
#include "lab/sim/superpeer_measures.h"

namespace baton::sim {

// Mean, extremes and number of samples of a duration.
struct Summary {
  std::uint64_t count = 0;
  double sum = 0;
  double min = 0;
  double max = 0;

  void add(double value) {
    min = count == 0 || value < min ? value : min;
    max = count == 0 || value > max ? value : max;
    sum += value;
    ++count;
  }
  double mean() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
};

struct MessageType {
  std::string_view name;
  std::uint64_t count = 0;
  std::uint64_t returned = 0;  // of these, messages that came back because the receiver was down
};

// The cost of one turn of the workload `turns`.
struct Turn {
  NodeId node;
  std::uint64_t messages_enter = 0;
  std::uint64_t messages_exit = 0;
  std::uint64_t transmissions = 0;
  double waited = 0;  // message times from request to entry
};

// The messages after one entry, up to and including a later one. Unlike totals, this leaves out the
// beginning and the end of a run.
struct Steady {
  std::uint64_t entries = 0;
  std::uint64_t messages_enter = 0;
  std::uint64_t messages_exit = 0;
};

struct Violation {
  Promise promise{};
  Ticks at{};
  std::string what;  // a sentence that names the processes
};

// The findings of a completed snapshot.
struct CutFound {
  NodeId initiator;
  SequenceNumber number;
  std::uint64_t messages = 0;  // under way
  bool consistent = true;
  bool counts = false;  // true: the numbers below were counted
  std::uint64_t in_states = 0;
  std::uint64_t in_channels = 0;
  std::uint64_t in_all = 0;  // the real amount

  bool is_conserved() const { return in_states + in_channels == in_all; }
};

struct Announcement {
  NodeId node;
  Ticks at;
};

struct Report {
  std::uint64_t requests = 0;
  std::uint64_t entries = 0;
  std::uint64_t messages_enter = 0;
  std::uint64_t messages_exit = 0;
  std::uint64_t upkeep = 0;         // sent by layers on their own account
  std::uint64_t transmissions = 0;  // messages if the network could multicast
  std::uint64_t bytes = 0;
  std::uint64_t deliveries = 0;
  std::uint64_t lost = 0;
  std::uint64_t returned = 0;  // of these, those that came back to their sender
  std::uint64_t duplicated = 0;
  std::uint64_t events = 0;
  std::vector<MessageType> by_type;
  Ticks ended{};

  Summary client_delay;             // request to entry while nobody else was inside or waiting
  Summary sync_delay;               // exit to next entry while a process waited
  Summary waiting;                  // request to entry, all of them
  std::uint64_t most_bypassed = 0;  // entries of others during the unluckiest wait
  std::uint64_t inversions = 0;     // entries before a request that happened earlier
  bool order_judged = false;        // the group was small enough to tell
  std::uint64_t busiest_load = 0;   // messages sent and received by the busiest process
  NodeId busiest = nobody;
  double mean_load = 0;
  std::uint64_t processes_touched = 0;  // those whose state was ever needed

  // Message times without an entry or exit, up to an entry.
  double longest_gap = 0;

  // Of protocols that survive crashes.
  std::uint64_t losses = 0;    // times that the lock was taken from a process that was inside
  std::uint64_t zombies = 0;   // entries while a paused process believed that it was inside
  std::uint64_t accesses = 0;  // to the fenced resource
  std::uint64_t refused = 0;   // accesses refused because of an outdated fence
  // The processes that wait at the end cannot reach a majority, and rightly wait.
  bool stalled = false;

  // For elections: the leader in each process's view at the end, nobody if it is down or knows
  // none; `entries` counts how often a process learned of a leader. And the tree, if one was built.
  std::vector<NodeId> leaders;
  std::vector<NodeId> parents;

  // For elections of several: the quality of the set, and of the set at the beginning.
  std::optional<SuperpeerMeasures> superpeers;
  std::optional<SuperpeerMeasures> superpeers_before;
  // For several resources:
  std::uint64_t refusals = 0;     // requests refused because they would close a cycle
  std::uint64_t most_inside = 0;  // processes that held all they wanted at the same time
  // For observers. `entries` counts findings.
  std::vector<CutFound> cuts;
  std::vector<Announcement> announcements;
  // So many of `by_type`, from the first, are the observer's own.
  std::size_t observer_types = 0;

  std::vector<Turn> turns;
  Steady steady;  // from entry number `Workload::count_from` to the last, if that is above 0
  std::vector<Violation> violations;  // the first of each promise, promised or not

  std::uint64_t messages() const { return messages_enter + messages_exit; }
  double per_entry(std::uint64_t count) const {
    return entries == 0 ? 0 : static_cast<double>(count) / static_cast<double>(entries);
  }
  double throughput() const {  // entries per message time
    return ended.value == 0 ? 0 : static_cast<double>(entries) / in_message_times(ended);
  }
  const Violation* violated(Promise promise) const {
    for (const Violation& violation : violations) {
      if (violation.promise == promise) return &violation;
    }
    return nullptr;
  }
  // The first violation of any of these.
  const Violation* broken(Promises promises) const {
    for (const Violation& violation : violations) {
      if (promises.has(violation.promise)) return &violation;
    }
    return nullptr;
  }
};

}  // namespace baton::sim
