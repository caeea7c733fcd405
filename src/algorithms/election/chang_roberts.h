// Chang–Roberts: only the highest identity gets round the ring.
//
// E. Chang and R. Roberts, "An improved algorithm for decentralized extrema-finding in circular
// configurations of processes", Communications of the ACM 22(5), 1979.
//
// Idea: a process that starts sends its identity along the ring. A process passes a higher identity
// on; for a lower one it sends its own instead, if it has not done so already. A process whose
// identity comes home has won, since the identity has passed everyone, and sends the result round.
//
// Assumes: no message is lost and no process stops, as published. Channels need not be FIFO and may
// duplicate.
// Promises: everyone takes the highest process for the leader in the end.
// Costs: if all start, 2N−1 to N(N+1)/2 ELECTIONs, N·H(N) on average over all arrangements; if one
// does, at most 2N−1. And N to announce the leader.
//
// Difference from the paper: the announcement, which is that of the Notes and of others.
#pragma once

#include <variant>

#include "core/protocol.h"

namespace baton {

class ChangRoberts {
 public:
  struct Election {
    NodeId candidate;
  };
  struct Leader {
    NodeId leader;
  };
  using Message = std::variant<Election, Leader>;
  using Event = Elected;
  using Out = Outbox<Message, Event>;

  struct State {
    bool takes_part = false;  // has sent its own identity or a higher one
    NodeId leader = nobody;
  };

  ChangRoberts(NodeId self, const Setup& setup);

  void elect(Out& out);
  void receive(NodeId from, const Message& message, Out& out);

  const State& state() const { return state_; }
  static const Info& info();

 private:
  void upon_election(NodeId candidate, Out& out);
  void upon_leader(NodeId leader, Out& out);
  void believe(NodeId leader, Out& out);

  NodeId self_;
  const Setup* setup_;
  State state_;
};

}  // namespace baton
