// Runs that go on for ever: cycles of a machine's states that a fair scheduler may follow. A
// scheduler is fair if every process that is not outside is given steps again and again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "algorithms/shared/checked_machine.h"
#include "core/node_set.h"

namespace baton::test {

struct Move {
  NodeId process;
  std::uint32_t choice = 0;
};

// All states of a machine, in the order in which they were found, and the steps between them.
template <SharedMachine M>
class Graph {
 public:
  struct Edge {
    Move move;
    std::size_t to = 0;
    bool enters = false;
  };
  struct Node {
    M machine;
    std::vector<Edge> edges;
  };

  explicit Graph(const CheckedMachine<M>& checked) {
    using Checked = CheckedMachine<M>;
    const std::vector<typename Checked::Number> numbers = checked.numbers();
    std::vector<std::size_t> index_of(checked.explorer().store().numbers());
    for (std::size_t i = 0; i < numbers.size(); ++i) index_of[numbers[i]] = i;
    const typename Checked::Model::Worker worker(checked.model());
    for (const auto number : numbers) {
      std::vector<Edge> edges;
      const auto add = [&](const auto& step, const auto& next) {
        const Move move{NodeId{step.process}, step.choice};
        edges.push_back({move, index_of.at(checked.number_of(next)), step.enters});
      };
      worker.successors(checked.state(number), add);
      nodes_.push_back({checked.machine(number), std::move(edges)});
    }
  }

  std::size_t size() const { return nodes_.size(); }
  const Node& operator[](std::size_t index) const { return nodes_[index]; }

 private:
  std::vector<Node> nodes_;
};

inline bool on_its_way(Section section) {
  return section == Section::doorway || section == Section::waiting;
}

// The graph's strongly connected components, by Tarjan's algorithm with a stack of its own, where
// only permitted nodes and edges count.
template <class M>
class Components {
 public:
  using Node = typename Graph<M>::Node;
  using Edge = typename Graph<M>::Edge;
  using PermitsNode = std::function<bool(const Node&)>;
  using PermitsEdge = std::function<bool(const Edge&)>;

  Components(const Graph<M>& graph, PermitsNode permits_node, PermitsEdge permits_edge)
      : graph_(graph),
        permits_node_(std::move(permits_node)),
        permits_edge_(std::move(permits_edge)),
        order_(graph.size(), unseen),
        low_(graph.size()),
        component_of_(graph.size(), unseen) {
    for (std::size_t root = 0; root < graph.size(); ++root) {
      if (order_[root] == unseen && permits_node_(graph_[root])) search(root);
    }
  }

  // A component in which a fair run can stay for ever: it has an edge, and each process either
  // takes a step within it or is outside somewhere in it. Empty if there is none. (What is asked
  // for can only be lost by leaving out states, so whole components are enough to look at.)
  std::vector<std::size_t> fair(const PermitsEdge& must_have) const {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (is_fair(i, must_have)) return members_[i];
    }
    return {};
  }
  std::vector<std::size_t> fair() const {
    return fair([](const Edge&) { return true; });
  }

  // A closed walk from the component's first state that takes an edge of each kind.
  std::vector<Move> lasso(const std::vector<std::size_t>& component,
                          const std::vector<PermitsEdge>& kinds) const {
    std::vector<Move> moves;
    std::size_t at = component.front();
    for (const PermitsEdge& kind : kinds) at = append_path(at, kind, moves);
    if (at != component.front()) {
      append_path(
          at, [&](const Edge& edge) { return edge.to == component.front(); }, moves);
    }
    return moves;
  }

 private:
  static constexpr std::size_t unseen = std::numeric_limits<std::size_t>::max();

  bool stays(std::size_t from, const Edge& edge) const {
    return permits_edge_(edge) && component_of_[edge.to] == component_of_[from];
  }

