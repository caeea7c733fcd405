// Runs a protocol of any kind in the simulator.
#pragma once

#include "lab/sim/election_simulation.h"
#include "lab/sim/observation_simulation.h"
#include "lab/sim/simulation.h"

namespace baton::sim {

template <class P>
Report run(const Plan& plan, Trace* trace) {
  if constexpr (ElectionProtocol<P>) {
    return ElectionSimulation<P>(plan, trace).run();
  } else if constexpr (ObservationProtocol<P>) {
    return ObservationSimulation<P>(plan, trace).run();
  } else {
    return Simulation<P>(plan, trace).run();
  }
}

}  // namespace baton::sim
