// The instances that are checked where nothing else is asked for: as weak a world as the algorithm
// says that it can take, and as small as can be searched in minutes.
#pragma once

#include "algorithms/layer/layers.h"
#include "lab/check/bounds.h"
#include "lab/check/traits.h"

namespace baton::check {

// The default group, with short leases and little work.
Setup small_setup(std::uint32_t size);

Bounds default_bounds(const Info& info, const Traits& traits, Layers layers, const Setup& setup);

// What a wrong variant is to be caught at: the promise that it breaks.
Promises default_demands(const Info& info);

}  // namespace baton::check
