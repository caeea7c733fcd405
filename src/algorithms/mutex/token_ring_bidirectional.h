// Token ring in which the token may turn back.
//
// Cardellini notes that a token ring keeps everyone from starving "if the ring is
// unidirectional". This is the other ring, kept to show what it loses.
//
// Idea: as the token ring, but whoever passes the token on chooses the direction anew each time,
// the successor or the predecessor. There is still one token, hence one process inside. Nothing
// makes the token come to any particular process.
//
// Assumes: no message is lost or duplicated and no process stops. Channels need not be FIFO.
// Promises: safety. Freedom from deadlock in this sense: in every state the token can still reach
// whoever waits, and with fair random choices it does so with probability one; the token is then a
// random walk, which reaches a process d hops away after d(N−d) hops on average. Choices that are
// anything but fair can shuttle the token between two neighbours for ever: if these keep asking, a
// third starves while others go in; if they do not, nobody goes in. So freedom from starvation
// is not promised, and no number of hops bounds a wait.
// Costs: from 1 message per entry to infinity. Hand-over takes at least the shorter way, at most
// for ever.
#pragma once

#include <cstdint>
#include <utility>
#include <variant>

#include "core/protocol.h"
#include "core/symmetry.h"

namespace baton {

class TokenRingBidirectional {
 public:
  struct Token {
    static constexpr Phase phase = Phase::exit;
  };
  using Message = std::variant<Token>;
  using Event = Entered;
  using Out = Outbox<Message, Event>;

  static Symmetry symmetry(const Setup&) { return Symmetry::along_the_ring; }

  enum class Mode : std::uint8_t { released, wanted, held };
  struct State {
    Mode mode = Mode::released;
    bool has_token = false;
  };

  TokenRingBidirectional(NodeId self, const Setup& setup, NodeId inside = nobody);

  void start(Out& out);
  void request(Out& out);
  void release(Out& out);
  void receive(NodeId from, const Message& message, Out& out);

  const State& state() const { return state_; }
  void assume(State state) { state_ = std::move(state); }
  static const Info& info();

 private:
  void enter(Out& out);
  void pass_on(Out& out);

  NodeId self_;
  const Setup* setup_;
  State state_;
};

}  // namespace baton
