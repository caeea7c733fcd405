#include "algorithms/resource/wait_for_graph.h"

#include <algorithm>
#include <deque>

namespace baton {

namespace {

template <class Key, class Value>
const std::set<Value>& at(const std::map<Key, std::set<Value>>& all, const Key& key) {
  static const std::set<Value> nothing;
  const auto found = all.find(key);
  return found == all.end() ? nothing : found->second;
}

template <class Key, class Value>
void erase(std::map<Key, std::set<Value>>& all, const Key& key, const Value& value) {
  const auto found = all.find(key);
  if (found == all.end()) return;
  found->second.erase(value);
  if (found->second.empty()) all.erase(found);
}

}  // namespace

std::string in_words(const Cycle& cycle) {
  std::string text;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const std::string who = std::to_string(cycle[i].node.value);
    if (i == 0) {
      text += who + " holds " + cycle[i].holds.text() + " and waits for ";
    } else {
      text += ", held by " + who + ", which waits for ";
    }
    text += cycle[i].waits_for.text();
  }
  return text;
}

void WaitForGraph::holds(NodeId node, ResourceId resource) {
  erase(awaited_, node, resource);
  holders_[resource].insert(node);
  held_[node].insert(resource);
}

void WaitForGraph::waits(NodeId node, ResourceId resource) { awaited_[node].insert(resource); }

void WaitForGraph::lets_go(NodeId node, ResourceId resource) {
  erase(holders_, resource, node);
  erase(held_, node, resource);
}

void WaitForGraph::forget(NodeId node) {
  const std::set<ResourceId> held = held_by(node);
  for (const ResourceId resource : held) lets_go(node, resource);
  awaited_.erase(node);
}

const std::set<NodeId>& WaitForGraph::holders(ResourceId resource) const {
  return at(holders_, resource);
}
const std::set<ResourceId>& WaitForGraph::held_by(NodeId node) const { return at(held_, node); }
const std::set<ResourceId>& WaitForGraph::awaited_by(NodeId node) const {
  return at(awaited_, node);
}

// Searches breadth first, so that the first way back is a shortest one.
std::optional<Cycle> WaitForGraph::cycle_through(NodeId start) const {
  struct Step {
    NodeId from;
    ResourceId over;  // `from` waits for it, and the process that was reached holds it
  };
  std::map<NodeId, Step> reached;
  std::deque<NodeId> frontier{start};
  while (!frontier.empty() && !reached.contains(start)) {
    const NodeId node = frontier.front();
    frontier.pop_front();
    for (const ResourceId resource : awaited_by(node)) {
      for (const NodeId holder : holders(resource)) {
        if (reached.emplace(holder, Step{node, resource}).second) frontier.push_back(holder);
      }
    }
  }
  if (!reached.contains(start)) return std::nullopt;
  Cycle cycle;
  NodeId node = start;
  ResourceId waits_for{};
  do {
    const Step step = reached.at(node);
    if (!cycle.empty()) waits_for = cycle.back().holds;
    cycle.push_back({node, step.over, waits_for});
    node = step.from;
  } while (node != start);
  // Built from the last to the first. The process where the cycle begins waits for the second's
  // resource.
  cycle.front().waits_for = cycle.back().holds;
  std::reverse(cycle.begin(), cycle.end());
  std::rotate(cycle.begin(),
              std::min_element(cycle.begin(), cycle.end(),
                               [](const auto& a, const auto& b) { return a.node < b.node; }),
              cycle.end());
  return cycle;
}

std::optional<Cycle> WaitForGraph::find_cycle() const {
  for (const auto& [node, resources] : awaited_) {
    if (auto cycle = cycle_through(node)) return cycle;
  }
  return std::nullopt;
}

}  // namespace baton
