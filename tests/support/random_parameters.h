// Other than the usual values for an algorithm's parameters, drawn at random.
#pragma once

#include <algorithm>

#include "core/info.h"
#include "lab/sim/random.h"

namespace baton::test {

// Each of them in half of the cases, around its usual value, where the algorithm does not object.
inline void draw_parameters(const Info& info, sim::Random& random, Setup& setup) {
  for (const Parameter* parameter : info.parameters) {
    if (random.chance(0.5)) continue;
    const std::int64_t usual = parameter->usual(setup.size);
    const std::int64_t low = std::max(parameter->least, usual / 2);
    const std::int64_t high = std::min(parameter->most, usual + setup.size);
    Setup changed = setup;
    changed.choose(*parameter, low + static_cast<std::int64_t>(
                                         random.below(static_cast<std::uint64_t>(high - low + 1))));
    if (objection_to_parameters(changed, info).empty()) setup = std::move(changed);
  }
}

}  // namespace baton::test
