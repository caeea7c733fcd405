#include "lab/check/layered.h"

#include "algorithms/layer/with_layers.h"
#include "lab/check/check_group.h"
#include "lab/check/defaults.h"

namespace baton::check {

Bounds bounds_on(Layers layers, const AnyClass& algorithm, const Setup& setup) {
  const Info& info = layered_info(layers, algorithm.info());
  return with_protocol(layers, algorithm, [&]<class P>() {
    return default_bounds(info, traits_of<P>(), layers, setup);
  });
}

Report check_on(Layers layers, const AnyClass& algorithm, const Bounds& bounds,
                const CheckOptions& options) {
  Bounds with = bounds;
  with.setup.protocol = &algorithm;
  return with_protocol(layers, algorithm,
                       [&]<class P>() { return check_group(class_of<P>(), with, options); });
}

}  // namespace baton::check
