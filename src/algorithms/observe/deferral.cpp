#include "algorithms/observe/deferral.h"

#include <algorithm>
#include <utility>

namespace baton {

namespace {

constexpr TimerId end_of_election{0};

Info described(std::string_view name, std::string_view title, std::string_view idea,
               std::string_view problem) {
  return {.name = name,
          .title = title,
          .publication = "the scenario of the Article",
          .idea = idea,
          .kind = Kind::observation,
          .assumes = reliable_fifo_channels,
          .promises = {Promise::safety, Promise::deadlock_freedom, Promise::starvation_freedom},
          .problem = problem,
          .costs = {{Scenario::alone, Metric::messages, "2(N-1)", per_peer<2>}},
          .example = "-n 3 --first 1"};
}

}  // namespace

Deferral::Deferral(Inference inference, NodeId self, const Setup& setup, NodeId inside)
    : inference_(inference), self_(self), setup_(&setup) {
  const std::uint64_t before = self == setup.coordinator ? events_of_coordinator : events_of_others;
  state_.now = {{before}, std::vector<std::uint64_t>(setup.size)};
  state_.now.vector[self.value] = before;
  if (self == inside) state_.mode = Mode::held;
}

void Deferral::start(Out& out) {
  if (self_ != setup_->coordinator) return;
  tick();
  state_.election = state_.now;
  out.broadcast(self_, setup_->size, Election{state_.now});
  out.arm(end_of_election, length_of_election);
}

void Deferral::expire(TimerId, Out& out) {
  tick();
  state_.election.reset();
  out.broadcast(self_, setup_->size, Coordinator{state_.now});
  answer_who_need_not_wait(out);
}

void Deferral::request(Out& out) {
  tick();
  state_.mode = Mode::wanted;
  state_.mine = {state_.now.lamport, self_};
  state_.awaited = NodeSet::all_but(self_, setup_->size);
  out.broadcast(self_, setup_->size, Request{state_.mine, state_.now});
}

void Deferral::release(Out& out) {
  state_.mode = Mode::released;
  answer_who_need_not_wait(out);
}

void Deferral::receive(NodeId from, const Message& message, Out& out) {
  std::visit(upon{[&](const Election& election) {
                    observe(election.at);
                    state_.election = election.at;
                  },
                  [&](const Coordinator& coordinator) {
                    observe(coordinator.at);
                    state_.election.reset();
                    answer_who_need_not_wait(out);
                  },
                  [&](const Request& request) {
                    observe(request.moment);
                    state_.deferred.push_back(request);
                    answer_who_need_not_wait(out);
                  },
                  [&](const Reply& reply) { upon_reply(from, reply, out); }},
             message);
}

void Deferral::upon_reply(NodeId from, const Reply& reply, Out& out) {
  observe(reply.moment);
  if (state_.mode != Mode::wanted || reply.to != state_.mine) return;
  state_.awaited.erase(from);
  if (!state_.awaited.empty()) return;
  state_.mode = Mode::held;
  out.emit(Entered{});
}

void Deferral::answer_who_need_not_wait(Out& out) {
  std::vector<Request> still_waiting;
  for (Request& request : std::exchange(state_.deferred, {})) {
    if (must_wait(request)) {
      still_waiting.push_back(std::move(request));
    } else {
      tick();
      out.send(request.at.node, Reply{request.at, state_.now});
    }
  }
  state_.deferred = std::move(still_waiting);
}

bool Deferral::must_wait(const Request& request) const {
  if (state_.mode == Mode::held) return true;
  if (state_.mode == Mode::wanted && state_.mine < request.at) return true;
  return state_.election && precedes(*state_.election, request.moment);
}

// True if `a` happened before `b`, as far as the clock can tell.
bool Deferral::precedes(const Moment& a, const Moment& b) const {
  if (inference_ == Inference::lamport) return a.lamport < b.lamport;
  return VectorClock(a.vector) < VectorClock(b.vector);
}

void Deferral::tick() {
  state_.now.lamport = next(state_.now.lamport);
  ++state_.now.vector[self_.value];
}

void Deferral::observe(const Moment& seen) {
  state_.now.lamport = std::max(state_.now.lamport, seen.lamport);
  for (std::size_t i = 0; i < seen.vector.size(); ++i) {
    state_.now.vector[i] = std::max(state_.now.vector[i], seen.vector[i]);
  }
  tick();
}

const Info& DeferralLamport::info() {
  static const Info info =
      described("deferral-lamport", "Replies that wait for elections, by Lamport time",
                "answer a request after the election if its Lamport time is larger",
                "waits for elections that the request has nothing to do with");
  return info;
}

const Info& DeferralVector::info() {
  static const Info info =
      described("deferral-vector", "Replies that wait for elections, by vector time",
                "answer a request after the election if it happened after its beginning",
                "every message carries N numbers");
  return info;
}

}  // namespace baton
