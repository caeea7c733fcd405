#include "sim/simulation.h"

#include <algorithm>

namespace baton::sim {

// Generous on purpose: a bound that is passed must mean that something is wrong, for any algorithm
// in the registry, and a run that is stuck loses little by going on for a while.
MutexOracle::Bounds bounds_of(const Plan& plan) {
  const std::int64_t size = plan.setup.size;
  const Ticks longest = plan.delay.practical_limit();
  MutexOracle::Bounds bounds{plan.progress_bound, plan.starvation_bound};
  if (bounds.progress.value == 0) {
    bounds.progress = (200 + 20 * size) * longest + 10 * plan.critical_section;
  }
  if (bounds.starvation == 0) {
    // While one message is under way, this many others can go in and out.
    const std::int64_t meanwhile =
        longest.value / std::max<std::int64_t>(1, plan.critical_section.value);
    bounds.starvation = static_cast<std::uint64_t>(100 + 20 * size + 4 * meanwhile);
  }
  return bounds;
}

}  // namespace baton::sim
