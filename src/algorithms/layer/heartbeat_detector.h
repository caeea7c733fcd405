// A failure detector: who has not been heard of for too long is taken for crashed.
//
// T. D. Chandra and S. Toueg, "Unreliable failure detectors for reliable distributed systems",
// Journal of the ACM 43(2), 1996.
//
// Its owner sends a heartbeat to everyone at each tick, says here whom it has heard of, and counts
// time in ticks of its own. Whenever a suspicion proves wrong the patience with that process grows.
// If messages take no longer than some bound from some time on, however late and whatever the
// bound, wrong suspicions therefore end: the detector is eventually perfect (◇P).
//
// With a patience that never grows, processes behind slow links are suspected for ever. As long as
// one process has links that are fast enough the detector is still eventually strong (◇S): who has
// crashed is suspected, and someone alive is not.
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
    std::vector<std::uint32_t> patience;  // ticks of silence that are too many
  };

  HeartbeatDetector(NodeId self, std::uint32_t size, bool learns = true,
                    std::uint32_t patience = first_patience);

  // Someone knows better, or believes so.
  void suspect(NodeId node) {
    if (node != self_) state_.suspected.insert(node);
  }
  // A sign of life, by so many ticks older than news should be. True if this ends a suspicion.
  bool hear(NodeId from, std::uint32_t late = 0);
  // Time passes. Returns whom this makes suspected.
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
