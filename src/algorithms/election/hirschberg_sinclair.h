// Hirschberg–Sinclair: be the highest among your neighbours, then among twice as many.
//
// D. S. Hirschberg and J. B. Sinclair, "Decentralized extrema-finding in circular configurations of
// processors", Communications of the ACM 23(11), 1980.
//
// Idea: in phase k a candidate probes 2ᵏ processes on either side. A process drops the probe of a
// lower identity; the last one on the way sends a reply back. With both replies the candidate goes
// on to phase k+1, in which at most one of every 2ᵏ+1 processes still is a candidate. Whose probe
// comes home has won.
//
// Assumes: no message is lost and no process stops. A ring whose channels go both ways; they need
// not be FIFO and may duplicate.
// Promises: everyone takes the highest process for the leader in the end.
// Costs: O(N log N) PROBEs and REPLYs. If all start, 3N in the first phase, 2N in the last, and at
// most 4·2ᵏ in between for each candidate of phase k. And N to announce the leader.
//
// Differences from the paper:
// - A process that drops a probe and is no candidate becomes one, so that not all need to start.
// - A candidate notes from which side a reply came, instead of counting two.
// - The announcement.
#pragma once

#include <cstdint>
#include <variant>

#include "core/protocol.h"

namespace baton {

class HirschbergSinclair {
 public:
  enum class Way : std::uint8_t { forward, backward };

  struct Probe {
    NodeId candidate;
    Way way;
    std::uint32_t phase;
    std::uint32_t hops;  // so far, this one included
  };
  struct Reply {
    NodeId candidate;
    Way way;  // of the probe that it answers; the reply goes the other way
    std::uint32_t phase;
  };
  struct Leader {
    NodeId leader;
  };
  using Message = std::variant<Probe, Reply, Leader>;
  using Event = Elected;
  using Out = Outbox<Message, Event>;

  struct State {
    bool is_candidate = false;
    std::uint32_t phase = 0;
    bool answered_forward = false;
    bool answered_backward = false;
    NodeId leader = nobody;
  };

  HirschbergSinclair(NodeId self, const Setup& setup);

  void elect(Out& out);
  void receive(NodeId from, const Message& message, Out& out);

  const State& state() const { return state_; }
  static const Info& info();

 private:
  void upon_probe(Probe probe, Out& out);
  void upon_reply(const Reply& reply, Out& out);
  void upon_leader(NodeId leader, Out& out);
  void begin_phase(std::uint32_t phase, Out& out);
  void win(Out& out);
  void believe(NodeId leader, Out& out);
  NodeId neighbour(Way way) const {
    return way == Way::forward ? setup_->successor(self_) : setup_->predecessor(self_);
  }

  NodeId self_;
  const Setup* setup_;
  State state_;
};

}  // namespace baton
