// Maekawa, as textbooks have it: ask your voting set, and each voter votes for one at a time.
//
// M. Maekawa, "A √N algorithm for mutual exclusion in decentralized systems", ACM Transactions on
// Computer Systems 3(2), 1985, without its section on deadlock.
//
// Idea: each process has a voting set, and any two voting sets share a voter. A process that wants
// the critical section asks its own set and enters with all K votes; since a voter votes for one
// process at a time, the shared voter keeps any second process out. A request that comes while the
// vote is given waits in the voter's queue until the RELEASE.
//
// Assumes: reliable channels without duplicates, no process stops. Channels need not be FIFO: if
// a process's next REQUEST overtakes its RELEASE, it waits in the queue like any other, and a
// RELEASE can only concern the one vote that is given.
// Promises: safety, and nothing more. Processes that hold a vote each and wait for one another's
// wait for ever; MaekawaSanders is the repair.
// Costs: 3(K−1) messages, K votes of which the own is free; delay 2 when idle; hand-over in 2, or
// in 1 if all common voters are the two processes themselves.
//
// Differences from the textbook: "has voted" is remembered as the process voted for, and the test
// whether the voter itself is inside is left out, since a process that is inside has its own vote.
#pragma once

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "core/protocol.h"
#include "core/symmetry.h"

namespace baton {

class Maekawa {
 public:
  struct Request {};
  struct Reply {};
  struct Release {
    static constexpr Phase phase = Phase::exit;
  };
  using Message = std::variant<Request, Reply, Release>;
  using Event = Entered;
  using Out = Outbox<Message, Event>;

  static Symmetry symmetry(const Setup&) { return Symmetry::among_voters; }

  enum class Mode : std::uint8_t { released, wanted, held };
  struct State {
    Mode mode = Mode::released;
    std::uint32_t votes = 0;    // for me, while wanted
    NodeId voted_for = nobody;  // by me
    std::vector<NodeId> queue;  // the processes that wait for my vote, in order of arrival
  };

  // Needs setup.voting.
  Maekawa(NodeId self, const Setup& setup, NodeId inside = nobody);

  void request(Out& out);
  void release(Out& out);
  void receive(NodeId from, const Message& message, Out& out);

  const State& state() const { return state_; }
  void assume(State state) { state_ = std::move(state); }
  static const Info& info();

 private:
  void upon_request(NodeId from, Out& out);
  void upon_reply(Out& out);
  void upon_release(Out& out);

  NodeId self_;
  const Setup* setup_;
  State state_;
};

}  // namespace baton
