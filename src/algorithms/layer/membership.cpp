#include "algorithms/layer/membership.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <string_view>
#include <unordered_map>

namespace baton {

namespace {

// For callers that look up many locks: a group may hold thousands.
class Holds {
 public:
  explicit Holds(const View& view) {
    for (const ViewHold& hold : view.holds) by_lock_.emplace(hold.lock, &hold);
  }
  const ViewHold* of(const std::string& lock) const {
    const auto found = by_lock_.find(lock);
    return found == by_lock_.end() ? nullptr : found->second;
  }

 private:
  std::unordered_map<std::string_view, const ViewHold*> by_lock_;
};

// True if the view leaves this member everything that it reported to hold.
bool keeps_all(NodeId node, const Membership::Promise& promise, const Holds& holds) {
  return std::all_of(promise.claims.begin(), promise.claims.end(), [&](const Claim& claim) {
    const ViewHold* hold = holds.of(claim.lock);
    return hold != nullptr && hold->holder == node;
  });
}

}  // namespace

Membership::Membership(NodeId self, const Setup& setup) : Membership(self, setup, Durable{}) {}

Membership::Membership(NodeId self, const Setup& setup, const Durable& durable)
    : self_(self), setup_(&setup), detector_(self, setup.size, true, setup.patience) {
  state_.peers.resize(setup.size);
  const bool forgets_all = omits(Omission::stable_storage);
  if (!forgets_all && !omits(Omission::durable_promises)) state_.durable = durable;
  state_.durable.incarnation = next(durable.incarnation);
  if (forgets_all || omits(Omission::unique_epochs)) state_.durable.incarnation = {1};
  note(state_.durable.promised);
  // Keeps ticks of an earlier life apart from ticks of this one.
  state_.tick = state_.durable.incarnation.value << 32;
}

Membership::State Membership::state() const {
  State all = state_;
  all.detector = detector_.state();
  return all;
}

void Membership::start(Out& out) {
  out.arm(tick_timer, tick_time);
  send_heartbeats(out);
  if (detector_.first_trusted() == self_) propose(out);
}

void Membership::receive(NodeId from, const Message& message, Out& out) {
  if (from != self_) detector_.hear(from);
  std::visit(upon{[&](const Heartbeat& heartbeat) { upon_heartbeat(from, heartbeat, out); },
                  [&](const Propose& propose) { upon_propose(from, propose, out); },
                  [&](const Promise& promise) { upon_promise(from, promise, out); },
                  [&](const Refuse& refuse) { upon_refuse(refuse); },
                  [&](const Decided& decided) { upon_decided(decided, out); },
                  [&](const Install& install) { upon_install(install.view, out); },
                  [&](const Farewell& farewell) { upon_farewell(from, farewell); },
                  [&](const Renew& renew) { upon_renew(renew, out); }},
             message);
}

void Membership::expire(TimerId, Out& out) {
  out.arm(tick_timer, tick_time);
  ++state_.tick;
  detector_.tick();
  send_heartbeats(out);
  check_lease(out);
  if (state_.proposal) {
    pursue(out);
  } else if (detector_.first_trusted() == self_ && needs_new_view()) {
    propose(out);
  }
  // A member that has promised this view and does not know it has missed the Install: send it
  // again.
  if (is_active() && state_.view.epoch.proposer == self_) {
    for (const ViewMember& member : state_.view.members) {
      const Peer& peer = state_.peers[member.node.value];
      if (member.node == self_ || peer.view >= state_.view.epoch) continue;
      if (peer.incarnation == member.incarnation) out.send(member.node, Install{state_.view});
    }
  }
}

void Membership::send_heartbeats(Out& out) {
  for (std::uint32_t i = 0; i < setup_->size; ++i) {
    if (i == self_.value) continue;
    out.send({i}, Heartbeat{state_.durable.incarnation, state_.view.epoch, state_.durable.promised,
                            state_.tick, state_.peers[i].tick});
  }
}

void Membership::upon_heartbeat(NodeId from, const Heartbeat& heartbeat, Out& out) {
  Peer& peer = state_.peers[from.value];
  note(heartbeat.view);
  note(heartbeat.promised);
  // Channels need not be FIFO, so this may be older than what is known already.
  if (heartbeat.incarnation < peer.incarnation) return;
  if (heartbeat.incarnation == peer.incarnation && heartbeat.tick < peer.tick) return;
  peer.incarnation = heartbeat.incarnation;
  peer.view = heartbeat.view;
  peer.promised = heartbeat.promised;
  peer.tick = heartbeat.tick;
  peer.echo = heartbeat.echo;
  check_lease(out);
}

NodeSet Membership::trusted() const {
  NodeSet all = NodeSet::all_but(nobody, setup_->size);
  detector_.suspected().for_each([&](NodeId node) { all.erase(node); });
  return all;
}

// True if exactly the living processes are members of the view, and each is still in it.
bool Membership::is_well() const {
  if (!is_active()) return false;
  for (const ViewMember& member : state_.view.members) {
    if (member.node == self_) continue;
    const Peer& peer = state_.peers[member.node.value];
    if (detector_.suspects(member.node) || peer.incarnation > member.incarnation ||
        peer.promised > state_.view.epoch) {
      return false;
    }
  }
  return true;
}

// True if the proposal would exclude a process with which this one is in a view that is well, or
// will be: the view is decided, and none of its members has left for another.
bool Membership::is_loyal_against(const NodeSet& proposed) const {
  if (omits(Omission::loyalty)) return false;
  bool excludes = false;
  if (is_well()) {
    for (const ViewMember& member : state_.view.members) {
      excludes = excludes || !proposed.contains(member.node);
    }
    return excludes;
  }
  if (is_active()) return false;
  bool stands = true;
  state_.decided.for_each([&](NodeId node) {
    excludes = excludes || !proposed.contains(node);
    stands = stands && !detector_.suspects(node) &&
             state_.peers[node.value].promised <= state_.durable.promised;
  });
  return stands && excludes;
}

bool Membership::needs_new_view() const {
  const NodeSet alive = trusted();
  if (!is_majority(alive.size())) return false;
  return !is_well() || alive.size() != state_.view.members.size();
}

void Membership::propose(Out& out) {
  const Epoch epoch{{state_.highest.value + 1}, self_, state_.durable.incarnation};
  state_.proposal = Proposal{.epoch = epoch, .members = trusted(), .asked_at = state_.tick};
  note(epoch);
  state_.proposal->members.for_each([&](NodeId node) {
    out.send(node, Propose{epoch, state_.proposal->members});
  });
}

void Membership::upon_propose(NodeId from, const Propose& propose, Out& out) {
  note(propose.epoch);
  const Epoch& promised = state_.durable.promised;
  if (propose.epoch == promised && from == propose.epoch.proposer) {
    // The proposer asks once more, because it lost the answer. Answers, unless the view is already
    // here.
    if (state_.view.epoch != promised) out.send(from, report(promised));
    return;
  }
  if (propose.epoch < promised || is_loyal_against(propose.members)) {
    out.send(from, Refuse{propose.epoch, promised});
    return;
  }
  const bool was_active = is_active();
  if (state_.proposal && state_.proposal->epoch < propose.epoch) state_.proposal.reset();
  // Of several promises to one life of a proposer, the last one replaces the others.
  auto& before = state_.durable.before;
  std::erase_if(before, [&](const Epoch& epoch) {
    return epoch != state_.view.epoch && epoch.proposer == propose.epoch.proposer &&
           epoch.incarnation == propose.epoch.incarnation;
  });
  before.push_back(propose.epoch);
  state_.durable.promised = propose.epoch;
  if (was_active || state_.kept) state_.left_at = state_.tick;
  state_.kept = false;
  state_.decided.clear();
  out.send(from, report(propose.epoch));
  if (was_active) out.emit(Frozen{});
  check_lease(out);
}

Membership::Promise Membership::report(const Epoch& epoch) const {
  Promise promise{.epoch = epoch,
                  .incarnation = state_.durable.incarnation,
                  .before = state_.durable.before,
                  .view = state_.view,
                  .claims = state_.claims};
  std::erase(promise.before, epoch);
  return promise;
}

void Membership::upon_promise(NodeId from, const Promise& promise, Out& out) {
  if (!state_.proposal || state_.proposal->epoch != promise.epoch || state_.proposal->decided) {
    return;
  }
  state_.proposal->promises[from] = promise;
  pursue(out);
}

// A refusal for a larger epoch ends this proposal. A refusal out of loyalty to a view that is well
// does not: the sender may find that its view is not well, and is asked again.
void Membership::upon_refuse(const Refuse& refuse) {
  note(refuse.promised);
  if (state_.proposal && state_.proposal->epoch == refuse.epoch && refuse.promised > refuse.epoch &&
      !state_.proposal->decided) {
    state_.proposal.reset();
  }
}

// Takes the proposal one step further: asks again, decides, or installs.
void Membership::pursue(Out& out) {
  Proposal& proposal = *state_.proposal;
  if (proposal.decided) {
    for (const ViewMember& member : proposal.decided->members) {
      if (state_.peers[member.node.value].promised > proposal.epoch && member.node != self_) {
        // A member has promised a newer epoch, so this view cannot come about.
        state_.proposal.reset();
        return;
      }
    }
    if (proposal.wait > 0) {
      --proposal.wait;
      tell_decision(out);
      return;
    }
    install(out);
    return;
  }
  bool someone_is_new = false;
  trusted().for_each(
      [&](NodeId node) { someone_is_new = someone_is_new || !proposal.members.contains(node); });
  if (someone_is_new) {
    state_.proposal.reset();
    return;
  }
  NodeSet waits_for;
  proposal.members.for_each([&](NodeId node) {
    if (!proposal.promises.contains(node) && !detector_.suspects(node)) waits_for.insert(node);
  });
  if (!waits_for.empty()) {
    // Asks again at most once per tick, since answers may still be under way.
    if (proposal.asked_at != state_.tick) {
      waits_for.for_each([&](NodeId node) {
        out.send(node, Propose{proposal.epoch, proposal.members});
      });
    }
    proposal.asked_at = state_.tick;
    return;
  }
  if (!is_majority(proposal.promises.size())) {
    state_.proposal.reset();
    return;
  }
  decide(out);
}

void Membership::decide(Out& out) {
  Proposal& proposal = *state_.proposal;
  View view{.epoch = proposal.epoch};
  for (const auto& [node, promise] : proposal.promises) {
    view.members.push_back({node, promise.incarnation});
  }
  view.holds = holds_to_keep();
  // A member that is about to lose a hold must notice it before another process can get the lock.
  const Holds holds(view);
  const bool wait =
      must_wait() ||
      std::any_of(proposal.promises.begin(), proposal.promises.end(), [&](const auto& promise) {
        return !keeps_all(promise.first, promise.second, holds);
      });
  proposal.decided = std::move(view);
  proposal.wait = wait && !omits(Omission::waiting_for_leases) ? wait_for_leases() : 0;
  if (proposal.wait == 0) {
    install(out);
    return;
  }
  tell_decision(out);
}

void Membership::tell_decision(Out& out) const {
  const Proposal& proposal = *state_.proposal;
  Decided decided{.epoch = proposal.epoch};
  const Holds holds(*proposal.decided);
  for (const auto& [node, promise] : proposal.promises) {
    decided.members.insert(node);
    if (keeps_all(node, promise, holds)) decided.keepers.insert(node);
  }
  decided.members.for_each([&](NodeId node) { out.send(node, decided); });
}

// True if this process proposed the epoch in this life and did not install it.
bool Membership::is_own_in_vain(const Epoch& epoch) const {
  return epoch.proposer == self_ && epoch.incarnation == state_.durable.incarnation &&
         epoch > state_.own_installed;
}

// The largest epoch that may have been a view, by the promises made before this proposal.
Epoch Membership::latest_possible_view() const {
  Epoch latest{};
  for (const auto& [node, promise] : state_.proposal->promises) {
    for (const Epoch& epoch : promise.before) {
      if (!is_own_in_vain(epoch)) latest = std::max(latest, epoch);
    }
  }
  return latest;
}

// The holds that the new view keeps. A hold is kept if no view in between can have given its lock
// to another process. `latest` is the largest epoch that may have been such a view.
//
// Example: processes 0, 1 and 2. In view 3, with all members, process 2 holds x with fence <3,1>.
// Process 0 proposes epoch 4, crashes, and process 1 proposes epoch 5 to itself and 2.
// - Process 1 has promised 4 in between. View 4 of 0 and 1 may have begun, and 0 may hold x with a
//   fence of epoch 4, which the resource has seen. `latest` is 4, the claim of 2 is confirmed by
//   view 3 only: view 5 does not keep it. Before 5 begins it waits until the leases of 0 and 2 must
//   have expired. If view 4 never began, 2 loses x for nothing, but 1 cannot know that.
// - Nobody but 0 has promised 4. View 4 needed a majority, two of three, and so 1 or 2; so there
//   was no view 4. `latest` is 3: view 5 keeps x for process 2, with fence <3,1>.
// - View 4 began with all members and kept x for process 2, and 2 has missed the Install. Process 1
//   reports view 4, which names 2 as the holder with the same fence. That confirms the claim up to
//   4, and `latest` is 4: view 5 keeps it.
// - If process 1 itself proposed 4, gave up, and then proposed 5, it knows that it never installed
//   4. So 4 does not count: `latest` is 3, and view 5 keeps x for process 2.
std::vector<ViewHold> Membership::holds_to_keep() const {
  const auto& promises = state_.proposal->promises;
  const Epoch latest = latest_possible_view();
  std::vector<std::pair<Epoch, Holds>> views;
  for (const auto& [node, promise] : promises) {
    views.emplace_back(promise.view.epoch, Holds(promise.view));
  }
  std::vector<ViewHold> holds;
  std::unordered_map<std::string_view, std::size_t> places;
  for (const auto& [node, promise] : promises) {
    for (const Claim& claim : promise.claims) {
      Epoch confirmed = claim.confirmed;
      // A view that keeps the hold confirms it, even if the holder has not heard of that view.
      for (const auto& [epoch, kept_in] : views) {
        const ViewHold* kept = kept_in.of(claim.lock);
        if (kept != nullptr && kept->holder == node && kept->fence == claim.fence) {
          confirmed = std::max(confirmed, epoch);
        }
      }
      if (confirmed < latest && !omits(Omission::hold_rule)) continue;
      const auto [place, is_first] = places.emplace(claim.lock, holds.size());
      if (is_first) {
        holds.push_back({claim.lock, node, claim.fence});
      } else if (ViewHold& rival = holds[place->second];
                 omits(Omission::hold_rule) || rival.fence < claim.fence) {
        rival = {claim.lock, node, claim.fence};
      }
    }
  }
  return holds;
}

// True if a process that is not heard may hold something: a member of the latest view is missing
// and has sent no farewell, or there may be a later view whose members nobody here knows.
bool Membership::must_wait() const {
  const auto& promises = state_.proposal->promises;
  const View* latest = &state_.view;
  for (const auto& [node, promise] : promises) {
    if (promise.view.epoch > latest->epoch) latest = &promise.view;
  }
  if (latest_possible_view() > latest->epoch) return true;
  return std::any_of(latest->members.begin(), latest->members.end(), [&](const ViewMember& member) {
    return !promises.contains(member.node) &&
           state_.peers[member.node.value].left < member.incarnation;
  });
}

void Membership::install(Out& out) {
  const View view = *state_.proposal->decided;
  state_.proposal.reset();
  state_.own_installed = view.epoch;
  for (const ViewMember& member : view.members) out.send(member.node, Install{view});
}

void Membership::upon_decided(const Decided& decided, Out& out) {
  if (decided.epoch != state_.durable.promised || is_active()) return;
  state_.decided = decided.members;
  state_.kept = decided.keepers.contains(self_);
  check_lease(out);
}

void Membership::upon_install(const View& view, Out& out) {
  note(view.epoch);
  if (view.epoch != state_.durable.promised || state_.view.epoch == view.epoch) return;
  const ViewMember* me = view.find(self_);
  if (me == nullptr || me->incarnation != state_.durable.incarnation) return;
  state_.view = view;
  state_.durable.before = {view.epoch};
  state_.kept = false;
  state_.decided.clear();
  const Holds holds(view);
  for (Claim& claim : state_.claims) {
    const ViewHold* hold = holds.of(claim.lock);
    if (hold != nullptr && hold->holder == self_ && hold->fence == claim.fence) {
      claim.confirmed = view.epoch;
    }
  }
  out.emit(Installed{});
  check_lease(out);
}

void Membership::renew(Out& out) const {
  if (is_active()) out.send(detector_.first_trusted(), Renew{state_.view.epoch});
}

void Membership::upon_renew(const Renew& renew, Out& out) {
  if (renew.view != state_.view.epoch || state_.proposal || !is_well()) return;
  if (detector_.first_trusted() == self_) propose(out);
}

// A process that holds something cannot say farewell.
bool Membership::leave(Out& out) const {
  if (!state_.claims.empty()) return false;
  for (std::uint32_t i = 0; i < setup_->size; ++i) {
    if (i != self_.value) out.send({i}, Farewell{state_.durable.incarnation});
  }
  return true;
}

void Membership::upon_farewell(NodeId from, const Farewell& farewell) {
  Peer& peer = state_.peers[from.value];
  if (omits(Omission::farewells_by_life)) {
    peer.left = std::max(farewell.incarnation, peer.incarnation);
  } else if (farewell.incarnation < peer.incarnation) {
    return;
  } else {
    peer.left = farewell.incarnation;
  }
  detector_.suspect(from);
}

// The process's own word counts as long as the others': after a promise for Setup::lease ticks.
std::uint64_t Membership::vouched_until(NodeId node) const {
  if (node != self_) return state_.peers[node.value].vouched + setup_->lease;
  if (is_active() || state_.kept) return std::numeric_limits<std::uint64_t>::max();
  return state_.left_at + setup_->lease;
}

std::uint64_t Membership::lease_left() const {
  if (!state_.has_lease) return 0;
  std::vector<std::uint64_t> until;
  for (std::uint32_t i = 0; i < setup_->size; ++i) until.push_back(vouched_until({i}));
  std::sort(until.begin(), until.end(), std::greater<>());
  // The word of the last process that makes a majority counts until this tick.
  const std::uint64_t end = until[setup_->size / 2];
  return end > state_.tick ? end - state_.tick : 0;
}

void Membership::check_lease(Out& out) {
  const Epoch& epoch = state_.view.epoch;
  std::size_t confirmed = 0;
  for (std::uint32_t i = 0; i < setup_->size; ++i) {
    Peer& peer = state_.peers[i];
    const bool loyal =
        peer.promised <= epoch || (state_.kept && peer.promised <= state_.durable.promised);
    if (i != self_.value && loyal) peer.vouched = std::max(peer.vouched, peer.echo);
    if (vouched_until({i}) > state_.tick) ++confirmed;
  }
  const bool holds = epoch != Epoch{} && is_majority(confirmed);
  if (holds == state_.has_lease) return;
  state_.has_lease = holds;
  if (holds) {
    out.emit(LeaseBegun{});
  } else {
    out.emit(LeaseEnded{});
  }
}

void Membership::claim(const std::string& lock, const FencingToken& fence) {
  give_up(lock);
  state_.claims.push_back({lock, fence, state_.view.epoch});
}

void Membership::give_up(const std::string& lock) {
  std::erase_if(state_.claims, [&](const Claim& claim) { return claim.lock == lock; });
}

const Info& Membership::info() {
  static const Info info{
      .name = "membership",
      .title = "Membership",
      .publication = "Baton; after Birman and Joseph, ACM TOCS 5(1), 1987",
      .idea = "views of who belongs to the group, each approved by a majority",
      .kind = Kind::observation,
      .promises = {baton::Promise::safety},
      .problem = "waits while no majority can talk",
      .perpetual = true,
      .survives_crashes = true,
  };
  return info;
}

}  // namespace baton
