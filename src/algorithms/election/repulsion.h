// Tokens that repel each other in the plane: the force, and the place to which a token goes. In
// whole numbers, so that all machines agree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/ids.h"
#include "core/plane.h"
#include "core/setup.h"

namespace baton {

// The energy of a token at this place among others. A move changes the energy of all tokens
// together by as much as that of the moving token.
std::int64_t repulsion_energy(const Place& place, const std::vector<Place>& others);

// The process to which this token is pushed: its own where the push is too weak to be worth it.
// Never one that has a token.
NodeId pushed_to(const Setup& setup, const std::vector<NodeId>& tokens, std::size_t token);

}  // namespace baton
