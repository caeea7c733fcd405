// Algorithms in the parts of the simulator that do not need their type: on layers, for several
// resources, and in replays. Each part is compiled once, whatever the number of algorithms.
#pragma once

#include "core/any_protocol.h"
#include "lab/sim/catalog.h"
#include "lab/sim/replay.h"

namespace baton::sim {

Report run_on(Layers layers, const AnyClass& algorithm, const Plan& plan, Trace* trace);
Replayed replay_on(Layers layers, const AnyClass& algorithm, const Setup& setup,
                   const ReplayOptions& options, const Schedule& schedule);
// The algorithm, a lock, guards each of several resources.
Report run_resources(const AnyClass& algorithm, const Plan& plan, Trace* trace);

// The same functions with the algorithm bound to them.
template <Layers layers, const AnyClass& (*algorithm)()>
Runnable on() {
  return {[]() -> const Info& { return layered_info(layers, algorithm().info()); },
          [](const Plan& plan, Trace* trace) { return run_on(layers, algorithm(), plan, trace); },
          [](const Setup& setup, const ReplayOptions& options, const Schedule& schedule) {
            return replay_on(layers, algorithm(), setup, options, schedule);
          }};
}

// Null if the algorithm is no lock.
template <const AnyClass& (*algorithm)()>
Run resources_of() {
  if (algorithm().info().kind != Kind::mutual_exclusion) return nullptr;
  return [](const Plan& plan, Trace* trace) { return run_resources(algorithm(), plan, trace); };
}

}  // namespace baton::sim
