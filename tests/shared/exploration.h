// A small exhaustive search for the tests: every reachable state of a machine, breadth first, so
// that the path to a state is a shortest one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/node_set.h"
#include "core/reflect.h"
#include "shared/machine.h"

namespace baton::test {

inline bool in_bakery(Section section) {
  return section == Section::waiting || section == Section::inside;
}
inline bool on_its_way(Section section) {
  return section == Section::doorway || section == Section::waiting;
}

// What the state of a machine does not tell: for each process, who had finished its own doorway
// and was still in the bakery when the process began its doorway.
struct Arrivals {
  std::vector<NodeSet> ahead;

  template <class M>
  void note(const M& machine, NodeId process, Section before) {
    const Section after = machine.section(process);
    if (before == after) return;
    NodeSet& ahead_of_it = ahead[process.value];
    if (before == Section::outside) {
      for (std::uint32_t i = 0; i < machine.size(); ++i) {
        if (NodeId{i} != process && in_bakery(machine.section({i}))) ahead_of_it.insert({i});
      }
    }
    if (!on_its_way(after)) ahead_of_it.clear();
    if (!in_bakery(after)) {
      for (NodeSet& others : ahead) others.erase(process);
    }
  }
};

struct Move {
  NodeId process;
  std::uint32_t choice = 0;
};

template <SharedMachine M>
class Exploration {
 public:
  struct Edge {
    Move move;
    std::size_t to = 0;
    bool enters = false;
  };
  struct Node {
    M machine;
    Arrivals arrivals;
    std::size_t parent = 0;
    Move by;  // the move from the parent
    std::vector<Edge> edges;
    bool out_of_order = false;  // an edge from here enters before one that came first
  };

  enum class History : std::uint8_t { none, arrivals };

  explicit Exploration(const M& initial, History history = History::none) : history_(history) {
    Arrivals nobody_yet;
    if (history == History::arrivals) nobody_yet.ahead.resize(initial.size());
    add(initial, nobody_yet, 0, {});
    for (std::size_t i = 0; i < nodes_.size(); ++i) expand(i);
  }

  const std::vector<Node>& nodes() const { return nodes_; }
  const Node& operator[](std::size_t index) const { return nodes_[index]; }

  // The first node, hence one at the least depth, of which `is` holds.
  template <class Predicate>
  std::optional<std::size_t> find(Predicate is) const {
    const auto found = std::find_if(nodes_.begin(), nodes_.end(), is);
    if (found == nodes_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - nodes_.begin());
  }

  std::vector<Move> schedule_to(std::size_t index) const {
    std::vector<Move> moves;
    for (; index != 0; index = nodes_[index].parent) moves.push_back(nodes_[index].by);
    std::reverse(moves.begin(), moves.end());
    return moves;
  }

  std::size_t depth(std::size_t index) const { return schedule_to(index).size(); }

 private:
  std::size_t add(const M& machine, const Arrivals& arrivals, std::size_t parent, Move by) {
    std::string key = reflect::encoded(machine.state());
    reflect::encode(arrivals, key);
    const auto [at, is_new] = known_.try_emplace(std::move(key), nodes_.size());
    if (is_new) nodes_.push_back({machine, arrivals, parent, by, {}, false});
    return at->second;
  }

  void expand(std::size_t index) {
    const std::uint32_t size = nodes_[index].machine.size();
    for (NodeId process{0}; process.value < size; ++process.value) {
      const M before = nodes_[index].machine;
      if (!before.enabled(process)) continue;
      const std::uint32_t choices = before.choices(process);
      const std::size_t first_of_process = nodes_[index].edges.size();
      for (std::uint32_t choice = 0; choice < choices; ++choice) {
        M after = before;
        after.step(process, choice);
        const bool enters =
            before.section(process) != Section::inside && after.section(process) == Section::inside;
        Arrivals arrivals = nodes_[index].arrivals;
        if (history_ == History::arrivals) {
          if (enters) note_order(index, process);
          arrivals.note(after, process, before.section(process));
        }
        const std::size_t to = add(after, arrivals, index, {process, choice});
        auto& edges = nodes_[index].edges;
        const bool known =
            std::any_of(edges.begin() + static_cast<std::ptrdiff_t>(first_of_process), edges.end(),
                        [&](const Edge& edge) { return edge.to == to; });
        if (!known) edges.push_back({{process, choice}, to, enters});
      }
    }
  }

  void note_order(std::size_t index, NodeId entering) {
    Node& node = nodes_[index];
    node.arrivals.ahead[entering.value].for_each([&](NodeId earlier) {
      if (node.machine.section(earlier) == Section::waiting) node.out_of_order = true;
    });
  }

  History history_;
  std::vector<Node> nodes_;
  std::unordered_map<std::string, std::size_t> known_;
};

}  // namespace baton::test
