// A bank to observe: every process keeps an account, and now and then sends some of its money to
// another. Nobody makes or loses money, so the sum over a state of the whole group, messages under
// way included, is always the same. It is the usual test of a snapshot: a state that counts money
// twice, or misses some, is no state that the group can have been in.
//
// Assumes: no message is lost or duplicated and no process stops. Each process makes a given number
// of transfers, so that runs end.
#pragma once

#include <cstdint>
#include <variant>

#include "algorithms/observe/protocol.h"

namespace baton {

class Bank {
 public:
  static constexpr Parameter transfers{.name = "transfers",
                                       .help = "transfers that each process of the bank makes",
                                       .most = 1000,
                                       .usual = always<5>,
                                       .small = 1};
  static constexpr Parameter largest_transfer{.name = "largest-transfer",
                                              .help = "how much each of them moves at most",
                                              .least = 1,
                                              .most = 100,
                                              .usual = always<20>,
                                              .small = 1};

  struct Transfer {
    std::uint32_t amount = 0;
  };
  using Message = std::variant<Transfer>;
  using Event = NoEvent;
  using Out = Outbox<Message, Event>;

  static constexpr std::uint32_t first_balance = 100;

  struct State {
    std::uint32_t balance = first_balance;
    std::uint32_t transfers_left = 0;
  };

  Bank(NodeId self, const Setup& setup) : self_(self), setup_(&setup) {
    state_.transfers_left = static_cast<std::uint32_t>(setup.value(transfers));
  }

  void start(Out& out) { pause(out); }
  void receive(NodeId from, const Message& message, Out& out);
  void expire(TimerId timer, Out& out);

  const State& state() const { return state_; }
  static const Info& info();

  static std::uint64_t amount_in(const State& state) { return state.balance; }
  static std::uint64_t amount_in(const Message& message) {
    return std::get<Transfer>(message).amount;
  }
  static std::uint64_t amount_in_all(const Setup& setup) {
    return std::uint64_t{first_balance} * setup.size;
  }

 private:
  void pause(Out& out);

  NodeId self_;
  const Setup* setup_;
  State state_;
};

}  // namespace baton
