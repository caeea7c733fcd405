// The pairs of processes that are within each other's reach, if not all are: an undirected
// connected graph over the processes of a group.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ids.h"
#include "core/outbox.h"

namespace baton {

class Graph {
 public:
  using Edge = std::pair<NodeId, NodeId>;

  // Edges between processes 0 … size−1; one that is given twice counts once.
  Graph(std::uint32_t size, const std::vector<Edge>& edges);

  std::uint32_t size() const { return static_cast<std::uint32_t>(neighbours_.size()); }
  std::uint64_t edges() const { return edges_; }
  // In ascending order.
  const std::vector<NodeId>& neighbours(NodeId node) const { return neighbours_[node.value]; }

  bool is_connected() const { return unreachable() == nobody; }
  // The smallest process that cannot be reached from process 0; nobody if all can.
  NodeId unreachable() const;

 private:
  std::vector<std::vector<NodeId>> neighbours_;
  std::uint64_t edges_ = 0;
};

std::shared_ptr<const Graph> ring_graph(std::uint32_t size);
// As square as it gets, filled row by row.
std::shared_ptr<const Graph> grid_graph(std::uint32_t size);
std::shared_ptr<const Graph> complete_graph(std::uint32_t size);

constexpr std::uint64_t fewest_edges(std::uint32_t size) { return size - 1; }
constexpr std::uint64_t most_edges(std::uint32_t size) {
  return std::uint64_t{size} * (size - 1) / 2;
}
// A tree that grows by one randomly placed process after the other, and then further edges until
// there are `edges`, which is a number from fewest_edges to most_edges.
std::shared_ptr<const Graph> random_graph(std::uint32_t size, std::uint64_t edges,
                                          Chooser& chooser);

// A graph, or the reason why the text does not give one.
struct ParsedGraph {
  std::shared_ptr<const Graph> graph;
  std::string objection;
};

// Reads "0-1,1-2,0-2".
ParsedGraph parse_graph(std::string_view text, std::uint32_t size);

}  // namespace baton
