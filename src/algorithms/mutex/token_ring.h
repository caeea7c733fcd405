// Token ring: the holder of the token may go in, and the token never rests.
//
// G. Le Lann, "Distributed systems: towards a formal approach", IFIP Congress 1977.
//
// Idea: the processes form a ring in which each sends to its successor only, and one token travels
// round it for ever. A process that wants the critical section waits for the token, keeps it while
// inside and passes it on when it leaves; any other process passes it on at once. There is one
// token, so there is one process inside.
//
// Assumes: no message is lost or duplicated and no process stops. At most one message is under way
// at any time, so channels need not be FIFO.
// Promises: safety, freedom from deadlock and starvation: between two entries of one process the
// token passes every other. Not order: the ring decides, not the time of asking.
// Costs: one message per entry when all want it (N before the last of N entries, if the token has
// left its first holder before that one asks), without bound when nobody does; delay 0 … N when
// idle, N/2 on average; hand-over in the ring distance, 1 … N−1.
//
// Differences from the paper: none in the normal course; its recovery of a lost token is left
// out. A process that is alone keeps the token, since it would otherwise send to itself for ever.
#pragma once

#include <cstdint>
#include <utility>
#include <variant>

#include "core/protocol.h"
#include "core/symmetry.h"

namespace baton {

class TokenRing {
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

  TokenRing(NodeId self, const Setup& setup, NodeId inside = nobody);

  void start(Out& out);
  void request(Out& out);
  void release(Out& out);
  void receive(NodeId from, const Message& message, Out& out);

  const State& state() const { return state_; }
  void assume(State state) { state_ = std::move(state); }
  static const Info& info();

 protected:
  void upon_token(Out& out);
  void enter(Out& out);
  void pass_on(Out& out);

  NodeId self_;
  const Setup* setup_;
  State state_;
};

}  // namespace baton
