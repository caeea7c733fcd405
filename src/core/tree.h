// The spanning tree of a group, given by arithmetic on ids, so that a tree of a million processes
// takes no memory. Process 0 is the root.
#pragma once

#include <cstdint>

#include "core/ids.h"

namespace baton {

class Tree {
 public:
  // Every process has up to `arity` children, filled level by level. Arity 1 is a line; an arity
  // of at least N−1 is a star.
  static constexpr Tree with_arity(std::uint32_t arity) { return Tree{arity}; }
  static constexpr Tree star() { return Tree{0xFFFF'FFFF}; }
  static constexpr Tree line() { return Tree{1}; }
  static constexpr Tree binary() { return Tree{2}; }

  constexpr Tree() = default;

  // The parent of any process but the root.
  constexpr NodeId parent(NodeId node) const { return {(node.value - 1) / arity_}; }
  constexpr std::uint32_t depth(NodeId node) const {
    if (arity_ == 1) return node.value;
    std::uint32_t depth = 0;
    for (; node.value != 0; node = parent(node)) ++depth;
    return depth;
  }
  // The neighbour of `from` on the way to `to`, which is another process.
  NodeId step_towards(NodeId from, NodeId to) const;
  std::uint32_t distance(NodeId a, NodeId b) const;

 private:
  explicit constexpr Tree(std::uint32_t arity) : arity_(arity) {}

  std::uint32_t arity_ = 2;
};

}  // namespace baton
