#include "algorithms/observe/bank.h"

#include <algorithm>

namespace baton {

namespace {

constexpr TimerId next_transfer{0};

}  // namespace

void Bank::receive(NodeId, const Message& message, Out&) {
  state_.balance += std::get<Transfer>(message).amount;
}

void Bank::expire(TimerId, Out& out) {
  --state_.transfers_left;
  if (state_.balance > 0) {
    const auto most = static_cast<std::uint32_t>(setup_->value(largest_transfer));
    const std::uint32_t amount = 1 + out.choose(std::min(state_.balance, most));
    // Draws a process other than itself.
    const std::uint32_t other = out.choose(setup_->size - 1);
    state_.balance -= amount;
    out.send({other < self_.value ? other : other + 1}, Transfer{amount});
  }
  pause(out);
}

// Waits 0.1 to 2 message times, so that some transfers overtake others elsewhere.
void Bank::pause(Out& out) {
  if (state_.transfers_left == 0) return;
  const std::int64_t tenths = 1 + out.choose(20);
  out.arm(next_transfer, {tenths * message_time.value / 10});
}

const Info& Bank::info() {
  static const Info info{.name = "bank",
                         .title = "Bank",
                         .idea = "send some money to another process now and then",
                         .kind = Kind::observation,
                         .assumes = reliable_channels};
  return info;
}

}  // namespace baton
