// Suzuki–Kasami: ask everyone for the token, which carries the queue of those who wait.
//
// I. Suzuki and T. Kasami, "A distributed mutual exclusion algorithm", ACM Transactions on
// Computer Systems 3(4), 1985.
//
// Idea: a process without the token numbers its request and sends it to all others, since it does
// not know who has the token. The holder passes the token on when it leaves, to the first of a
// queue that travels inside the token. The token also says which request of each process was
// served last, so that a request that arrives late is told from one that still waits.
//
// Assumes: no message is lost or duplicated and no process stops. Channels need not be FIFO, since
// the numbers tell old requests from new; for the same reason a duplicated REQUEST does no harm,
// but a duplicated TOKEN would be a second token.
// Promises: safety; freedom from deadlock and starvation, because every request becomes known to
// every holder and joins the end of a queue of at most N−1. Not order: the request that reaches the
// holder first is served first.
// Costs: 0 messages if the process has the token, else N: N−1 REQUEST and 1 TOKEN; delay 0 or 2
// when idle; hand-over in 1.
//
// Differences from the paper: none.
#pragma once

#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "core/protocol.h"

namespace baton {

class SuzukiKasami {
 public:
  struct Request {
    SequenceNumber number;
  };
  // The paper's PRIVILEGE.
  struct Token {
    std::vector<SequenceNumber> served;  // LN: the last request of each process that was served
    std::vector<NodeId> queue;           // Q: who gets the token next
  };
  using Message = std::variant<Request, Token>;
  using Event = Entered;
  using Out = Outbox<Message, Event>;

  // For hosts to which anything may come: a token of this many processes.
  static bool is_sound(const Message& message, std::uint32_t size) {
    const Token* token = std::get_if<Token>(&message);
    return token == nullptr || token->served.size() == size;
  }

  static constexpr bool numbers_by_process = true;
  static constexpr bool piles_up = true;  // messages to a slow process

  struct State {
    bool requesting = false;                // waiting or inside
    std::vector<SequenceNumber> requested;  // RN: the last known request of each process
    std::optional<Token> token;
  };

  SuzukiKasami(NodeId self, const Setup& setup, NodeId inside = nobody);

  void request(Out& out);
  void release(Out& out);
  void receive(NodeId from, const Message& message, Out& out);

  const State& state() const { return state_; }
  void assume(State state) { state_ = std::move(state); }
  static const Info& info();

 protected:
  void upon_request(NodeId from, const Request& request, Out& out);
  void upon_token(const Token& token, Out& out);
  // Notes that its own request is served, and queues every waiting process that is not in the queue
  // yet.
  void update_token();
  bool waits(NodeId node) const;
  void send_token(NodeId to, Out& out);

  NodeId self_;
  const Setup* setup_;
  State state_;
};

}  // namespace baton
