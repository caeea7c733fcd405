// Chooses the type of an algorithm on layers, where the layers are known only at run time.
#pragma once

#include "algorithms/layer/layers.h"
#include "algorithms/layer/reliable.h"
#include "algorithms/layer/resilient.h"
#include "core/any_protocol.h"

namespace baton {

namespace detail {

template <class Any, class Visit>
auto with_layers(Layers layers, Visit visit) {
  switch (layers) {
    case Layers::none:
      break;
    case Layers::reliable:
      return visit.template operator()<Reliable<Any>>();
    case Layers::resilient:
      return visit.template operator()<Resilient<Any>>();
    case Layers::both:
      return visit.template operator()<Resilient<Reliable<Any>>>();
  }
  return visit.template operator()<Any>();
}

}  // namespace detail

// Calls visit.operator()<P>() with the type of the algorithm on these layers. It runs in groups
// whose Setup::protocol is the algorithm.
template <class Visit>
auto with_protocol(Layers layers, const AnyClass& algorithm, Visit visit) {
  return algorithm.info().kind == Kind::election ? detail::with_layers<AnyElection>(layers, visit)
                                                 : detail::with_layers<AnyLock>(layers, visit);
}

}  // namespace baton
