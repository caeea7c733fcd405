#include "algorithms/layer/with_layers.h"
#include "lab/sim/layered.h"
#include "lab/sim/replay_host.h"

namespace baton::sim {

Replayed replay_on(Layers layers, const AnyClass& algorithm, const Setup& setup,
                   const ReplayOptions& options, const Schedule& schedule) {
  Setup with = setup;
  with.protocol = &algorithm;
  return with_protocol(layers, algorithm,
                       [&]<class P>() { return replay<P>(with, options, schedule); });
}

}  // namespace baton::sim
