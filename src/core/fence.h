// Epochs and fencing tokens: how a resource tells the latest holder of a lock from one that only
// believes it still holds it.
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

// Given out with a lock by a group. A later grant has a larger token, for ever; a resource that
// refuses any token smaller than the largest it has seen is safe from holders that are out of date.
struct FencingToken {
  Epoch epoch;
  std::uint64_t count = 0;

  friend constexpr auto operator<=>(const FencingToken&, const FencingToken&) = default;
};

}  // namespace baton
