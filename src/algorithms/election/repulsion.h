// Tokens that repel each other in the plane: how strongly, and where a token goes. In whole
// numbers, so that all machines agree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/ids.h"
#include "core/plane.h"
#include "core/setup.h"

namespace baton {

// The energy of a token at this place among others. A token that moves changes the energy of all
// together by as much as its own.
std::int64_t repulsion_energy(const Place& place, const std::vector<Place>& others);

// The process to which this token is pushed: its own where the push is too weak to be worth it.
// Never one that has a token.
NodeId pushed_to(const Setup& setup, const std::vector<NodeId>& tokens, std::size_t token);

}  // namespace baton
