// Sets of small numbers, and how to move them closer together: the canonical form of logical clocks
// and sequence numbers (example in group_canonical.cpp).
#pragma once

#include <cstdint>

#include "core/ids.h"

namespace baton::check {

// Numbers are compared only within one domain: logical clocks with each other, and, where a
// protocol says so, the sequence numbers of one process with each other.
using Domain = std::uint32_t;
inline constexpr Domain clocks{0};
constexpr Domain numbers_of(NodeId node) { return node.value + 1; }

// All numbers that occur in one domain, as bits. Numbers of 63 and more share the last bit; the
// canonical form leaves such sets alone.
using NumberSet = std::uint64_t;
inline constexpr std::uint64_t largest_number = 63;

// True if two neighbours among the numbers, zero included, are further apart than `gap`.
bool has_gaps(NumberSet numbers, unsigned gap);
// Keeps the distance of each number from the one below it, but at most `gap`. The i-th smallest of
// the old becomes the i-th smallest of the new.
NumberSet closed_up(NumberSet numbers, unsigned gap);
// The new value of `number`, of the set `from`, after the move to `to`.
std::uint64_t moved(std::uint64_t number, NumberSet from, NumberSet to);

}  // namespace baton::check
