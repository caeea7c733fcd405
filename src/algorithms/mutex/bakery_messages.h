// Lamport's bakery over messages: everyone serves its own variables.
//
// L. Lamport, "A new solution of Dijkstra's concurrent programming problem", Communications of the
// ACM 17(8), 1974; its adaptation to messages as in Cardellini.
//
// Idea: to enter, a process takes a ticket one above all others that it sees (the doorway). Then it
// waits for each other process until that one is not choosing a ticket and has none that goes first
// (the bakery). Nobody writes another's variables; each process answers reads of its own num and
// choosing. A process repeats a read that says "wait" at once; since a read is a message exchange
// that takes time, polling never spins.
//
// Assumes: no message is lost or duplicated and no process stops. Channels need not be FIFO, since
// a process has at most one read under way with each other process; for the same reason a reply
// needs no number to be matched to its read.
// Promises: safety, freedom from deadlock and starvation; first come first served from the doorway:
// a process that has its ticket when another begins to ask goes before it. That is weaker than
// order by happened-before, which is NOT promised: another process can ask because it received a
// read from the doorway, and yet draw the same ticket and go first with the smaller id.
// Costs: 6(N−1) messages (3 variables of each other process, request and reply) and as many polls
// as the wait takes; none to leave. Delay 6 when idle, since all reads of a phase (num, choosing,
// num) go out together; in the paper's order, one process after the other, it is 6(N−1). Hand-over
// in 1 … 3, depending on where the poll is at that moment.
//
// Differences from the paper: shared registers that may be read while written become variables that
// are read at one instant, and the loop over the others runs for all of them at once. Both are
// harmless: what a process learns about one other never bears on what it waits for of a third.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "core/node_set.h"
#include "core/protocol.h"

namespace baton {

class BakeryMessages {
 public:
  // A ticket is one above all tickets seen, as a logical clock is. The paper's zero, no ticket, is
  // an empty optional here.
  using Ticket = Clock;

  struct ReadNum {};
  struct Num {
    std::optional<Ticket> num;
  };
  struct ReadChoosing {};
  struct Choosing {
    bool choosing = false;
  };
  using Message = std::variant<ReadNum, Num, ReadChoosing, Choosing>;
  using Event = Entered;
  using Out = Outbox<Message, Event>;

  struct State {
    bool choosing = false;          // in the doorway
    std::optional<Ticket> num;      // in the bakery, or inside
    std::optional<Ticket> highest;  // of the tickets seen, in the doorway
    NodeSet awaited;  // doorway: processes whose num is unread; bakery: processes that may go first
  };

  BakeryMessages(NodeId self, const Setup& setup, NodeId inside = nobody);

  void request(Out& out);
  void release(Out& out);
  void receive(NodeId from, const Message& message, Out& out);

  const State& state() const { return state_; }
  void assume(State state) { state_ = std::move(state); }
  static const Info& info();

 private:
  void upon_num(NodeId from, const Num& read, Out& out);
  void upon_choosing(NodeId from, const Choosing& read, Out& out);
  void leave_doorway_if_all_read(Out& out);
  void enter_if_none_before(Out& out);

  NodeId self_;
  const Setup* setup_;
  State state_;
};

}  // namespace baton
