// Raymond: the token moves along the edges of a tree, towards whoever asked.
//
// K. Raymond, "A tree-based algorithm for distributed mutual exclusion", ACM Transactions on
// Computer Systems 7(1), 1989.
//
// Idea: the processes form a tree, and each knows only which neighbour leads to the token. It asks
// that neighbour once on behalf of all who asked it, and keeps them in a queue, which may contain
// itself. When the token comes, the process sends it to the first in the queue, and the pointers
// along its way turn round behind it.
//
// Assumes: no message is lost or duplicated and no process stops. Channels need not be FIFO: two
// messages are on one channel only when a process passes the token on and at once asks for it back,
// and if the REQUEST overtakes the TOKEN, the receiver, which itself has asked and not yet been
// served, only queues it.
// Promises: safety; freedom from deadlock and starvation, because queues are first come, first
// served and every neighbour is in a queue at most once. Not order, for the same reason: requests
// wait as a bundle.
// Costs, with d the tree distance from the holder to the requester: 2d messages and a delay of 2d
// when idle, 0 if it has the token; hand-over in d. A star takes 4 from leaf to leaf. When everyone
// asks at once the token walks round the whole tree from the holder: every edge carries a REQUEST
// and a TOKEN outward, and the same back, except the edges to the process served last, a leaf.
// That is 4(N−1) − 2·(distance to that leaf) in all; which leaf is last depends on who is first
// to reach its neighbour.
//
// Memory: what a process keeps is a pointer, two flags and a queue of at most its neighbours and
// itself, empty when idle.
//
// Differences from the paper: none in the normal course; its recovery of a crashed process is left
// out. The paper's PRIVILEGE is called Token.
#pragma once

#include <utility>
#include <variant>

#include "core/fifo.h"
#include "core/protocol.h"
#include "core/symmetry.h"

namespace baton {

class Raymond {
 public:
  struct Request {};
  struct Token {};
  using Message = std::variant<Request, Token>;
  using Event = Entered;
  using Out = Outbox<Message, Event>;

  static Symmetry symmetry(const Setup&) { return Symmetry::along_the_tree; }

  struct State {
    NodeId holder;        // the neighbour on the way to the token, or myself
    bool inside = false;  // the paper's USING
    bool asked = false;   // I have asked the holder and not been served
    Fifo<NodeId> queue;   // neighbours and perhaps myself, in the order of asking
  };

  Raymond(NodeId self, const Setup& setup, NodeId inside = nobody);

  void request(Out& out);
  void release(Out& out);
  void receive(NodeId from, const Message& message, Out& out);

  const State& state() const { return state_; }
  void assume(State state) { state_ = std::move(state); }
  static const Info& info();

 private:
  // The paper's two procedures, called in this order after every event.
  void assign_token(Out& out);
  void make_request(Out& out);

  NodeId self_;
  State state_;
};

}  // namespace baton
