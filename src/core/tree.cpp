#include "core/tree.h"

namespace baton {

// In level order a parent's id is always smaller than its child's, so the larger of two different
// nodes is never an ancestor of the other and may step up.
NodeId Tree::step_towards(NodeId from, NodeId to) const {
  if (arity_ == 1) return {to.value > from.value ? from.value + 1 : from.value - 1};
  NodeId below = to;
  while (below.value > from.value) {
    const NodeId above = parent(below);
    if (above == from) return below;
    below = above;
  }
  return parent(from);
}

std::uint32_t Tree::distance(NodeId a, NodeId b) const {
  if (arity_ == 1) return a.value > b.value ? a.value - b.value : b.value - a.value;
  std::uint32_t hops = 0;
  for (; a != b; ++hops) {
    NodeId& lower = a.value > b.value ? a : b;
    lower = parent(lower);
  }
  return hops;
}

}  // namespace baton
