#include "core/setup.h"

namespace baton {

std::vector<NodeId> Setup::neighbours(NodeId node) const {
  if (graph) return graph->neighbours(node);
  std::vector<NodeId> others;
  for (std::uint32_t i = 0; i < size; ++i) {
    if (i != node.value) others.push_back({i});
  }
  return others;
}

Place Setup::place(NodeId node) const {
  if (!places.empty()) return places[node.value];
  const auto width = static_cast<std::uint32_t>(whole_root(std::int64_t{size} - 1) + 1);
  const std::uint32_t cell = static_cast<std::uint32_t>(plane_side) / width;
  return {static_cast<std::int32_t>(cell * (node.value % width) + cell / 2),
          static_cast<std::int32_t>(cell * (node.value / width) + cell / 2)};
}

Setup default_setup(std::uint32_t size) {
  Setup setup;
  setup.size = size;
  setup.tree = Tree::star();
  setup.voting = best_voting_sets(size);
  setup.votes_needed = size / 2 + 1;
  setup.voters_asked = size;
  setup.superpeers = (size + 4) / 5;
  return setup;
}

}  // namespace baton
