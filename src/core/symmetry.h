// How far a protocol treats all processes alike. A host that explores all states of a group may
// then treat two states as one if they differ only in the processes' names.
#pragma once

#include <cstdint>

namespace baton {

enum class Symmetry : std::uint8_t {
  everyone,         // all processes
  but_coordinator,  // all processes except Setup::coordinator
  along_the_ring,   // rotations of the ring
  along_the_tree,   // as far as Setup::tree looks alike
  among_voters      // as far as Setup::voting looks alike
};

}  // namespace baton
