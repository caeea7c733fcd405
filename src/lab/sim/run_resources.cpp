#include "algorithms/resource/multi_lock.h"
#include "lab/sim/layered.h"
#include "lab/sim/resource_simulation.h"

namespace baton::sim {

Report run_resources(const AnyClass& algorithm, const Plan& plan, Trace* trace) {
  if (plan.setup.acquisition == Acquisition::coordinator) return run_all_or_nothing(plan, trace);
  Plan with = plan;
  with.setup.protocol = &algorithm;
  return ResourceSimulation<MultiLock<AnyLock>>(with, trace).run();
}

}  // namespace baton::sim
