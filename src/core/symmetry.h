// How far a protocol treats all processes alike. For hosts that look at all states of a group, two
// that differ only in the processes' names are then one.
#pragma once

#include <cstdint>

namespace baton {

enum class Symmetry : std::uint8_t {
  everyone,         // whatever process, all are alike
  but_coordinator,  // all but Setup::coordinator
  along_the_ring,   // each and its successor, all around
  along_the_tree,   // as far as Setup::tree looks alike
  among_voters      // as far as Setup::voting looks alike
};

}  // namespace baton
