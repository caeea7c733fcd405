// Several resources given out by a coordinator: all that a process asks for, or nothing.
//
// As the Article teaches it for breaking "hold and wait", one of the conditions of E. G.
// Coffman, M. J. Elphick and A. Shoshani, "System deadlocks", Computing Surveys 3(2), 1971.
//
// Idea: a process sends ACQUIRE with everything it needs to the coordinator, and continues when it
// hears GRANTED. The coordinator keeps waiting requests in a queue. It grants a request if all its
// resources are free and no earlier waiting request wants any of them. So nobody is overtaken over
// and over; the price is that a process which could enter at once may wait for one which cannot.
//
// Assumes: no message is lost or duplicated and no process stops. Channels need not be FIFO: an
// ACQUIRE that overtakes its sender's own RELEASED waits until that arrives.
// Promises: each resource is held by at most one process; freedom from deadlock, because a waiting
// process holds nothing; freedom from starvation. Costs: 3 messages for any number of resources,
// none for the coordinator's own.
#pragma once

#include <deque>
#include <variant>
#include <vector>

#include "algorithms/resource/protocol.h"

namespace baton {

class AllOrNothing {
 public:
  struct Acquire {
    std::vector<ResourceId> wanted;
  };
  struct Granted {};
  struct Released {
    static constexpr Phase phase = Phase::exit;
  };
  using Message = std::variant<Acquire, Granted, Released>;
  using Event = ResourceEvent;
  using Out = Outbox<Message, Event>;

  struct Claim {
    NodeId node;
    std::vector<ResourceId> wanted;
  };
  struct State {
    std::vector<ResourceId> wanted;  // empty: idle
    // At the coordinator:
    std::vector<Claim> granted;
    std::deque<Claim> queue;  // in the order of arrival
  };

  AllOrNothing(NodeId, const Setup& setup) : setup_(&setup) {}

  void acquire(const std::vector<ResourceId>& wanted, Out& out);
  void release(Out& out);
  void receive(NodeId from, const Message& message, Out& out);

  const State& state() const { return state_; }
  static const Info& info();

 private:
  void upon_granted(Out& out);
  void grant_what_can_be(Out& out);

  const Setup* setup_;
  State state_;
};

}  // namespace baton
