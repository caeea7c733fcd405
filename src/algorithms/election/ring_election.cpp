#include "algorithms/election/ring_election.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "algorithms/election/arrangements.h"

namespace baton {

namespace {

void one_starts(ElectionCase& c, Chooser& chooser) {
  c.initiators = {{chooser.choose(c.setup.size)}};
}
void old_leader_is_down(ElectionCase& c, Chooser& chooser) {
  c.down = {{c.setup.size - 1}};
  c.initiators = {{chooser.choose(c.setup.size - 1)}};
}

// So many messages for each living process; a process that is alone talks only to itself.
template <int count>
Expected per_living(const ElectionCase& c) {
  const auto living = static_cast<double>(c.setup.size - c.down.size());
  return Expected::exactly(living > 1 ? count * living : 0);
}

}  // namespace

RingElection::RingElection(NodeId self, const Setup& setup) : self_(self), setup_(&setup) {}

void RingElection::elect(Out& out) {
  state_.number = next(state_.number);
  out.send(next_after(self_), Election{state_.number, {self_}});
}

void RingElection::receive(NodeId, const Message& message, Out& out) {
  std::visit(upon{[&](const Election& election) { upon_election(election, out); },
                  [&](const Coordinator& coordinator) { upon_coordinator(coordinator, out); }},
             message);
}

void RingElection::upon_election(Election election, Out& out) {
  state_.number = std::max(state_.number, election.number);
  if (std::find(election.list.begin(), election.list.end(), self_) != election.list.end()) {
    announce(election.list, out);
    return;
  }
  election.number = state_.number;
  election.list.push_back(self_);
  out.send(next_after(self_), std::move(election));
}

void RingElection::announce(const std::vector<NodeId>& list, Out& out) {
  NodeId highest = self_;
  for (const NodeId node : list) {
    if (state_.suspected.contains(node)) continue;
    if (setup_->identity(node) > setup_->identity(highest)) highest = node;
  }
  state_.number = next(state_.number);
  believe({state_.number, self_, highest}, out);
}

void RingElection::upon_coordinator(const Coordinator& coordinator, Out& out) {
  state_.number = std::max(state_.number, coordinator.number);
  if (!is_newer(coordinator)) return;
  if (setup_->identity(self_) > setup_->identity(coordinator.leader)) {
    elect(out);
  } else {
    believe(coordinator, out);
  }
}

void RingElection::believe(const Coordinator& coordinator, Out& out) {
  state_.latest = coordinator;
  state_.leader = coordinator.leader;
  out.emit(Elected{state_.leader});
  out.send(next_after(self_), coordinator);
}

// A process that came back may announce under a number that it has used before. Then the leader's
// id decides, in the same way at every process.
bool RingElection::is_newer(const Coordinator& coordinator) const {
  const auto rank = [](const Coordinator& c) {
    return std::tuple(c.number, c.announcer, c.leader);
  };
  return state_.latest.leader == nobody || rank(coordinator) > rank(state_.latest);
}

NodeId RingElection::next_after(NodeId node) const {
  do {
    node = setup_->successor(node);
  } while (node != self_ && state_.suspected.contains(node));
  return node;
}

// The neighbour is down: try the one behind it. The process does not remember this, because the
// neighbour may come back.
void RingElection::returned(NodeId to, const Message& message, Out& out) {
  out.send(next_after(to), message);
}

void RingElection::suspect(NodeId node, Out& out) {
  const bool was_next = next_after(self_) == node;
  state_.suspected.insert(node);
  const bool has_led = state_.leader == node;
  if (has_led) state_.leader = nobody;
  if (was_next || has_led) elect(out);
}

void RingElection::trust(NodeId node, Out& out) {
  state_.suspected.erase(node);
  if (next_after(self_) == node) elect(out);
}

const Info& RingElection::info() {
  static const Info info{
      .name = "ring-election",
      .title = "Ring election",
      .publication = "Tanenbaum, Distributed Operating Systems, 1995",
      .idea = "the election goes round, everyone signs, the highest signature leads",
      .kind = Kind::election,
      .assumes = {Assumption::no_loss, Assumption::no_suspicion},
      .promises = {Promise::one_leader, Promise::right_leader, Promise::everyone_learns},
      .problem = "long messages; several elections at once, each at the full price",
      .choice = Choice::highest_identity,
      .election_costs = {{"one starts, all alive", one_starts, "", "2N", per_living<2>},
                         {"one starts, all alive", one_starts, "Election", "N", per_living<1>},
                         {"one starts, all alive", one_starts, "Coordinator", "N", per_living<1>},
                         {"one starts, the old leader is down", old_leader_is_down, "", "2(N-1)",
                          per_living<2>},
                         {"one starts, the old leader is down", old_leader_is_down, "Election",
                          "N-1", per_living<1>},
                         {"one starts, the old leader is down", old_leader_is_down, "Coordinator",
                          "N-1", per_living<1>},
                         {"everyone starts", everyone_starts, "Election", "N^2",
                          [](const ElectionCase& c) {
                            const double n = c.setup.size;
                            return Expected::exactly(n * n);
                          }}},
      .seeds = {{"Canonical Problems", "messages", "2(N-1) always",
                 "there an old leader is down; with all alive it is 2N. What is sent "
                 "to those that are down comes back and is counted apart"}},
      .example = "-n 4 --first 0",
      .checked = {{.is_quick = false}},
  };
  return info;
}

}  // namespace baton
