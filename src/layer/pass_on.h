// What a layer does with the outbox of the protocol inside it: everything goes on to the layer's
// own.
#pragma once

#include <cstddef>
#include <variant>
#include <vector>

#include "core/outbox.h"

namespace baton {

// Each message goes on as `wrap(message)` makes it. A message to several stays one, so that it
// still counts as one transmission where the network can multicast.
template <class M, class E, class Out, class Wrap>
void pass_on_messages(NodeId self, const Outbox<M, E>& inner, Out& out, Wrap wrap) {
  const auto& sends = inner.sends();
  for (std::size_t first = 0; first < sends.size();) {
    std::vector<NodeId> receivers;
    std::size_t end = first;
    for (; end < sends.size() && sends[end].message == sends[first].message; ++end) {
      receivers.push_back(sends[end].to);
    }
    out.multicast(self, receivers, wrap(inner.message(sends[first])));
    first = end;
  }
}

template <class M, class E, class Out>
void pass_on_timers(const Outbox<M, E>& inner, Out& out) {
  for (const auto& timer : inner.timers()) out.arm(timer.id, timer.after);
}

// The same alternative in a variant that has more of them.
template <class Wider, class Narrow>
Wider widened(const Narrow& message) {
  return std::visit([](const auto& alternative) { return Wider(alternative); }, message);
}

}  // namespace baton
