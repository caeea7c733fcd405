// Turns a protocol's class into an entry of the catalogue.
#pragma once

#include "lab/check/catalog.h"
#include "lab/check/check_group.h"
#include "lab/check/defaults.h"

namespace baton::check {

template <class P>
Checkable checkable() {
  return {&P::info,
          [](const Setup& setup) {
            return default_bounds(P::info(), traits_of<P>(), Layers::none, setup);
          },
          [](const Bounds& bounds, const CheckOptions& options) {
            return check_group(class_of<P>(), bounds, options);
          }};
}

}  // namespace baton::check
