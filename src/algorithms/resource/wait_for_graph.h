// The wait-for graph: which process holds which resource, and which waits for which. A cycle is a
// deadlock: each of its processes needs everything that it waits for, and releases nothing before.
//
// E. G. Coffman, M. J. Elphick and A. Shoshani, "System deadlocks", ACM Computing Surveys 3(2),
// 1971; R. C. Holt, "Some deadlock properties of computer systems", Computing Surveys 4(3), 1972.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "algorithms/resource/resource_id.h"
#include "core/ids.h"

namespace baton {

// One process of a cycle: it holds what the one before it waits for.
struct CycleLink {
  NodeId node;
  ResourceId holds;
  ResourceId waits_for;

  friend bool operator==(const CycleLink&, const CycleLink&) = default;
};
// The last waits for what the first holds. Begins with the smallest process.
using Cycle = std::vector<CycleLink>;

// "0 holds A and waits for B, held by 1, which waits for A"
std::string in_words(const Cycle& cycle);

class WaitForGraph {
 public:
  void holds(NodeId node, ResourceId resource);
  void waits(NodeId node, ResourceId resource);
  void lets_go(NodeId node, ResourceId resource);
  // The process is gone, with everything that it held and waited for.
  void forget(NodeId node);

  // The holders: none, one, or, where exclusion is broken, several.
  const std::set<NodeId>& holders(ResourceId resource) const;
  const std::set<ResourceId>& held_by(NodeId node) const;
  const std::set<ResourceId>& awaited_by(NodeId node) const;

  // A shortest cycle that contains this process.
  std::optional<Cycle> cycle_through(NodeId node) const;
  // A shortest cycle through the smallest process that is in any.
  std::optional<Cycle> find_cycle() const;

 private:
  std::map<ResourceId, std::set<NodeId>> holders_;
  std::map<NodeId, std::set<ResourceId>> held_;
  std::map<NodeId, std::set<ResourceId>> awaited_;
};

}  // namespace baton
