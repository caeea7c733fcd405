// Ring election: the election goes round, everyone signs, and the highest signature leads.
//
// The ring algorithm of A. S. Tanenbaum, "Distributed Operating Systems", 1995, and of
// Canonical Problems.
//
// Idea: an ELECTION goes from neighbour to neighbour, past those that are down, and each process
// adds itself to the list in it. A process that finds itself in the list knows that the message has
// gone round, picks the highest, and sends a COORDINATOR round with the result.
//
// Assumes: no message to a living process is lost; a suspected process is down or cut off, until
// trusted. Nothing about time or the order of messages, and a process need not know how many there
// are, only its next. Processes may crash, and come back, at any time.
// Promises: once all is quiet, everyone takes the highest process alive for the leader.
// Costs: 2 messages per living process for each process that starts. Messages to a successor that
// is down come back, and are counted apart. The messages grow by an identity per hop.
//
// Several elections at once waste messages and do no harm, if every process can tell in the end
// which result to believe: a COORDINATOR carries a number that is larger than any its ELECTION met,
// and a process ignores one that is not newer than the last. That also ends its way round.
//
// Differences from the books, all for the sake of crashes during an election:
// - The numbers. Without them an old result can overtake the result of a process that came back.
// - Any process that finds itself in the list ends the round, not only the one that began it, which
//   may be down.
// - If a result passes a process that should have won, that process holds an election instead of
//   passing the result on: the list had gone past it while it was down.
// - A process that has a new neighbour, because the old one crashed or another came back, holds an
//   election: this replaces whatever was lost with the old one.
#pragma once

#include <variant>
#include <vector>

#include "core/node_set.h"
#include "core/protocol.h"

namespace baton {

class RingElection {
 public:
  struct Election {
    SequenceNumber number;  // at least that of every process in the list
    std::vector<NodeId> list;
  };
  struct Coordinator {
    SequenceNumber number;
    NodeId announcer;  // the process that ended the round
    NodeId leader;
  };
  using Message = std::variant<Election, Coordinator>;
  using Event = Elected;
  using Out = Outbox<Message, Event>;

  struct State {
    SequenceNumber number;  // the highest seen
    Coordinator latest{{0}, nobody, nobody};
    NodeId leader = nobody;
    NodeSet suspected;
  };

  RingElection(NodeId self, const Setup& setup);

  void elect(Out& out);
  void receive(NodeId from, const Message& message, Out& out);
  void returned(NodeId to, const Message& message, Out& out);
  void suspect(NodeId node, Out& out);
  void trust(NodeId node, Out& out);
  void recover(Out& out) { elect(out); }

  const State& state() const { return state_; }
  static const Info& info();

 private:
  void upon_election(Election election, Out& out);
  void upon_coordinator(const Coordinator& coordinator, Out& out);
  void announce(const std::vector<NodeId>& list, Out& out);
  void believe(const Coordinator& coordinator, Out& out);
  bool is_newer(const Coordinator& coordinator) const;
  // The first after `node` that is not suspected; this process itself if there is none.
  NodeId next_after(NodeId node) const;

  NodeId self_;
  const Setup* setup_;
  State state_;
};

}  // namespace baton
