#include "algorithms/layer/stop_and_wait.h"

namespace baton {

namespace {
constexpr TimerId repeat_timer{0};
}

void StopAndWait::send(Out& out) {
  state_.sent = next(state_.sent);
  state_.under_way = true;
  transmit(out);
}

// Long enough for a message and its acknowledgement, with some reserve.
void StopAndWait::transmit(Out& out) {
  out.send(setup_->successor(self_), Data{state_.sent});
  out.arm(repeat_timer, 3 * setup_->delay_bound);
}

void StopAndWait::expire(TimerId, Out& out) {
  if (state_.under_way) transmit(out);
}

void StopAndWait::receive(NodeId from, const Message& message, Out& out) {
  std::visit(upon{[&](const Data& data) {
                    if (state_.received < data.number) {
                      state_.received = data.number;
                      ++state_.delivered;
                    }
                    out.send(from, Acknowledgement{data.number});
                  },
                  [&](const Acknowledgement& acknowledgement) {
                    if (!state_.under_way || acknowledgement.number != state_.sent) return;
                    state_.under_way = false;
                    out.cancel(repeat_timer);
                    out.emit(Acknowledged{});
                  }},
             message);
}

const Info& StopAndWait::info() {
  static const Info info{
      .name = "stop-and-wait",
      .title = "Stop-and-wait",
      .publication = "Bartlett, Scantlebury and Wilkinson, CACM 12(5), 1969",
      .idea = "send, wait for the acknowledgement, repeat what is not acknowledged in time",
      .kind = Kind::observation,
      .assumes = {Assumption::no_crash, Assumption::synchronous},
  };
  return info;
}

}  // namespace baton
