#include "core/graph.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

namespace baton {

namespace {

std::optional<NodeId> process_in(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return NodeId{value};
}

ParsedGraph refused(std::string why) { return {nullptr, std::move(why)}; }

std::uint64_t rounded_up_root(std::uint32_t number) {
  std::uint64_t root = 1;
  while (root * root < number) ++root;
  return root;
}

}  // namespace

Graph::Graph(std::uint32_t size, const std::vector<Edge>& edges) : neighbours_(size) {
  for (const auto& [a, b] : edges) {
    neighbours_[a.value].push_back(b);
    neighbours_[b.value].push_back(a);
  }
  std::uint64_t ends = 0;
  for (std::vector<NodeId>& near : neighbours_) {
    std::sort(near.begin(), near.end());
    near.erase(std::unique(near.begin(), near.end()), near.end());
    ends += near.size();
  }
  edges_ = ends / 2;
}

NodeId Graph::unreachable() const {
  std::vector<bool> reached(neighbours_.size());
  std::vector<NodeId> frontier{{0}};
  reached[0] = true;
  while (!frontier.empty()) {
    const NodeId node = frontier.back();
    frontier.pop_back();
    for (const NodeId next : neighbours(node)) {
      if (reached[next.value]) continue;
      reached[next.value] = true;
      frontier.push_back(next);
    }
  }
  const auto missing = std::find(reached.begin(), reached.end(), false);
  if (missing == reached.end()) return nobody;
  return {static_cast<std::uint32_t>(missing - reached.begin())};
}

std::shared_ptr<const Graph> ring_graph(std::uint32_t size) {
  std::vector<Graph::Edge> edges;
  for (std::uint32_t i = 0; i + 1 < size; ++i) edges.push_back({{i}, {i + 1}});
  if (size > 2) edges.push_back({{0}, {size - 1}});
  return std::make_shared<const Graph>(size, edges);
}

std::shared_ptr<const Graph> grid_graph(std::uint32_t size) {
  const auto width = static_cast<std::uint32_t>(rounded_up_root(size));
  std::vector<Graph::Edge> edges;
  for (std::uint32_t i = 0; i < size; ++i) {
    if ((i + 1) % width != 0 && i + 1 < size) edges.push_back({{i}, {i + 1}});
    if (i + width < size) edges.push_back({{i}, {i + width}});
  }
  return std::make_shared<const Graph>(size, edges);
}

std::shared_ptr<const Graph> complete_graph(std::uint32_t size) {
  std::vector<Graph::Edge> edges;
  for (std::uint32_t i = 0; i < size; ++i) {
    for (std::uint32_t j = i + 1; j < size; ++j) edges.push_back({{i}, {j}});
  }
  return std::make_shared<const Graph>(size, edges);
}

std::shared_ptr<const Graph> random_graph(std::uint32_t size, std::uint64_t edges,
                                          Chooser& chooser) {
  std::vector<NodeId> order;
  for (std::uint32_t i = 0; i < size; ++i) order.push_back({i});
  for (std::uint32_t i = size; i > 1; --i) std::swap(order[i - 1], order[chooser.choose(i)]);

  std::set<Graph::Edge> chosen;
  for (std::uint32_t i = 1; i < size; ++i) {
    const NodeId earlier = order[chooser.choose(i)];
    chosen.insert(std::minmax(earlier, order[i]));
  }
  // If the graph shall have more than half of all edges, drawing until an edge is new takes long.
  // So the function then draws from a list of the remaining edges.
  std::vector<Graph::Edge> rest;
  if (2 * edges > most_edges(size)) {
    for (std::uint32_t i = 0; i < size; ++i) {
      for (std::uint32_t j = i + 1; j < size; ++j) {
        if (!chosen.contains({{i}, {j}})) rest.push_back({{i}, {j}});
      }
    }
  }
  while (chosen.size() < edges) {
    if (!rest.empty()) {
      std::swap(rest[chooser.choose(static_cast<std::uint32_t>(rest.size()))], rest.back());
      chosen.insert(rest.back());
      rest.pop_back();
      continue;
    }
    const NodeId a{chooser.choose(size)};
    const NodeId b{chooser.choose(size)};
    if (a != b) chosen.insert(std::minmax(a, b));
  }
  return std::make_shared<const Graph>(size,
                                       std::vector<Graph::Edge>(chosen.begin(), chosen.end()));
}

ParsedGraph parse_graph(std::string_view text, std::uint32_t size) {
  std::vector<Graph::Edge> edges;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    const std::string_view typed = text.substr(start, end - start);
    start = end + 1;
    const std::size_t dash = typed.find('-');
    if (dash == typed.npos)
      return refused("'" + std::string(typed) + "' is not an edge such as 0-1");
    const auto a = process_in(typed.substr(0, dash));
    const auto b = process_in(typed.substr(dash + 1));
    if (!a || !b) return refused("'" + std::string(typed) + "' is not an edge such as 0-1");
    for (const NodeId node : {*a, *b}) {
      if (node.value < size) continue;
      return refused("there is no process " + std::to_string(node.value) +
                     "; the processes are 0 to " + std::to_string(size - 1));
    }
    if (*a == *b) {
      return refused("process " + std::to_string(a->value) + " cannot be its own neighbour");
    }
    edges.push_back({*a, *b});
  }
  auto graph = std::make_shared<const Graph>(size, edges);
  if (const NodeId lost = graph->unreachable(); lost != nobody) {
    return refused("the graph is not connected: there is no way from process 0 to process " +
                   std::to_string(lost.value));
  }
  return {std::move(graph), ""};
}

}  // namespace baton
