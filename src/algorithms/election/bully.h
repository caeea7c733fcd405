// Bully: the highest process that answers is the leader.
//
// H. Garcia-Molina, "Elections in a distributed computing system", IEEE Transactions on Computers
// C-31(1), 1982.
//
// Idea: a process that holds an election asks all processes with higher identities. If one answers
// OK, that one takes over and holds an election of its own. If none answers within the time that an
// answer may take, the asker has won and tells everyone below.
//
// Assumes: no message is lost or takes longer than Setup::delay_bound, so that silence means a
// crash. Processes may crash, and come back, at any time. A partition does no harm if every process
// is told of it and of its end. For one that comes back behind it, and is not told before it heals,
// it is nothing but loss.
// Promises: once all is quiet, everyone takes the highest process alive for the leader.
// Costs: ELECTION and OK together (N−1)² at worst, when the lowest starts and the highest is down,
// and N−2 COORDINATOR; N−2 COORDINATOR and one unanswered ELECTION at best.
//
// Differences from the paper:
// - A process that is holding an election does not begin another when it is asked; it answers OK.
// - A process that waits for the result of a higher process holds another election if the result
//   does not come: that process may have crashed meanwhile.
// - A process that comes back does not hold an election at once. Others may have asked it in vain
//   just before, and are about to announce a lower leader: their announcement would arrive after
//   its own. The same holds for a process that hears that another has become reachable again.
#pragma once

#include <cstdint>
#include <variant>

#include "core/protocol.h"

namespace baton {

class Bully {
 public:
  struct Election {};
  struct Ok {};
  struct Coordinator {};
  using Message = std::variant<Election, Ok, Coordinator>;
  using Event = Elected;
  using Out = Outbox<Message, Event>;

  enum class Phase : std::uint8_t {
    settled,      // holds no election
    asking,       // has asked those above, and none has answered yet
    waiting,      // someone above has answered and should announce a leader
    holding_back  // will hold an election once the elections that missed a process are over
  };
  struct State {
    Phase phase = Phase::settled;
    NodeId leader = nobody;
  };

  Bully(NodeId self, const Setup& setup);

  void elect(Out& out);
  void receive(NodeId from, const Message& message, Out& out);
  void expire(TimerId timer, Out& out);
  void suspect(NodeId node, Out& out);
  void trust(NodeId node, Out& out);
  void recover(Out& out) { hold_back(out); }

  const State& state() const { return state_; }
  static const Info& info();

 protected:
  static constexpr TimerId patience{0};

  bool is_above(NodeId a, NodeId b) const { return setup_->identity(a) > setup_->identity(b); }
  void upon_election(NodeId from, Out& out);
  void upon_ok(Out& out);
  void upon_coordinator(NodeId from, Out& out);
  void hold_back(Out& out);
  void win(Out& out);
  void announce(Out& out);

  NodeId self_;
  const Setup* setup_;
  Ticks answer_within_;
  State state_;
};

}  // namespace baton