  void search(std::size_t root) {
    struct Frame {
      std::size_t node;
      std::size_t next_edge;
    };
    std::vector<Frame> frames;
    const auto visit = [&](std::size_t node) {
      order_[node] = low_[node] = counter_++;
      open_.push_back(node);
      frames.push_back({node, 0});
    };
    visit(root);
    while (!frames.empty()) {
      const std::size_t node = frames.back().node;
      const auto& edges = graph_[node].edges;
      if (frames.back().next_edge < edges.size()) {
        const Edge& edge = edges[frames.back().next_edge++];
        if (!permits_edge_(edge) || !permits_node_(graph_[edge.to])) continue;
        if (order_[edge.to] == unseen) {
          visit(edge.to);
        } else if (component_of_[edge.to] == unseen) {
          low_[node] = std::min(low_[node], order_[edge.to]);
        }
        continue;
      }
      if (low_[node] == order_[node]) close(node);
      frames.pop_back();
      if (!frames.empty()) {
        const std::size_t parent = frames.back().node;
        low_[parent] = std::min(low_[parent], low_[node]);
      }
    }
  }

  void close(std::size_t root) {
    std::vector<std::size_t> members;
    do {
      members.push_back(open_.back());
      component_of_[open_.back()] = members_.size();
      open_.pop_back();
    } while (members.back() != root);
    members_.push_back(std::move(members));
  }

  bool is_fair(std::size_t component, const PermitsEdge& must_have) const {
    bool has_edge = false;
    NodeSet content;
    const std::uint32_t size = graph_[0].machine.size();
    for (const std::size_t node : members_[component]) {
      for (std::uint32_t i = 0; i < size; ++i) {
        if (graph_[node].machine.section({i}) == Section::outside) content.insert({i});
      }
      for (const Edge& edge : graph_[node].edges) {
        if (!stays(node, edge)) continue;
        content.insert(edge.move.process);
        has_edge = has_edge || must_have(edge);
      }
    }
    return has_edge && content.size() == size;
  }

  // Appends a shortest path within the component from `from` whose last edge is of the kind.
  std::size_t append_path(std::size_t from, const PermitsEdge& kind,
                          std::vector<Move>& moves) const {
    struct Arrival {
      std::size_t parent;
      Move by;
    };
    std::unordered_map<std::size_t, Arrival> reached{{from, {from, {}}}};
    std::queue<std::size_t> frontier({from});
    for (; !frontier.empty(); frontier.pop()) {
      const std::size_t node = frontier.front();
      for (const Edge& edge : graph_[node].edges) {
        if (!stays(node, edge)) continue;
        if (kind(edge)) {
          std::vector<Move> path{edge.move};
          for (std::size_t at = node; at != from; at = reached.at(at).parent) {
            path.push_back(reached.at(at).by);
          }
          moves.insert(moves.end(), path.rbegin(), path.rend());
          return edge.to;
        }
        if (reached.try_emplace(edge.to, Arrival{node, edge.move}).second) frontier.push(edge.to);
      }
    }
    return from;
  }

  const Graph<M>& graph_;
  PermitsNode permits_node_;
  PermitsEdge permits_edge_;
  std::vector<std::size_t> order_;
  std::vector<std::size_t> low_;
  std::vector<std::size_t> component_of_;
  std::vector<std::size_t> open_;
  std::vector<std::vector<std::size_t>> members_;
  std::size_t counter_ = 0;
};

// States among which a fair run can stay for ever although somebody is on its way in and nobody
// ever enters.
template <class M>
std::vector<std::size_t> deadlock(const Graph<M>& graph) {
  const auto somebody_wants = [](const auto& node) {
    for (std::uint32_t i = 0; i < node.machine.size(); ++i) {
      if (on_its_way(node.machine.section({i}))) return true;
    }
    return false;
  };
  return Components<M>(graph, somebody_wants, [](const auto& edge) { return !edge.enters; }).fair();
}

// ... although `process` is on its way in all the time.
template <class M>
Components<M> where_it_waits(const Graph<M>& graph, NodeId process) {
  return Components<M>(
      graph, [process](const auto& node) { return on_its_way(node.machine.section(process)); },
      [](const auto&) { return true; });
}

}  // namespace baton::test
