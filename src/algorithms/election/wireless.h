// Election in a wireless network: the process with the best capacity, found by a wave.
//
// S. Vasudevan, J. Kurose and D. Towsley, "Design and analysis of a leader election algorithm for
// mobile ad hoc networks", 12th IEEE International Conference on Network Protocols, 2004.
//
// Idea: a process that starts asks its neighbours. A process that is asked for the first time takes
// the asker for its parent and asks all its other neighbours. When all of them have answered, its
// children with the best process below them, it answers its parent with the best it knows. In the
// end the process that started knows the best of all and tells it down the tree.
//
// Assumes: no message is lost, no process crashes, and the graph is connected and does not change.
// Promises: everyone takes the process with the best capacity for the leader, the one with the
// higher identity where several are equally good.
// Costs, one initiator and E edges: 2E−N+1 ELECTION, as many ACK, N−1 LEADER.
//
// Differences from the paper: nobody moves, so that lost neighbours, probes and merging parts have
// no place here. As there, every election has a number and an initiator; a process that hears of a
// higher one gives up the lower, so that of several elections at once one comes to its end.
#pragma once

#include <compare>
#include <cstdint>
#include <variant>

#include "core/node_set.h"
#include "core/protocol.h"

namespace baton {

class Wireless {
 public:
  // Elections are ordered: the later number, then the higher initiator.
  struct Tag {
    std::uint64_t number = 0;
    std::uint32_t initiator = 0;  // its identity

    friend constexpr auto operator<=>(const Tag&, const Tag&) = default;
  };
  struct Candidate {
    std::uint32_t capacity = 0;
    std::uint32_t identity = 0;
    NodeId node = nobody;

    friend constexpr auto operator<=>(const Candidate&, const Candidate&) = default;
  };

  struct Election {
    Tag tag;
  };
  struct Ack {
    Tag tag;
    bool is_child = false;
    Candidate best{};  // below the sender and itself, if it is a child
  };
  struct Leader {
    Tag tag;
    NodeId leader;
  };
  using Message = std::variant<Election, Ack, Leader>;
  using Event = Elected;
  using Out = Outbox<Message, Event>;

  struct State {
    Tag tag;                 // the highest election heard of; number 0: none yet
    bool is_over = true;     // its result is known here
    NodeId parent = nobody;  // nobody at the process that started it
    NodeSet asked;           // neighbours that have not answered yet
    NodeSet children;
    Candidate best;  // so far
    NodeId leader = nobody;
  };

  Wireless(NodeId self, const Setup& setup);

  void elect(Out& out);
  void receive(NodeId from, const Message& message, Out& out);

  NodeId parent() const { return state_.parent; }
  const State& state() const { return state_; }
  static const Info& info();

 private:
  void join(const Tag& tag, NodeId parent, Out& out);
  void upon_election(NodeId from, const Election& election, Out& out);
  void upon_ack(NodeId from, const Ack& ack, Out& out);
  void upon_leader(NodeId from, const Leader& leader, Out& out);
  void report_if_complete(Out& out);
  void learn(NodeId leader, Out& out);

  NodeId self_;
  const Setup* setup_;
  State state_;
};

}  // namespace baton
