// Sets of small numbers, and how they are moved closer together: the canonical form of logical
// clocks and sequence numbers.
#pragma once

#include <cstdint>

#include "core/ids.h"

namespace baton::check {

// Numbers are compared only within one domain: logical clocks with each other, and, where a
// protocol says so, the sequence numbers of one process with each other.
using Domain = std::uint32_t;
inline constexpr Domain clocks{0};
constexpr Domain numbers_of(NodeId node) { return node.value + 1; }

// All numbers that occur in one domain, as bits. Numbers of 63 and more have no bit of their own;
// a canonical form has none.
using NumberSet = std::uint64_t;
inline constexpr std::uint64_t largest_number = 63;

// Whether two neighbours among the numbers, zero included, are further apart than `gap`.
bool has_gaps(NumberSet numbers, unsigned gap);
// The same number of numbers, each as close to the one below it as it was, but not further than
// `gap`. The i-th smallest of the old becomes the i-th smallest of the new.
NumberSet closed_up(NumberSet numbers, unsigned gap);
// What `number`, of the set `from`, becomes in `to`.
std::uint64_t moved(std::uint64_t number, NumberSet from, NumberSet to);

}  // namespace baton::check
