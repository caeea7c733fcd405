// The host's duties (core/outbox.h), in their order, for hosts that hold the process themselves.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "core/protocol.h"

namespace baton {

// Carries out the outbox that the last handler of `process` filled. The host provides
//   send(message, sends)   hands over a message; it ignores sends to the process itself
//   arm(timer, after)
//   tell(event)
// and, if it counts them, spare(transmissions) for those that multicast saves. `to_self` is an
// empty buffer; a host that runs many steps keeps it to save allocations.
template <Protocol P, class Host>
void carry_out(NodeId self, P& process, OutboxOf<P>& out, Host&& host,
               std::vector<typename P::Message>&& to_self = {}) {
  for (std::size_t delivered = 0;; ++delivered) {
    if constexpr (requires { host.spare(out.spared_by_multicast()); }) {
      host.spare(out.spared_by_multicast());
    }
    const std::span sends(out.sends());
    for (std::size_t first = 0; first < sends.size();) {
      const typename P::Message& message = out.message(sends[first]);
      std::size_t end = first;
      for (; end < sends.size() && sends[end].message == sends[first].message; ++end) {
        if (sends[end].to == self) to_self.push_back(message);
      }
      host.send(message, sends.subspan(first, end - first));
      first = end;
    }
    for (const auto& timer : out.timers()) host.arm(timer.id, timer.after);
    for (const auto& event : out.events()) host.tell(event);
    out.clear();
    if (delivered == to_self.size()) break;
    // Takes the message out, because receive() may add to `to_self` and thereby move its elements.
    const typename P::Message message = std::move(to_self[delivered]);
    process.receive(self, message, out);
  }
  to_self.clear();
}

}  // namespace baton
