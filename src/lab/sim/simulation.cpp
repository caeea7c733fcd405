#include "lab/sim/simulation.h"

#include "lab/sim/election_simulation.h"

#include <algorithm>

namespace baton::sim {

// Generous on purpose: a bound that is passed must mean that something is wrong, for any algorithm
// in the registry, and a run that is stuck loses little by going on for a while.
MutexOracle::Bounds bounds_of(const Plan& plan, const Info& info) {
  const std::int64_t size = plan.setup.size;
  // A message may queue up behind what its sender sent to all others for two entries.
  const Ticks hop = plan.delay.practical_limit() + 4 * size * plan.send_cost;
  MutexOracle::Bounds bounds{plan.progress_bound, plan.starvation_bound};
  if (bounds.progress.value == 0) {
    // A token that wanders at random over a ring takes up to N²/4 hops on average, and is 24 times
    // as late once in 10¹². Where that is longer than anyone would wait the bound stops growing.
    const std::int64_t small = std::min<std::int64_t>(size, 1000);
    // Protocols pause in message times, however short a hop is.
    const Ticks longest = std::max(hop, message_time);
    bounds.progress = (200 + 20 * size + 6 * small * small) * longest + 10 * plan.critical_section;
    // Views are agreed on and messages repeated at a pace of their own, and more slowly when much
    // is lost.
    if (info.survives_crashes) bounds.progress = 20 * bounds.progress;
  }
  if (bounds.starvation == 0) {
    // While one message is under way, this many others can go in and out; and a request may be
    // passed on by everybody before it reaches one who could let it go first.
    const std::int64_t meanwhile =
        hop.value / std::max<std::int64_t>(1, plan.critical_section.value);
    bounds.starvation = static_cast<std::uint64_t>(100 + 20 * size + (4 + 2 * size) * meanwhile);
  }
  return bounds;
}

Ticks settling_time(const Plan& plan) {
  const std::int64_t size = plan.setup.size;
  const Ticks round = (100 + 10 * size) * std::max(plan.delay.practical_limit(), message_time);
  // What is lost is repeated, again and again if need be.
  return plan.faults.loss > 0 ? round + 2000 * message_time : round;
}

}  // namespace baton::sim
