// Shows what a scalar clock cannot tell: a lock whose replies wait for elections, with two clocks.
//
// The scenario of the Article: a process gets an ELECTION with Lamport time 8 and shortly
// after a REQUEST with Lamport time 10. Its policy is to answer a request that was made in
// knowledge of the election only when the election is over. Lamport time (L. Lamport, CACM 21(7),
// 1978) says that 8 may have happened before 10, so the reply is deferred. Vector time (C. Fidge
// 1988, F. Mattern 1989) says that the two are concurrent, and the reply goes out at once. Where
// the request did come after the election both defer.
//
// The lock is Ricart and Agrawala's. Deferring a reply for longer cannot let a second process in,
// so the choice of clock affects waiting and not safety.
//
// The election is reduced to what the policy needs: the coordinator announces its beginning when
// the run begins, and its end 5 message times later. Before the run the coordinator has had 7
// events of its own and each other process 9, hence the 8 and the 10.
//
// Assumes: no message is lost or duplicated, channels are FIFO, and no process stops.
// Promises: safety, freedom from deadlock and starvation.
// Costs: 2(N−1) messages for every entry, and 2(N−1) for the election.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "core/clocks.h"
#include "core/node_set.h"
#include "core/protocol.h"

namespace baton {

class Deferral {
 public:
  // The time of an event by both clocks.
  struct Moment {
    Clock lamport;
    std::vector<std::uint64_t> vector;
  };
  struct Election {
    Moment at;
  };
  struct Coordinator {
    Moment at;
  };
  struct Request {
    Timestamp at;
    Moment moment;
  };
  struct Reply {
    Timestamp to;
    Moment moment;
  };
  using Message = std::variant<Election, Coordinator, Request, Reply>;
  using Event = Entered;
  using Out = Outbox<Message, Event>;

  enum class Inference : std::uint8_t { lamport, vector };
  enum class Mode : std::uint8_t { released, wanted, held };
  struct State {
    Moment now;
    Mode mode = Mode::released;
    Timestamp mine;
    NodeSet awaited;
    std::vector<Request> deferred;
    std::optional<Moment> election;  // the beginning of an election that is not over
  };

  static constexpr std::uint64_t events_of_coordinator = 7;
  static constexpr std::uint64_t events_of_others = 9;
  static constexpr Ticks length_of_election = 5 * message_time;

  Deferral(Inference inference, NodeId self, const Setup& setup, NodeId inside);

  void start(Out& out);
  void request(Out& out);
  void release(Out& out);
  void receive(NodeId from, const Message& message, Out& out);
  void expire(TimerId timer, Out& out);

  const State& state() const { return state_; }

 private:
  void tick();
  void observe(const Moment& seen);
  bool precedes(const Moment& a, const Moment& b) const;
  bool must_wait(const Request& request) const;
  void answer_who_need_not_wait(Out& out);
  void upon_reply(NodeId from, const Reply& reply, Out& out);

  Inference inference_;
  NodeId self_;
  const Setup* setup_;
  State state_;
};

class DeferralLamport : public Deferral {
 public:
  DeferralLamport(NodeId self, const Setup& setup, NodeId inside = nobody)
      : Deferral(Inference::lamport, self, setup, inside) {}
  static const Info& info();
};

class DeferralVector : public Deferral {
 public:
  DeferralVector(NodeId self, const Setup& setup, NodeId inside = nobody)
      : Deferral(Inference::vector, self, setup, inside) {}
  static const Info& info();
};

}  // namespace baton
