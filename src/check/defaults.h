// The instances that are checked where nothing else is asked for: as weak a world as the algorithm
// says that it can take, and as small as can be searched in minutes.
#pragma once

#include <concepts>

#include "check/bounds.h"
#include "check/group_model.h"
#include "core/protocol.h"
#include "layer/layers.h"
#include "observe/protocol.h"

namespace baton::check {

// What P says about itself that bounds depend on.
struct Nature {
  Kind kind{};
  bool rewritable =
      false;              // numbers have a canonical form, so that any number of requests is finite
  bool piles_up = false;  // a slow process may find any number of messages
  unsigned gap = 2;       // of numbers: differences up to this matter
};

template <class P>
Nature nature_of() {
  Nature nature{.rewritable = detail::Resumable<P>};
  nature.kind = ElectionProtocol<P>      ? Kind::election
                : ObservationProtocol<P> ? Kind::observation
                                         : Kind::mutual_exclusion;
  if constexpr (requires { P::piles_up; }) nature.piles_up = P::piles_up;
  if constexpr (requires { P::number_gap; }) nature.gap = P::number_gap;
  return nature;
}

// The default group, with short leases and little work.
Setup small_setup(std::uint32_t size);

Bounds default_bounds(const Info& info, const Nature& nature, Layers layers, const Setup& setup);

// What a wrong variant is to be caught at: the promise that it breaks.
Promises default_demands(const Info& info);

}  // namespace baton::check
