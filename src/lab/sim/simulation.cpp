#include "lab/sim/simulation.h"

#include "lab/sim/election_simulation.h"

#include <algorithm>

namespace baton::sim {

// Generous on purpose: exceeding a bound must mean that something is wrong, for any algorithm in
// the registry, and a stuck run loses little by going on for a while.
MutexOracle::Bounds bounds_of(const Plan& plan, const Info& info) {
  const std::int64_t size = plan.setup.size;
  // A message may queue up behind what its sender sent to all others for two entries.
  const Ticks hop = plan.delay.practical_limit() + 4 * size * plan.send_cost;
  MutexOracle::Bounds bounds{plan.progress_bound, plan.starvation_bound};
  if (bounds.progress.value == 0) {
    // A token that wanders at random over a ring takes up to N²/4 hops on average; with probability
    // 10⁻¹² it takes 24 times as long. The bound stops growing where that is longer than anyone
    // would wait.
    const std::int64_t small = std::min<std::int64_t>(size, 1000);
    // Protocols pause in message times, however short a hop is.
    const Ticks longest = std::max(hop, message_time);
    bounds.progress = (200 + 20 * size + 6 * small * small) * longest + 10 * plan.critical_section;
    // Layers agree on views and repeat messages at a pace of their own, and more slowly when the
    // network loses much.
    if (info.survives_crashes) bounds.progress = 20 * bounds.progress;
  }
  if (bounds.starvation == 0) {
    // While one message is under way, so many others can enter and leave. And every process may
    // pass a request on before it reaches one that could let it go first.
    const std::int64_t meanwhile =
        hop.value / std::max<std::int64_t>(1, plan.critical_section.value);
    bounds.starvation = static_cast<std::uint64_t>(100 + 20 * size + (4 + 2 * size) * meanwhile);
  }
  return bounds;
}

Ticks settling_time(const Plan& plan) {
  const std::int64_t size = plan.setup.size;
  const Ticks round = (100 + 10 * size) * std::max(plan.delay.practical_limit(), message_time);
  // A layer repeats lost messages, again and again if necessary.
  return plan.faults.loss > 0 ? round + 2000 * message_time : round;
}

}  // namespace baton::sim
