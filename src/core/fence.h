// Epochs and fencing tokens. With them a resource tells the latest holder of a lock from a process
// that wrongly believes that it still holds the lock.
#pragma once

#include <compare>
#include <cstdint>

#include "core/ids.h"

namespace baton {

// Counts the lives of one process: it is one higher after every restart.
using Incarnation = Strong<struct IncarnationTag, std::uint64_t>;
using EpochNumber = Strong<struct EpochTag, std::uint64_t>;

constexpr Incarnation next(Incarnation incarnation) { return {incarnation.value + 1}; }

// Names one view of a group. No two views have the same epoch: a process proposes each number once
// in a life, and its lives differ.
struct Epoch {
  EpochNumber number;
  NodeId proposer;
  Incarnation incarnation;  // of the proposer

  friend constexpr auto operator<=>(const Epoch&, const Epoch&) = default;
};

// The token that a group gives out with a lock. A later grant has a larger token, for ever. A
// resource that refuses every token smaller than the largest it has seen is safe from outdated
// holders.
struct FencingToken {
  Epoch epoch;
  std::uint64_t count = 0;

  friend constexpr auto operator<=>(const FencingToken&, const FencingToken&) = default;
};

}  // namespace baton
