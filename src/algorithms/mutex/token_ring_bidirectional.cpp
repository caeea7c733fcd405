#include "algorithms/mutex/token_ring_bidirectional.h"

#include <algorithm>
#include <limits>

namespace baton {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Expected shorter_way_or_more(const Case& c) {
  const std::uint32_t distance = c.setup.ring_distance(c.before, c.requester);
  return Expected::between(std::min(distance, c.setup.size - distance), infinity);
}

}  // namespace

TokenRingBidirectional::TokenRingBidirectional(NodeId self, const Setup& setup, NodeId inside)
    : self_(self), setup_(&setup) {
  state_.has_token = self == (inside == nobody ? setup.coordinator : inside);
  if (self == inside) state_.mode = Mode::held;
}

void TokenRingBidirectional::start(Out& out) {
  if (state_.has_token && state_.mode == Mode::released) pass_on(out);
}

void TokenRingBidirectional::request(Out& out) {
  state_.mode = Mode::wanted;
  if (state_.has_token) enter(out);
}

void TokenRingBidirectional::release(Out& out) {
  state_.mode = Mode::released;
  pass_on(out);
}

void TokenRingBidirectional::receive(NodeId, const Message&, Out& out) {
  state_.has_token = true;
  if (state_.mode == Mode::wanted) {
    enter(out);
  } else {
    pass_on(out);
  }
}

void TokenRingBidirectional::enter(Out& out) {
  state_.mode = Mode::held;
  out.emit(Entered{});
}

void TokenRingBidirectional::pass_on(Out& out) {
  if (setup_->size == 1) return;
  state_.has_token = false;
  const bool forwards = out.choose(2) == 0;
  out.send(forwards ? setup_->successor(self_) : setup_->predecessor(self_), Token{});
}

const Info& TokenRingBidirectional::info() {
  static const Info info{
      .name = "token-ring-bidirectional",
      .title = "Token ring, bidirectional",
      .publication = "Cardellini, after Le Lann 1977",
      .idea = "as the token ring, but the token may turn back at any process",
      .assumes = reliable_channels,
      .promises = {Promise::safety, Promise::deadlock_freedom},
      .problem = "starvation, lost token, crash of any process",
      .perpetual = true,
      .costs = {{Scenario::handover, Metric::delay,
                 "min(d, N-d) ... infinity for ring distance d; d(N-d) on average",
                 shorter_way_or_more}},
      .seeds = {{"Cardellini", "messages to enter and exit", "1 to infinity (if bidirectional)",
                 ""}},
      .example = "-n 4",
      .checked = {{}, {.options = "--requests 2"}, {.options = "-n 4"}},
  };
  return info;
}

}  // namespace baton
