// Algorithms on layers in the checker. The algorithm is chosen at run time, so each combination of
// layers is compiled once, whatever the number of algorithms.
#pragma once

#include "core/any_protocol.h"
#include "lab/check/catalog.h"

namespace baton::check {

Bounds bounds_on(Layers layers, const AnyClass& algorithm, const Setup& setup);
Report check_on(Layers layers, const AnyClass& algorithm, const Bounds& bounds,
                const CheckOptions& options);

template <Layers layers, const AnyClass& (*algorithm)()>
Checkable on() {
  return {[]() -> const Info& { return layered_info(layers, algorithm().info()); },
          [](const Setup& setup) { return bounds_on(layers, algorithm(), setup); },
          [](const Bounds& bounds, const CheckOptions& options) {
            return check_on(layers, algorithm(), bounds, options);
          }};
}

}  // namespace baton::check
