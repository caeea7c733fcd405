// Which renamings of its processes a group does not notice.
//
// A protocol that treats all processes alike says so: `static Symmetry symmetry(const Setup&)`.
// What its setup tells apart (a coordinator, a ring, a tree, voting sets) a renaming must leave as
// it is.
#pragma once

#include <cstdint>
#include <vector>

#include "core/setup.h"
#include "core/symmetry.h"

namespace baton::check {

// Process i becomes renaming[i].
using Renaming = std::vector<std::uint32_t>;

// All but the one that changes nothing.
std::vector<Renaming> symmetries(const Setup& setup, Symmetry symmetry);

template <class P>
std::vector<Renaming> symmetries(const Setup& setup) {
  if constexpr (requires { P::symmetry(setup); }) {
    return symmetries(setup, P::symmetry(setup));
  } else {
    return {};
  }
}

}  // namespace baton::check
