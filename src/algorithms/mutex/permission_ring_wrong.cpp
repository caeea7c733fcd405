#include "algorithms/mutex/permission_ring_wrong.h"

#include <algorithm>

namespace baton {

namespace {

constexpr TimerId round_trip{0};

}  // namespace

void WrongPermissionRingLiteral::receive(NodeId, const Message& message, Out& out) {
  const auto& request = std::get<Request>(message);
  state_.clock = std::max(state_.clock, request.seen);
  if (request.at.node == self_) {
    upon_return(request.at, out);
  } else if (state_.mode == Mode::released) {
    pass_on(request.at, out);
  }
}

const Info& WrongPermissionRingLiteral::info() {
  static const Info info{
      .name = "wrong-permission-ring-literal",
      .title = "Permission ring as the Notes word it",
      .publication = "the Notes",
      .idea = "the request travels round the ring; who wants to enter disregards it",
      .assumes = PermissionRing::info().assumes,
      .promises = {Promise::safety, Promise::deadlock_freedom, Promise::starvation_freedom},
      .problem = "deadlock",
      .flaws = {{Promise::deadlock_freedom,
                 {},
                 "two that want to enter at once disregard each other's requests, and both wait "
                 "for ever"}},
  };
  return info;
}

void WrongPermissionRingRetry::request(Out& out) {
  PermissionRing::request(out);
  await_return(out);
}

void WrongPermissionRingRetry::expire(TimerId, Out& out) {
  if (state_.mode != Mode::wanted) return;
  pass_on(state_.mine, out);
  await_return(out);
}

void WrongPermissionRingRetry::await_return(Out& out) {
  out.arm(round_trip, (std::int64_t{setup_->size} + 1) * message_time);
}

const Info& WrongPermissionRingRetry::info() {
  static const Info info{
      .name = "wrong-permission-ring-retry",
      .title = "Permission ring as the Notes word it, trying again",
      .publication = "the Notes",
      .idea = "as the literal form; who was disregarded tries again after a while",
      .assumes = PermissionRing::info().assumes,
      .promises = {Promise::safety, Promise::deadlock_freedom, Promise::starvation_freedom},
      .problem = "livelock",
      .example = "-n 3 --progress-bound 12",
      .flaws = {{Promise::deadlock_freedom,
                 {},
                 "two that want to enter at once go on disregarding each other's requests however "
                 "often they try: a livelock"}},
  };
  return info;
}

}  // namespace baton
