#include "algorithms/election/wireless.h"

#include <algorithm>
#include <vector>

namespace baton {

Wireless::Wireless(NodeId self, const Setup& setup) : self_(self), setup_(&setup) {}

void Wireless::elect(Out& out) {
  // The election that is under way serves as well.
  if (!state_.is_over) return;
  join({state_.tag.number + 1, setup_->identity(self_)}, nobody, out);
}

void Wireless::receive(NodeId from, const Message& message, Out& out) {
  std::visit(upon{[&](const Election& election) { upon_election(from, election, out); },
                  [&](const Ack& ack) { upon_ack(from, ack, out); },
                  [&](const Leader& leader) { upon_leader(from, leader, out); }},
             message);
}

// Takes part in an election, and forgets the one before.
void Wireless::join(const Tag& tag, NodeId parent, Out& out) {
  state_.tag = tag;
  state_.is_over = false;
  state_.parent = parent;
  state_.asked.clear();
  state_.children.clear();
  state_.best = {setup_->capacity(self_), setup_->identity(self_), self_};
  std::vector<NodeId> others = setup_->neighbours(self_);
  std::erase(others, parent);
  for (const NodeId neighbour : others) state_.asked.insert(neighbour);
  if (!others.empty()) out.multicast(self_, others, Election{tag});
  report_if_complete(out);
}

void Wireless::upon_election(NodeId from, const Election& election, Out& out) {
  if (election.tag > state_.tag) {
    join(election.tag, from, out);
  } else if (election.tag == state_.tag && from != state_.parent) {
    out.send(from, Ack{election.tag});
  }
  // The process gives up a lower election: its sender will hear of the higher from here, or has
  // already.
}

void Wireless::upon_ack(NodeId from, const Ack& ack, Out& out) {
  if (ack.tag != state_.tag || !state_.asked.contains(from)) return;
  state_.asked.erase(from);
  if (ack.is_child) {
    state_.children.insert(from);
    state_.best = std::max(state_.best, ack.best);
  }
  report_if_complete(out);
}

void Wireless::report_if_complete(Out& out) {
  if (!state_.asked.empty()) return;
  if (state_.parent == nobody) {
    learn(state_.best.node, out);
  } else {
    out.send(state_.parent, Ack{state_.tag, true, state_.best});
  }
}

void Wireless::upon_leader(NodeId from, const Leader& leader, Out& out) {
  if (leader.tag != state_.tag || state_.is_over || from != state_.parent) return;
  learn(leader.leader, out);
}

void Wireless::learn(NodeId leader, Out& out) {
  state_.is_over = true;
  state_.leader = leader;
  std::vector<NodeId> below;
  state_.children.for_each([&](NodeId child) { below.push_back(child); });
  if (!below.empty()) out.multicast(self_, below, Leader{state_.tag, leader});
  out.emit(Elected{leader});
}

namespace {

// Any process may start, in a network of any shape, with any capacities.
void draw_the_rest(ElectionCase& c, Chooser& chooser) {
  const std::uint32_t size = c.setup.size;
  c.initiators = {{chooser.choose(size)}};
  for (std::uint32_t i = 0; i < size; ++i) c.setup.capacities.push_back(chooser.choose(2 * size));
}
void ring(ElectionCase& c, Chooser& chooser) {
  c.setup.graph = ring_graph(c.setup.size);
  draw_the_rest(c, chooser);
}
void grid(ElectionCase& c, Chooser& chooser) {
  c.setup.graph = grid_graph(c.setup.size);
  draw_the_rest(c, chooser);
}
void any_graph(ElectionCase& c, Chooser& chooser) {
  const std::uint32_t size = c.setup.size;
  const auto room = static_cast<std::uint32_t>(most_edges(size) - fewest_edges(size));
  c.setup.graph = random_graph(size, fewest_edges(size) + chooser.choose(room + 1), chooser);
  draw_the_rest(c, chooser);
}

Expected asked(const ElectionCase& c) {
  return Expected::exactly(static_cast<double>(2 * c.setup.edges() - c.setup.size + 1));
}
Expected told(const ElectionCase& c) {
  return Expected::exactly(static_cast<double>(c.setup.size - 1));
}
Expected in_all(const ElectionCase& c) {
  return Expected::exactly(static_cast<double>(4 * c.setup.edges() - c.setup.size + 1));
}

}  // namespace

const Info& Wireless::info() {
  static const Info info{
      .name = "wireless",
      .title = "Wireless (Vasudevan–Kurose–Towsley)",
      .publication = "Vasudevan, Kurose and Towsley, IEEE ICNP, 2004",
      .idea = "a wave builds a tree; the best capacity travels up, the result down",
      .kind = Kind::election,
      .assumes = {Assumption::no_loss, Assumption::no_crash},
      .promises = {Promise::one_leader, Promise::right_leader, Promise::everyone_learns},
      .problem = "a process that crashes or leaves keeps its parent waiting",
      .choice = Choice::best_capacity,
      .election_costs = {{"one starts, random graph", any_graph, "Election", "2E-N+1", asked},
                         {"one starts, random graph", any_graph, "Ack", "2E-N+1", asked},
                         {"one starts, random graph", any_graph, "Leader", "N-1", told},
                         {"one starts, random graph", any_graph, "", "4E-N+1", in_all},
                         {"one starts, ring", ring, "Election", "2E-N+1", asked},
                         {"one starts, ring", ring, "", "4E-N+1", in_all},
                         {"one starts, grid", grid, "Election", "2E-N+1", asked},
                         {"one starts, grid", grid, "", "4E-N+1", in_all}},
      .example = "-n 4 --first 0 --graph ring --capacities 4,7,1,9",
  };
  return info;
}

}  // namespace baton
