#include "algorithms/mutex/carvalho_roucairol.h"

#include <algorithm>

namespace baton {

CarvalhoRoucairol::CarvalhoRoucairol(NodeId self, const Setup& setup, NodeId inside)
    : self_(self), setup_(&setup) {
  if (self == inside) {
    state_.mode = Mode::held;
    state_.mine = {state_.clock, self};
    state_.permitted_by = NodeSet::all_but(self, setup.size);
  }
}

void CarvalhoRoucairol::request(Out& out) {
  state_.mode = Mode::wanted;
  state_.clock = next(state_.clock);
  state_.mine = {state_.clock, self_};
  std::vector<NodeId> asked;
  for (NodeId node{0}; node.value < setup_->size; ++node.value) {
    if (node != self_ && !state_.permitted_by.contains(node)) asked.push_back(node);
  }
  out.multicast(self_, asked, Request{state_.mine});
  enter_if_permitted(out);
}

void CarvalhoRoucairol::release(Out& out) {
  state_.mode = Mode::released;
  state_.mine = {};
  for (const Timestamp& request : state_.deferred) permit(request, out);
  state_.deferred.clear();
}

void CarvalhoRoucairol::receive(NodeId from, const Message& message, Out& out) {
  std::visit(upon{[&](const Request& request) { upon_request(request, out); },
                  [&](const Reply& reply) { upon_reply(from, reply, out); }},
             message);
}

void CarvalhoRoucairol::upon_request(const Request& request, Out& out) {
  state_.clock = std::max(state_.clock, request.at.clock);
  const bool mine_goes_first =
      state_.mode == Mode::held || (state_.mode == Mode::wanted && state_.mine < request.at);
  if (mine_goes_first) {
    state_.deferred.push_back(request.at);
    return;
  }
  // I returned the permission on which my request relied, so my request was never sent there.
  const bool must_ask =
      state_.mode == Mode::wanted && state_.permitted_by.contains(request.at.node);
  permit(request.at, out);
  if (must_ask) out.send(request.at.node, Request{state_.mine});
}

void CarvalhoRoucairol::upon_reply(NodeId from, const Reply& reply, Out& out) {
  if (state_.mode != Mode::wanted || reply.to != state_.mine) return;
  state_.permitted_by.insert(from);
  enter_if_permitted(out);
}

// A process that permits another gives up its own permission.
void CarvalhoRoucairol::permit(const Timestamp& request, Out& out) {
  state_.permitted_by.erase(request.node);
  out.send(request.node, Reply{request});
}

void CarvalhoRoucairol::enter_if_permitted(Out& out) {
  if (state_.permitted_by.size() + 1 < setup_->size) return;
  state_.mode = Mode::held;
  out.emit(Entered{});
}

namespace {

// Of two processes, the one that entered last has the other's permission, and in the long run each
// is equally likely to be that one: a requester asks half of the others.
Expected when_drawn_uniformly(const Case& c) {
  return Expected::mean(static_cast<double>(c.setup.size) - 1);
}

}  // namespace

const Info& CarvalhoRoucairol::info() {
  static const Info info{
      .name = "carvalho-roucairol",
      .title = "Carvalho–Roucairol",
      .publication = "Carvalho and Roucairol, CACM 26(2), 1983",
      .idea = "as Ricart–Agrawala, but a permission is kept until it is asked back",
      .assumes = {Assumption::no_loss, Assumption::no_crash},
      .promises = {Promise::safety, Promise::deadlock_freedom, Promise::starvation_freedom},
      .problem = "crash of any process",
      .costs = {{Scenario::alone, Metric::messages, "2(N-1)", per_peer<2>},
                {Scenario::alone, Metric::enter, "2(N-1)", per_peer<2>},
                {Scenario::alone, Metric::exit, "0", constant<0>},
                {Scenario::alone, Metric::multicast, "N",
                 [](const Case& c) { return Expected::exactly(c.setup.size); }},
                {Scenario::alone, Metric::delay, "2", constant<2>},
                {Scenario::again, Metric::messages, "0", constant<0>},
                {Scenario::again, Metric::delay, "0", constant<0>},
                {Scenario::handover, Metric::delay, "1", constant<1>},
                {Scenario::everyone, Metric::messages, "2(N-1)", per_peer<2>},
                {Scenario::sequential, Metric::messages, "N-1", when_drawn_uniformly}},
      .checked = {{}, {.options = "--requests 2"}},
  };
  return info;
}

}  // namespace baton
