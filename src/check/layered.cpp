#include "check/layered.h"

#include "check/check_group.h"
#include "check/defaults.h"
#include "layer/with_layers.h"

namespace baton::check {

Bounds bounds_on(Layers layers, const AnyClass& algorithm, const Setup& setup) {
  const Info& info = layered_info(layers, algorithm.info());
  return with_protocol(layers, algorithm, [&]<class P>() {
    return default_bounds(info, nature_of<P>(), layers, setup);
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
