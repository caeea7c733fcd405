#include "algorithms/resource/all_or_nothing.h"

#include <algorithm>
#include <set>
#include <utility>

namespace baton {

void AllOrNothing::acquire(const std::vector<ResourceId>& wanted, Out& out) {
  state_.wanted = wanted;
  for (const ResourceId resource : wanted) out.emit(Waiting{resource});
  out.send(setup_->coordinator, Acquire{wanted});
}

void AllOrNothing::release(Out& out) {
  for (const ResourceId resource : std::exchange(state_.wanted, {})) out.emit(LetGo{resource});
  out.send(setup_->coordinator, Released{});
}

void AllOrNothing::receive(NodeId from, const Message& message, Out& out) {
  std::visit(upon{[&](const Acquire& acquire) {
                    state_.queue.push_back({from, acquire.wanted});
                    grant_what_can_be(out);
                  },
                  [&](const Granted&) { upon_granted(out); },
                  [&](const Released&) {
                    std::erase_if(state_.granted,
                                  [&](const Claim& claim) { return claim.node == from; });
                    grant_what_can_be(out);
                  }},
             message);
}

void AllOrNothing::upon_granted(Out& out) {
  for (const ResourceId resource : state_.wanted) out.emit(Held{resource});
  out.emit(AllHeld{});
}

void AllOrNothing::grant_what_can_be(Out& out) {
  std::set<ResourceId> taken;  // held, or wanted by an earlier request
  std::set<NodeId> holding;
  for (const Claim& claim : state_.granted) {
    taken.insert(claim.wanted.begin(), claim.wanted.end());
    holding.insert(claim.node);
  }
  std::deque<Claim> waiting;
  for (Claim& claim : state_.queue) {
    // If the process still holds something, its RELEASED is under way.
    const bool free = !holding.contains(claim.node) &&
                      std::none_of(claim.wanted.begin(), claim.wanted.end(),
                                   [&](ResourceId resource) { return taken.contains(resource); });
    taken.insert(claim.wanted.begin(), claim.wanted.end());
    if (free) {
      out.send(claim.node, Granted{});
      state_.granted.push_back(std::move(claim));
    } else {
      waiting.push_back(std::move(claim));
    }
  }
  state_.queue = std::move(waiting);
}

const Info& AllOrNothing::info() {
  static const Info info{
      .name = "all-or-nothing",
      .title = "All or nothing",
      .publication = "folklore; the Article",
      .idea = "a coordinator grants all that a process needs at once, or lets it wait",
      .assumes = reliable_channels,
      .promises = {Promise::safety, Promise::deadlock_freedom, Promise::starvation_freedom},
      .problem = "coordinator crash",
  };
  return info;
}

}  // namespace baton
