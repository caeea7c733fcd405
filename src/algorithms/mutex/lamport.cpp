#include "algorithms/mutex/lamport.h"

#include <algorithm>

namespace baton {

Lamport::Lamport(NodeId self, const Setup& setup, NodeId inside) : self_(self), setup_(&setup) {
  if (inside == nobody) return;
  // All processes have the request of the process inside, stamped before any request to come.
  const Timestamp first{state_.clock, inside};
  state_.queue.insert(first);
  if (self == inside) {
    state_.mode = Mode::held;
    state_.mine = first;
  }
}

void Lamport::request(Out& out) {
  state_.mode = Mode::wanted;
  state_.clock = next(state_.clock);
  state_.mine = {state_.clock, self_};
  state_.queue.insert(state_.mine);
  state_.unheard = NodeSet::all_but(self_, setup_->size);
  out.broadcast(self_, setup_->size, Request{state_.mine});
  enter_if_first(out);
}

void Lamport::release(Out& out) {
  state_.mode = Mode::released;
  state_.queue.erase(state_.mine);
  out.broadcast(self_, setup_->size, Release{state_.mine, state_.clock});
  state_.mine = {};
}

void Lamport::receive(NodeId from, const Message& message, Out& out) {
  std::visit(upon{[&](const Request& request) {
                    upon_request(request, out);
                    hear(request.at);
                  },
                  [&](const Ack& ack) {
                    upon_ack(ack);
                    hear({ack.at, from});
                  },
                  [&](const Release& release) {
                    upon_release(release);
                    hear({release.at, from});
                  }},
             message);
  enter_if_first(out);
}

void Lamport::upon_request(const Request& request, Out& out) {
  state_.clock = std::max(state_.clock, next(request.at.clock));
  state_.queue.insert(request.at);
  out.send(request.at.node, Ack{state_.clock});
}

void Lamport::upon_ack(const Ack& ack) { state_.clock = std::max(state_.clock, ack.at); }

void Lamport::upon_release(const Release& release) {
  state_.clock = std::max(state_.clock, release.at);
  state_.queue.erase(release.of);
}

void Lamport::hear(Timestamp sent) {
  if (state_.mode == Mode::wanted && state_.mine < sent) state_.unheard.erase(sent.node);
}

// A time that is not later than the clock moves nothing. It only matters whether it is later than
// the receiver's own request.
void Lamport::simplify(NodeId from, Message& message) const {
  const auto fade = [&](Clock& at) {
    if (at > state_.clock) return;
    const bool confirms = state_.mode == Mode::wanted && state_.mine < Timestamp{at, from};
    at = confirms ? state_.clock : Clock{0};
  };
  std::visit(upon{[](Request&) {}, [&](Ack& ack) { fade(ack.at); },
                  [&](Release& release) { fade(release.at); }},
             message);
}

void Lamport::enter_if_first(Out& out) {
  if (state_.mode != Mode::wanted || !state_.unheard.empty()) return;
  if (*state_.queue.begin() != state_.mine) return;
  state_.mode = Mode::held;
  out.emit(Entered{});
}

const Info& Lamport::info() {
  static const Info info{
      .name = "lamport",
      .title = "Lamport",
      .publication = "Lamport, CACM 21(7), 1978",
      .idea = "everyone keeps the same queue; the first of it enters once all have been heard",
      .assumes = reliable_fifo_channels,
      .promises = {Promise::safety, Promise::deadlock_freedom, Promise::starvation_freedom,
                   Promise::order},
      .problem = "crash of any process",
      .costs = {{Scenario::alone, Metric::messages, "3(N-1)", per_peer<3>},
                {Scenario::alone, Metric::enter, "2(N-1)", per_peer<2>},
                {Scenario::alone, Metric::exit, "N-1", per_peer<1>},
                {Scenario::alone, Metric::multicast, "N+1",
                 [](const Case& c) { return Expected::exactly(c.setup.size + 1.0); }},
                {Scenario::alone, Metric::delay, "2", constant<2>},
                {Scenario::again, Metric::messages, "3(N-1)", per_peer<3>},
                {Scenario::again, Metric::delay, "2", constant<2>},
                {Scenario::handover, Metric::delay, "1", constant<1>},
                {Scenario::everyone, Metric::messages, "3(N-1)", per_peer<3>}},
      .seeds = {{"Cardellini", "messages to enter and exit", "3(N-1)", ""}},
      .checked = {{.is_quick = false}, {.options = "--requests 2", .is_quick = false}},
      .traps = {{.options = "--reorder", .what = "without FIFO channels"},
                {.options = "--crashes 1 --requests 1",
                 .what = "one crash, and everyone waits for ever"}},
  };
  return info;
}

}  // namespace baton
