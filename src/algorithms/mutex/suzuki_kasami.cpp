#include "algorithms/mutex/suzuki_kasami.h"

#include <algorithm>

namespace baton {

namespace {

Expected group_size(const Case& c) { return Expected::exactly(c.setup.size); }

// One entry in N is that of the holder and costs nothing, the others cost N.
Expected mean_of_uniform_draws(const Case& c) {
  return Expected::mean(static_cast<double>(c.setup.size) - 1);
}

}  // namespace

SuzukiKasami::SuzukiKasami(NodeId self, const Setup& setup, NodeId inside)
    : self_(self), setup_(&setup) {
  state_.requesting = self == inside;
  state_.requested.resize(setup.size);
  if (self == (inside == nobody ? setup.coordinator : inside)) {
    state_.token = Token{std::vector<SequenceNumber>(setup.size), {}};
  }
}

void SuzukiKasami::request(Out& out) {
  state_.requesting = true;
  if (state_.token) {
    out.emit(Entered{});
    return;
  }
  SequenceNumber& mine = state_.requested[self_.value];
  mine = next(mine);
  out.broadcast(self_, setup_->size, Request{mine});
}

void SuzukiKasami::release(Out& out) {
  state_.requesting = false;
  update_token();
  std::vector<NodeId>& queue = state_.token->queue;
  if (queue.empty()) return;
  const NodeId first = queue.front();
  queue.erase(queue.begin());
  send_token(first, out);
}

void SuzukiKasami::receive(NodeId from, const Message& message, Out& out) {
  std::visit(upon{[&](const Request& request) { upon_request(from, request, out); },
                  [&](const Token& token) { upon_token(token, out); }},
             message);
}

void SuzukiKasami::upon_request(NodeId from, const Request& request, Out& out) {
  SequenceNumber& latest = state_.requested[from.value];
  latest = std::max(latest, request.number);
  if (state_.token && !state_.requesting && waits(from)) send_token(from, out);
}

void SuzukiKasami::upon_token(const Token& token, Out& out) {
  state_.token = token;
  out.emit(Entered{});
}

void SuzukiKasami::update_token() {
  Token& token = *state_.token;
  token.served[self_.value] = state_.requested[self_.value];
  // Looking each process up in the queue would take quadratic time.
  std::vector<bool> queued(setup_->size);
  for (const NodeId node : token.queue) queued[node.value] = true;
  for (std::uint32_t i = 0; i < setup_->size; ++i) {
    if (!queued[i] && waits({i})) token.queue.push_back({i});
  }
}

bool SuzukiKasami::waits(NodeId node) const {
  return state_.requested[node.value] == next(state_.token->served[node.value]);
}

void SuzukiKasami::send_token(NodeId to, Out& out) {
  out.send(to, *std::move(state_.token));
  state_.token.reset();
}

const Info& SuzukiKasami::info() {
  static const Info info{
      .name = "suzuki-kasami",
      .title = "Suzuki–Kasami",
      .publication = "Suzuki and Kasami, ACM TOCS 3(4), 1985",
      .idea = "ask everyone for the token, which carries the queue of those who wait",
      .assumes = reliable_channels,
      .promises = {Promise::safety, Promise::deadlock_freedom, Promise::starvation_freedom},
      .problem = "lost token, a token that grows with the group",
      .costs = {{Scenario::alone, Metric::messages, "N", group_size},
                {Scenario::alone, Metric::enter, "N", group_size},
                {Scenario::alone, Metric::exit, "0", constant<0>},
                {Scenario::alone, Metric::multicast, "2", constant<2>},
                {Scenario::alone, Metric::delay, "2", constant<2>},
                {Scenario::again, Metric::messages, "0", constant<0>},
                {Scenario::again, Metric::delay, "0", constant<0>},
                {Scenario::handover, Metric::delay, "1", constant<1>},
                {Scenario::everyone, Metric::messages, "N for all but the holder: N-1 each",
                 per_peer<1>},
                {Scenario::sequential, Metric::messages, "N-1", mean_of_uniform_draws}},
      .checked = {{}, {.options = "--requests 2"}, {.options = "--resilient", .is_quick = false}},
  };
  return info;
}

}  // namespace baton
