// A failure detector: it suspects a process that has been silent for too long.
//
// T. D. Chandra and S. Toueg, "Unreliable failure detectors for reliable distributed systems",
// Journal of the ACM 43(2), 1996.
//
// At each tick its owner sends a heartbeat to all others. The owner reports here which processes it
// hears, and counts time in its own ticks. When a suspicion proves wrong, the patience with that
// process grows. If from some time on messages take no longer than some bound, wrong suspicions
// therefore end, whatever the bound is: the detector is eventually perfect (◇P).
//
// With a patience that never grows, the detector suspects processes behind slow links for ever. As
// long as one process has fast enough links, the detector is still eventually strong (◇S): it
// suspects every crashed process, and does not suspect some living one.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/ids.h"
#include "core/node_set.h"

namespace baton {

class HeartbeatDetector {
 public:
  static constexpr std::uint32_t first_patience = 4;  // ticks of silence
  static constexpr std::uint32_t most_patience = 64;

  struct State {
    NodeSet suspected;
    std::vector<std::uint32_t> silence;   // ticks since each was heard of
    std::vector<std::uint32_t> patience;  // ticks of silence after which the detector suspects it
  };

  HeartbeatDetector(NodeId self, std::uint32_t size, bool learns = true,
                    std::uint32_t patience = first_patience);

  // For an owner that knows better, or believes so.
  void suspect(NodeId node) {
    if (node != self_) state_.suspected.insert(node);
  }
  // Reports a sign of life, so many ticks older than news should be. True if this ends a suspicion.
  bool hear(NodeId from, std::uint32_t late = 0);
  // Counts one tick. Returns the processes that the detector now begins to suspect.
  NodeSet tick();

  bool suspects(NodeId node) const { return state_.suspected.contains(node); }
  const NodeSet& suspected() const { return state_.suspected; }
  // The smallest process that is not suspected, which may be the owner.
  NodeId first_trusted() const;

  const State& state() const { return state_; }
  void assume(State state) { state_ = std::move(state); }

 private:
  NodeId self_;
  bool learns_;
  State state_;
};

}  // namespace baton
