// What protocols for several resources have in common: an application asks for some of them at
// once, is told when it holds them all, and later lets go of all.
#pragma once

#include <concepts>
#include <variant>
#include <vector>

#include "algorithms/resource/resource_id.h"
#include "algorithms/resource/wait_for_graph.h"
#include "core/protocol.h"

namespace baton {

// algorithms/resource/multi_lock.h describes how all of them are acquired (Setup::acquisition).

// The events. Only AllHeld is for the application; the others let a host watch and draw.
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
// What it was about to wait for would have closed this cycle. It has let go of everything and will
// try again by itself.
struct Refused {
  ResourceId resource;
  Cycle cycle;
};
using ResourceEvent = std::variant<Waiting, Held, LetGo, AllHeld, Refused>;

// The application calls acquire() with different resources, at least one, in the order in which it
// thinks of them; and release() once it holds them all.
template <class P>
concept ResourceProtocol = Protocol<P> && std::same_as<typename P::Event, ResourceEvent> &&
    requires(P protocol, const std::vector<ResourceId>& wanted, OutboxOf<P>& out) {
  protocol.acquire(wanted, out);
  protocol.release(out);
};

}  // namespace baton
