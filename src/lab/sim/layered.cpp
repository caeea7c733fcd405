#include "lab/sim/layered.h"

#include "algorithms/layer/with_layers.h"
#include "lab/sim/run.h"

namespace baton::sim {

Report run_on(Layers layers, const AnyClass& algorithm, const Plan& plan, Trace* trace) {
  Plan with = plan;
  with.setup.protocol = &algorithm;
  return with_protocol(layers, algorithm, [&]<class P>() { return run<P>(with, trace); });
}

}  // namespace baton::sim
