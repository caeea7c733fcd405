// Finds the renamings of processes that a group does not notice.
//
// A protocol that treats all processes alike declares it: `static Symmetry symmetry(const Setup&)`.
// A renaming must keep what the setup tells apart: a coordinator, a ring, a tree, voting sets.
#pragma once

#include <cstdint>
#include <vector>

#include "core/setup.h"
#include "core/symmetry.h"

namespace baton::check {

// Process i becomes renaming[i].
using Renaming = std::vector<std::uint32_t>;

// All such renamings except the identity.
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
