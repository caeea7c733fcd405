#include "algorithms/mutex/ricart_agrawala.h"

#include <algorithm>

namespace baton {

RicartAgrawala::RicartAgrawala(NodeId self, const Setup& setup, NodeId inside)
    : self_(self), setup_(&setup) {
  if (self == inside) {
    state_.mode = Mode::held;
    state_.mine = {state_.clock, self};
  }
}

void RicartAgrawala::request(Out& out) {
  state_.mode = Mode::wanted;
  state_.clock = next(state_.clock);
  state_.mine = {state_.clock, self_};
  state_.awaited = NodeSet::all_but(self_, setup_->size);
  out.broadcast(self_, setup_->size, Request{state_.mine});
  enter_if_all_replied(out);
}

void RicartAgrawala::release(Out& out) {
  state_.mode = Mode::released;
  state_.mine = {};
  for (const Timestamp& request : state_.deferred) {
    out.send(request.node, Reply{request, state_.clock});
  }
  state_.deferred.clear();
}

void RicartAgrawala::receive(NodeId from, const Message& message, Out& out) {
  std::visit(upon{[&](const Request& request) { upon_request(request, out); },
                  [&](const Reply& reply) { upon_reply(from, reply, out); }},
             message);
}

void RicartAgrawala::upon_request(const Request& request, Out& out) {
  state_.clock = std::max(state_.clock, request.at.clock);
  const bool mine_goes_first =
      state_.mode == Mode::held || (state_.mode == Mode::wanted && state_.mine < request.at);
  if (mine_goes_first) {
    state_.deferred.push_back(request.at);
  } else {
    out.send(request.at.node, Reply{request.at, state_.clock});
  }
}

void RicartAgrawala::upon_reply(NodeId from, const Reply& reply, Out& out) {
  state_.clock = std::max(state_.clock, reply.at);
  if (state_.mode != Mode::wanted || reply.to != state_.mine) return;
  state_.awaited.erase(from);
  enter_if_all_replied(out);
}

void RicartAgrawala::simplify(NodeId, Message& message) const {
  auto* reply = std::get_if<Reply>(&message);
  if (reply != nullptr && reply->at <= state_.clock) reply->at = {0};
}

void RicartAgrawala::enter_if_all_replied(Out& out) {
  if (!state_.awaited.empty()) return;
  state_.mode = Mode::held;
  out.emit(Entered{});
}

const Info& RicartAgrawala::info() {
  static const Info info{
      .name = "ricart-agrawala",
      .title = "Ricart–Agrawala",
      .publication = "Ricart and Agrawala, CACM 24(1), 1981",
      .idea = "ask everyone; who is inside or asked earlier replies later",
      .assumes = {Assumption::no_loss, Assumption::no_crash},
      .promises = {Promise::safety, Promise::deadlock_freedom, Promise::starvation_freedom,
                   Promise::order},
      .problem = "crash of any process",
      .costs = {{Scenario::alone, Metric::messages, "2(N-1)", per_peer<2>},
                {Scenario::alone, Metric::enter, "2(N-1)", per_peer<2>},
                {Scenario::alone, Metric::exit, "0", constant<0>},
                {Scenario::alone, Metric::multicast, "N",
                 [](const Case& c) { return Expected::exactly(c.setup.size); }},
                {Scenario::alone, Metric::delay, "2", constant<2>},
                {Scenario::again, Metric::messages, "2(N-1)", per_peer<2>},
                {Scenario::handover, Metric::delay, "1", constant<1>},
                {Scenario::everyone, Metric::messages, "2(N-1)", per_peer<2>}},
      .seeds = {{"Cardellini", "messages to enter", "2(N-1)", ""},
                {"Canonical Problems", "delay before entry", "2(n-1)",
                 "there the messages go one after the other; here all requests go out in one step"},
                {"the Chubby Slides", "messages per exit", "N-1",
                 "there deferred replies count at the exit; here they are owed to the requester's "
                 "entry"}},
      .checked = {{}, {.options = "--requests 2"}, {.options = "--resilient", .is_quick = false}},
      .traps = {{.options = "--crashes 1", .what = "one crash, and everyone waits for ever"}},
  };
  return info;
}

}  // namespace baton
