// A view: the members of the group from now on, and the locks that they hold as it begins.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/fence.h"
#include "core/ids.h"
#include "core/setup.h"

namespace baton {

struct ViewMember {
  NodeId node;
  Incarnation incarnation;

  friend constexpr auto operator<=>(const ViewMember&, const ViewMember&) = default;
};

// A lock that a process says that it holds.
struct Claim {
  std::string lock;
  FencingToken fence;
  Epoch confirmed;  // the latest view that knows of the hold
};

// A lock that is held as a view begins.
struct ViewHold {
  std::string lock;
  NodeId holder;
  FencingToken fence;
};

struct View {
  Epoch epoch;                      // zero: no view at all
  std::vector<ViewMember> members;  // ascending
  std::vector<ViewHold> holds;

  const ViewMember* find(NodeId node) const {
    for (const ViewMember& member : members) {
      if (member.node == node) return &member;
    }
    return nullptr;
  }
  // Protocols inside a view know its members by the numbers 0, 1, …
  NodeId dense(NodeId node) const {
    for (std::uint32_t i = 0; i < members.size(); ++i) {
      if (members[i].node == node) return {i};
    }
    return nobody;
  }
  const ViewHold* hold_of(const std::string& lock) const {
    for (const ViewHold& hold : holds) {
      if (hold.lock == lock) return &hold;
    }
    return nullptr;
  }
};

// The group of a view for the protocols inside it: its members get new numbers, and its ring, tree
// and voting sets are rebuilt. The process that proposed the view coordinates.
Setup setup_of(const View& view, const Setup& configured);

}  // namespace baton
