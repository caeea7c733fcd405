// Carvalho–Roucairol: Ricart–Agrawala in which a process keeps a permission until it is asked back.
//
// O. S. F. Carvalho and G. Roucairol, "On mutual exclusion in computer networks", Communications of
// the ACM 26(2), 1983.
//
// Idea: a REPLY is a permission that stays valid until its receiver replies in turn. A process
// therefore asks only those whose permission it does not have, and enters when it has all of them.
// Of two processes at most one has the other's permission, and conflicts between requests are
// settled by timestamp as in Ricart–Agrawala.
//
// Assumes: no message is lost and no process stops. Channels need not be FIFO, and may duplicate.
// Promises: safety, freedom from deadlock and starvation. A request that has reached all its
// receivers is overtaken only by earlier ones, of which there are finitely many. Order by
// happened-before is NOT promised: a process that has all permissions re-enters without asking,
// though a request that happened before is on its way to it.
// Costs: 0 … 2(N−1) messages: 0 to re-enter with nothing in between, N−1 on average when uniformly
// drawn processes enter one after the other; delay 0 or 2 when idle; hand-over in 1.
//
// Differences from the paper:
// - A REPLY names the request that it answers, so that a duplicate is never taken for a permission.
// - Nobody has a permission at first; the paper's initial distribution is left open.
#pragma once

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "core/node_set.h"
#include "core/protocol.h"

namespace baton {

class CarvalhoRoucairol {
 public:
  struct Request {
    Timestamp at;
  };
  struct Reply {
    Timestamp to;  // the request that this answers
  };
  using Message = std::variant<Request, Reply>;
  using Event = Entered;
  using Out = Outbox<Message, Event>;

  // A process that enters again and again hears nothing from others; its clock catches up.
  static constexpr unsigned number_gap = 4;

  enum class Mode : std::uint8_t { released, wanted, held };
  struct State {
    Clock clock;
    Mode mode = Mode::released;
    Timestamp mine;                   // my request, while wanted or held
    NodeSet permitted_by;             // processes whose permission I have
    std::vector<Timestamp> deferred;  // requests that I answer when I leave
  };

  CarvalhoRoucairol(NodeId self, const Setup& setup, NodeId inside = nobody);

  void request(Out& out);
  void release(Out& out);
  void receive(NodeId from, const Message& message, Out& out);

  const State& state() const { return state_; }
  void assume(State state) { state_ = std::move(state); }
  static const Info& info();

 private:
  void upon_request(const Request& request, Out& out);
  void upon_reply(NodeId from, const Reply& reply, Out& out);
  void permit(const Timestamp& request, Out& out);
  void enter_if_permitted(Out& out);

  NodeId self_;
  const Setup* setup_;
  State state_;
};

}  // namespace baton
