// The centralized algorithm: one process, the coordinator, decides.
//
// Folklore; as taught by A. S. Tanenbaum and M. van Steen, "Distributed Systems", and G. Coulouris
// et al., "Distributed Systems: Concepts and Design".
//
// Idea: a process that wants the critical section sends ENTER to the coordinator and goes in when
// it hears GRANTED; when it leaves it sends RELEASED. The coordinator grants to one process at a
// time and keeps the others in a queue, first come first served. With tell_queued, it also answers
// DENIED to a request that must wait: only then can a process tell a lock in use from a dead
// coordinator.
//
// Assumes: no message is lost or duplicated and no process stops. Channels need not be FIFO: an
// ENTER that overtakes its sender's own RELEASED waits in the queue until that arrives, and a
// DENIED that arrives late is information on which nothing depends.
// Promises: safety, freedom from deadlock and starvation. The coordinator serves requests in the
// order in which they reach it. That is not order by happened-before: requests carry no stamp, so
// the coordinator cannot know what processes tell each other besides.
// Costs: 3 messages, 2 to enter and 1 to leave, and none for the coordinator's own entries; delay 2
// when idle; hand-over in 2, less 1 where the coordinator is one of the two. DENIED adds 1 to each
// entry that must wait.
//
// Differences from the literature: the coordinator takes part like everybody else, by messages to
// itself, which cost nothing.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <variant>

#include "core/protocol.h"
#include "core/symmetry.h"

namespace baton {

class Central {
 public:
  static constexpr Parameter tell_queued{.name = "tell-queued",
                                         .help = "answer DENIED to a request that waits",
                                         .usual = always<0>,
                                         .is_flag = true};

  struct Enter {};
  struct Granted {};
  struct Denied {};
  struct Released {
    static constexpr Phase phase = Phase::exit;
  };
  using Message = std::variant<Enter, Granted, Denied, Released>;
  using Event = Entered;
  using Out = Outbox<Message, Event>;

  static Symmetry symmetry(const Setup&) { return Symmetry::but_coordinator; }

  enum class Mode : std::uint8_t { released, wanted, denied, held };
  // Only the coordinator has this state: a million other processes carry no queue.
  struct Coordination {
    NodeId holder = nobody;    // the process that has the critical section
    std::deque<NodeId> queue;  // the processes that wait, in order of arrival
  };
  struct State {
    Mode mode = Mode::released;  // denied: still wanted, and known to be queued
    std::optional<Coordination> coordination;
  };

  Central(NodeId self, const Setup& setup, NodeId inside = nobody);

  void request(Out& out);
  void release(Out& out);
  void receive(NodeId from, const Message& message, Out& out);

  const State& state() const { return state_; }
  void assume(State state) { state_ = std::move(state); }
  static const Info& info();

 private:
  void upon_enter(NodeId from, Out& out);
  void upon_granted(Out& out);
  void upon_denied();
  void upon_released(NodeId from, Out& out);

  NodeId self_;
  const Setup* setup_;
  State state_;
};

}  // namespace baton
