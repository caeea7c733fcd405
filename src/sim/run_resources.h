// Runs a mutual-exclusion algorithm with several resources in the simulator.
#pragma once

#include "resource/multi_lock.h"
#include "sim/catalog.h"
#include "sim/resource_simulation.h"

namespace baton::sim {

// Null for what is no mutual-exclusion algorithm.
template <class P>
constexpr Run resource_runner() {
  if constexpr (MutexProtocol<P>) {
    return [](const Plan& plan, Trace* trace) {
      if (plan.setup.acquisition == Acquisition::coordinator)
        return run_all_or_nothing(plan, trace);
      return ResourceSimulation<MultiLock<P>>(plan, trace).run();
    };
  } else {
    return nullptr;
  }
}

}  // namespace baton::sim
