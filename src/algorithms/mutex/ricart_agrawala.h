// Ricart–Agrawala: ask everyone, and let the earlier request go first.
//
// G. Ricart and A. K. Agrawala, "An optimal algorithm for mutual exclusion in computer networks",
// Communications of the ACM 24(1), 1981.
//
// Idea: a process that wants the critical section sends a timestamped REQUEST to all others and
// enters once each has sent a REPLY. A process that is inside, or wants to be with an earlier
// timestamp, defers its reply until it leaves. The deferred reply does the work of Lamport's
// RELEASE, which saves N−1 messages.
//
// Assumes: no message is lost and no process stops. Channels need not be FIFO, and may duplicate.
// Promises: safety, freedom from deadlock and starvation, order by happened-before.
// Costs: 2(N−1) messages for every entry; delay 2 when idle; hand-over in 1.
//
// Differences from the paper:
// - A REPLY names the request that it answers, and a process keeps the set of processes that have
//   not replied instead of a count. Counting lets two in as soon as a reply is duplicated.
// - A REPLY carries the sender's clock too. Without it a reply that overtakes a request on a
//   channel that is not FIFO lets a causally later request be stamped earlier.
#pragma once

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "core/node_set.h"
#include "core/protocol.h"

namespace baton {

class RicartAgrawala {
 public:
  struct Request {
    Timestamp at;
  };
  struct Reply {
    Timestamp to;  // the request that this answers
    Clock at;
  };
  using Message = std::variant<Request, Reply>;
  using Event = Entered;
  using Out = Outbox<Message, Event>;

  enum class Mode : std::uint8_t { released, wanted, held };
  struct State {
    Clock clock;
    Mode mode = Mode::released;
    Timestamp mine;                   // my request, while wanted or held
    NodeSet awaited;                  // processes that have not replied to it
    std::vector<Timestamp> deferred;  // requests that I answer when I leave
  };

  RicartAgrawala(NodeId self, const Setup& setup, NodeId inside = nobody);

  void request(Out& out);
  void release(Out& out);
  void receive(NodeId from, const Message& message, Out& out);

  const State& state() const { return state_; }
  void assume(State state) { state_ = std::move(state); }
  void simplify(NodeId from, Message& message) const;
  static const Info& info();

 protected:
  void upon_request(const Request& request, Out& out);
  void upon_reply(NodeId from, const Reply& reply, Out& out);
  void enter_if_all_replied(Out& out);

  NodeId self_;
  const Setup* setup_;
  State state_;
};

}  // namespace baton
