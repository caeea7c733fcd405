// Permission ring: the request itself travels round the ring, and everyone on the way lets it pass.
//
// The idea of the Notes ("Token ring"), made sound with the timestamps of L. Lamport,
// "Time, clocks, and the ordering of events in a distributed system", CACM 21(7), 1978.
//
// Idea: a process that wants the critical section sends a timestamped REQUEST to its successor, and
// each process passes it on to the next. A process that is inside, or wants to be with an older
// stamp, holds it back until it leaves. A process whose request comes home has everyone's
// permission and enters.
//
// Assumes: no message is lost and no process stops. Channels need not be FIFO, and may duplicate:
// every copy needs everyone's permission, and a copy that comes home too late is for a request
// that is over. But every copy is passed on, so where each message is duplicated with probability
// p, a request comes home (1+p)^N times on average.
// Promises: safety, freedom from deadlock and starvation, order by happened-before. They follow
// from entries being made in the order of their stamps, for if i's request is older than j's:
// - j's request reaches i only after i has made its own, since a process that has seen a stamp
//   only makes larger ones; and i holds it back until i has left. So i enters and leaves first.
// - The oldest request waits only for the process inside, so it comes home. Only finitely many
//   requests can be older than a given one, since a process that has let it pass makes younger
//   ones.
// - What happened before a request raised the clock that stamped it, because every message
//   carries the clock of its last sender and not only the stamp of its first.
// Costs: N messages for every entry; delay N when idle; hand-over in the ring distance, 1 … N−1.
//
// Differences from the Notes: there a process that wants to enter disregards the requests of
// others, and a disregarded process tries again. That form stops for ever: see
// permission_ring_wrong.h.
#pragma once

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "core/protocol.h"

namespace baton {

class PermissionRing {
 public:
  struct Request {
    Timestamp at;
    Clock seen;  // the clock of the process that sent or passed it on
  };
  using Message = std::variant<Request>;
  using Event = Entered;
  using Out = Outbox<Message, Event>;

  enum class Mode : std::uint8_t { released, wanted, held };
  struct State {
    Clock clock;
    Mode mode = Mode::released;
    Timestamp mine;                    // my request, while wanted or held
    std::vector<Timestamp> held_back;  // requests that I pass on when I leave
  };

  PermissionRing(NodeId self, const Setup& setup, NodeId inside = nobody);

  void request(Out& out);
  void release(Out& out);
  void receive(NodeId from, const Message& message, Out& out);

  const State& state() const { return state_; }
  void assume(State state) { state_ = std::move(state); }
  void simplify(NodeId from, Message& message) const;
  static const Info& info();

 protected:
  void upon_request_of_another(const Timestamp& request, Out& out);
  void upon_return(const Timestamp& request, Out& out);
  void pass_on(const Timestamp& request, Out& out);

  NodeId self_;
  const Setup* setup_;
  State state_;
};

}  // namespace baton
