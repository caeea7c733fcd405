#include "algorithms/mutex/permission_ring.h"

#include <algorithm>

namespace baton {

namespace {

Expected whole_ring(const Case& c) { return Expected::exactly(c.setup.size); }

Expected ring_distance(const Case& c) {
  return Expected::exactly(c.setup.ring_distance(c.before, c.requester));
}

}  // namespace

PermissionRing::PermissionRing(NodeId self, const Setup& setup, NodeId inside)
    : self_(self), setup_(&setup) {
  if (self == inside) {
    state_.mode = Mode::held;
    state_.mine = {state_.clock, self};
  }
}

void PermissionRing::request(Out& out) {
  state_.mode = Mode::wanted;
  state_.clock = next(state_.clock);
  state_.mine = {state_.clock, self_};
  pass_on(state_.mine, out);
}

void PermissionRing::release(Out& out) {
  state_.mode = Mode::released;
  state_.mine = {};
  for (const Timestamp& request : state_.held_back) pass_on(request, out);
  state_.held_back.clear();
}

void PermissionRing::receive(NodeId, const Message& message, Out& out) {
  const auto& request = std::get<Request>(message);
  state_.clock = std::max(state_.clock, request.seen);
  if (request.at.node == self_) {
    upon_return(request.at, out);
  } else {
    upon_request_of_another(request.at, out);
  }
}

void PermissionRing::simplify(NodeId, Message& message) const {
  auto& request = std::get<Request>(message);
  if (request.seen <= state_.clock) request.seen = {0};
}

void PermissionRing::upon_request_of_another(const Timestamp& request, Out& out) {
  const bool mine_goes_first =
      state_.mode == Mode::held || (state_.mode == Mode::wanted && state_.mine < request);
  if (mine_goes_first) {
    state_.held_back.push_back(request);
  } else {
    pass_on(request, out);
  }
}

void PermissionRing::upon_return(const Timestamp& request, Out& out) {
  if (state_.mode != Mode::wanted || request != state_.mine) return;
  state_.mode = Mode::held;
  out.emit(Entered{});
}

void PermissionRing::pass_on(const Timestamp& request, Out& out) {
  out.send(setup_->successor(self_), Request{request, state_.clock});
}

const Info& PermissionRing::info() {
  static const Info info{
      .name = "permission-ring",
      .title = "Permission ring",
      .publication = "the Notes, with Lamport's timestamps",
      .idea = "the request travels round the ring; who goes first holds it back",
      .assumes = {Assumption::no_loss, Assumption::no_crash},
      .promises = {Promise::safety, Promise::deadlock_freedom, Promise::starvation_freedom,
                   Promise::order},
      .problem = "slow in a large ring, crash of any process",
      .costs = {{Scenario::alone, Metric::messages, "N", whole_ring},
                {Scenario::alone, Metric::enter, "N", whole_ring},
                {Scenario::alone, Metric::exit, "0", constant<0>},
                {Scenario::alone, Metric::delay, "N", whole_ring},
                {Scenario::again, Metric::messages, "N", whole_ring},
                {Scenario::again, Metric::delay, "N", whole_ring},
                {Scenario::handover, Metric::delay, "ring distance, 1 ... N-1", ring_distance},
                {Scenario::everyone, Metric::messages, "N", whole_ring},
                {Scenario::sequential, Metric::messages, "N", whole_ring}},
      .seeds = {{"the Notes", "order", "does not meet the order criteria",
                 "it does with stamps, and clocks carried by every message"}},
      .checked = {{}, {.options = "--requests 2"}},
  };
  return info;
}

}  // namespace baton
