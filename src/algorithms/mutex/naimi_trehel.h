// Naimi–Trehel: a request follows the trail of earlier requesters, and shortens it as it goes.
//
// M. Naimi and M. Trehel, "An improvement of the log(n) distributed algorithm for mutual
// exclusion", ICDCS 1987; M. Naimi, M. Trehel and A. Arnold, "A log(N) distributed mutual exclusion
// algorithm based on path reversal", Journal of Parallel and Distributed Computing 34(1), 1996.
//
// Idea: each process remembers one father, the last process that it knows to have asked. A request
// goes from father to father until it finds the process at the end of the waiting line. Every
// process on the way takes the requester for its father, since that is now the last: the path is
// reversed. The line itself is spread over the processes: each waiting process knows its next, to
// which it sends the token when it leaves.
//
// Assumes: no message is lost or duplicated and no process stops. Channels need not be FIFO: a
// REQUEST that overtakes the TOKEN finds its receiver waiting and becomes its next, and two
// REQUESTs that swap places are merely served in the other order.
// Promises: safety; freedom from deadlock and starvation, because every request finds the end
// of the line and then keeps its place. Not order: requests take their places as they arrive.
// Costs: 0 … N messages, 0 if the process has the token, else the length of the path and 1 for the
// token; for sequential requests drawn uniformly from all N, on average exactly H(N−1) =
// 1 + 1/2 + … + 1/(N−1) once the starting tree is forgotten. When everyone asks at once and delays
// are equal, 3N−4 in all: N−1 requests reach the first holder together, all but the first go one
// hop further, and the token moves N−1 times. Hand-over in 1.
//
// Memory: two ids and a flag.
//
// Differences from the paper: its flag token-present is left out, since no decision needs it: a
// process without a father that is not requesting has the token. Its recovery of a lost token
// (1987) is left out too.
#pragma once

#include <utility>
#include <variant>

#include "core/protocol.h"
#include "core/symmetry.h"

namespace baton {

class NaimiTrehel {
 public:
  struct Request {
    NodeId requester;
  };
  struct Token {};
  using Message = std::variant<Request, Token>;
  using Event = Entered;
  using Out = Outbox<Message, Event>;

  static Symmetry symmetry(const Setup&) { return Symmetry::everyone; }

  struct State {
    NodeId father;            // where requests go on, or nobody at the end of the line
    NodeId next = nobody;     // the process that gets the token after me
    bool requesting = false;  // waiting or inside
  };

  NaimiTrehel(NodeId self, const Setup& setup, NodeId inside = nobody);

  void request(Out& out);
  void release(Out& out);
  void receive(NodeId from, const Message& message, Out& out);

  const State& state() const { return state_; }
  void assume(State state) { state_ = std::move(state); }
  static const Info& info();

 private:
  void upon_request(NodeId requester, Out& out);

  NodeId self_;
  State state_;
};

}  // namespace baton
