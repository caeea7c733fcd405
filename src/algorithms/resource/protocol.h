// The common contract of protocols for several resources: an application asks for some of them at
// once, gets an event when it holds them all, and later releases all.
#pragma once

#include <concepts>
#include <variant>
#include <vector>

#include "algorithms/resource/resource_id.h"
#include "algorithms/resource/wait_for_graph.h"
#include "core/protocol.h"

namespace baton {

// Setup::acquisition says how they acquire resources (algorithms/resource/multi_lock.h).

// The events. AllHeld is for the application; the others let a host watch and draw.
struct Waiting {
  ResourceId resource;
};
struct Held {
  ResourceId resource;
};
struct LetGo {
  ResourceId resource;
};
struct AllHeld {};
// The wait that the process was about to begin would have closed this cycle. The process has
// released everything and will try again by itself.
struct Refused {
  ResourceId resource;
  Cycle cycle;
};
using ResourceEvent = std::variant<Waiting, Held, LetGo, AllHeld, Refused>;

// The application calls acquire() with at least one resource, all different, in the order in which
// it thinks of them; and release() once it holds them all.
template <class P>
concept ResourceProtocol = Protocol<P> && std::same_as<typename P::Event, ResourceEvent> &&
    requires(P protocol, const std::vector<ResourceId>& wanted, OutboxOf<P>& out) {
  protocol.acquire(wanted, out);
  protocol.release(out);
};

}  // namespace baton
