// The instances that are checked by default: the world is as weak as the algorithm says that it can
// take, and small enough to search in minutes.
#pragma once

#include "algorithms/layer/layers.h"
#include "lab/check/bounds.h"
#include "lab/check/traits.h"

namespace baton::check {

// The default group, with short leases and little work.
Setup small_setup(std::uint32_t size);

Bounds default_bounds(const Info& info, const Traits& traits, Layers layers, const Setup& setup);

// The promise that a wrong variant breaks.
Promises default_demands(const Info& info);

}  // namespace baton::check
