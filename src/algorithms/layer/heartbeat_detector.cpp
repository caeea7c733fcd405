#include "algorithms/layer/heartbeat_detector.h"

#include <algorithm>

namespace baton {

HeartbeatDetector::HeartbeatDetector(NodeId self, std::uint32_t size, bool learns,
                                     std::uint32_t patience)
    : self_(self), learns_(learns) {
  state_.silence.assign(size, 0);
  state_.patience.assign(size, patience);
}

bool HeartbeatDetector::hear(NodeId from, std::uint32_t late) {
  std::uint32_t& silence = state_.silence[from.value];
  std::uint32_t& patience = state_.patience[from.value];
  silence = std::min(silence, late);
  if (!state_.suspected.contains(from)) return false;
  if (learns_) patience = std::min(patience + patience / 2, most_patience);
  if (silence >= patience) return false;
  state_.suspected.erase(from);
  return true;
}

NodeSet HeartbeatDetector::tick() {
  NodeSet lately;
  for (std::uint32_t i = 0; i < state_.silence.size(); ++i) {
    if (i == self_.value || state_.suspected.contains({i})) continue;
    if (++state_.silence[i] < state_.patience[i]) continue;
    state_.suspected.insert({i});
    lately.insert({i});
  }
  return lately;
}

NodeId HeartbeatDetector::first_trusted() const {
  NodeId node{0};
  while (node != self_ && state_.suspected.contains(node)) ++node.value;
  return node;
}

}  // namespace baton
