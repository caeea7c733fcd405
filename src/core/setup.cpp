#include "core/setup.h"

namespace baton {

std::int64_t Setup::value(const Parameter& parameter) const {
  for (const Chosen& one : chosen) {
    if (one.parameter == &parameter) return one.value;
  }
  return parameter.usual(size);
}

bool Setup::has_chosen(const Parameter& parameter) const {
  for (const Chosen& one : chosen) {
    if (one.parameter == &parameter) return true;
  }
  return false;
}

void Setup::choose(const Parameter& parameter, std::int64_t value) {
  for (Chosen& one : chosen) {
    if (one.parameter == &parameter) {
      one.value = value;
      return;
    }
  }
  chosen.push_back({&parameter, value});
}

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
  return setup;
}

}  // namespace baton
