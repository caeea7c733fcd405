#include "algorithms/observe/diffusion.h"

namespace baton {

namespace {

constexpr TimerId at_work{0};

// Waits 0.1 to 1.5 message times: longer and shorter than messages take.
Ticks some_time(Diffusion::Out& out) {
  return {static_cast<std::int64_t>(1 + out.choose(15)) * message_time.value / 10};
}

}  // namespace

void Diffusion::start(Out& out) {
  if (self_ == setup_->coordinator) work_on(whole_budget(), out);
}

void Diffusion::receive(NodeId, const Message& message, Out& out) {
  work_on(std::get<Work>(message).budget, out);
}

void Diffusion::work_on(std::uint32_t budget, Out& out) {
  state_.budget += budget;
  if (state_.active) return;
  state_.active = true;
  out.arm(at_work, some_time(out));
}

void Diffusion::expire(TimerId, Out& out) {
  if (state_.budget == 0 || state_.sent == whole_budget()) {
    state_.active = false;
    state_.budget = 0;
    return;
  }
  ++state_.sent;
  const std::uint32_t share = 1 + out.choose(state_.budget);
  state_.budget -= share;
  const std::uint32_t other = out.choose(setup_->size - 1);
  out.send({other < self_.value ? other : other + 1}, Work{share - 1});
  out.arm(at_work, some_time(out));
}

const Info& Diffusion::info() {
  static const Info info{.name = "diffusion",
                         .title = "Diffusing computation",
                         .idea = "hand on parts of the work until none is left",
                         .kind = Kind::observation,
                         .assumes = reliable_channels};
  return info;
}

}  // namespace baton
