// Lamport's distributed mutual exclusion: everyone keeps the same queue.
//
// L. Lamport, "Time, clocks, and the ordering of events in a distributed system", Communications
// of the ACM 21(7), 1978.
//
// Idea: every process keeps a copy of the queue of requests, ordered by timestamp. A process
// enters when its own request is the least in its copy and it has heard something later than that
// from everyone, for then, over FIFO channels, no earlier request can still be on its way. RELEASE
// takes the request out of every copy.
//
// Assumes: FIFO channels, no message is lost or duplicated and no process stops.
// Promises: safety, freedom from deadlock and starvation, order by happened-before.
// Costs: 3(N−1) messages for every entry, 2(N−1) to enter and N−1 to leave; delay 2 when idle;
// hand-over in 1.
//
// Differences from the paper:
// - Instead of the last timestamp from each process, a process keeps the set of processes from
//   which nothing later than its own request has come. The two agree, because a process stamps a
//   request later than everything that it received before.
// - The clock advances only at requests and at receipts. No decision needs a time of its own for
//   every other event.
// - A RELEASE names the request that it withdraws, so that finding it takes no search.
// - An ACK is always sent. The paper allows leaving it out where a later message is on its way
//   already; the cost would then no longer be exact.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <variant>

#include "core/node_set.h"
#include "core/protocol.h"

namespace baton {

class Lamport {
 public:
  struct Request {
    Timestamp at;
  };
  struct Ack {
    Clock at;
  };
  struct Release {
    static constexpr Phase phase = Phase::exit;
    Timestamp of;  // the request that this withdraws
    Clock at;
  };
  using Message = std::variant<Request, Ack, Release>;
  using Event = Entered;
  using Out = Outbox<Message, Event>;

  enum class Mode : std::uint8_t { released, wanted, held };
  struct State {
    Clock clock;
    Mode mode = Mode::released;
    Timestamp mine;             // my request, while wanted or held
    std::set<Timestamp> queue;  // all requests that I know of, mine included
    NodeSet unheard;  // processes from which nothing later than mine has come, while wanted
  };

  Lamport(NodeId self, const Setup& setup, NodeId inside = nobody);

  void request(Out& out);
  void release(Out& out);
  void receive(NodeId from, const Message& message, Out& out);

  const State& state() const { return state_; }
  void assume(State state) { state_ = std::move(state); }
  void simplify(NodeId from, Message& message) const;
  static const Info& info();

 private:
  void upon_request(const Request& request, Out& out);
  void upon_ack(const Ack& ack);
  void upon_release(const Release& release);
  void hear(Timestamp sent);
  void enter_if_first(Out& out);

  NodeId self_;
  const Setup* setup_;
  State state_;
};

}  // namespace baton
