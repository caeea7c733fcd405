// The permission ring as the Notes word it, without stamps.
//
// The Notes: the next process "will then either disregard the request if it itself is trying to
// access the critical section or accept and ask the next process". Two processes that want to enter
// at once disregard each other's requests. Safety holds: a request that came home passed everyone
// while they wanted nothing, and whoever asked later meets one who is trying or inside.
//
// They go on: "If it isn't accepted, it will try again unless another process is currently
// attempting to enter". No process can know the latter; trying again is what remains, and both go
// on disregarding each other, with messages that never end instead of silence. A process that
// withdrew for a random time before it tries again would get out of this, but only by luck.
//
// Stamps are still sent, as the names of requests and not for comparison: a copy left over from an
// earlier request must not let its sender in.
#pragma once

#include "algorithms/mutex/permission_ring.h"

namespace baton {

// A process that wants to enter drops the requests of others.
class WrongPermissionRingLiteral : public PermissionRing {
 public:
  using PermissionRing::PermissionRing;

  void receive(NodeId from, const Message& message, Out& out);

  static const Info& info();
};

// A process whose request was dropped tries again after the time that a round takes.
class WrongPermissionRingRetry : public WrongPermissionRingLiteral {
 public:
  using WrongPermissionRingLiteral::WrongPermissionRingLiteral;
  static constexpr bool piles_up = true;  // messages to a slow process

  void request(Out& out);
  void expire(TimerId timer, Out& out);

  static const Info& info();

 private:
  void await_return(Out& out);
};

}  // namespace baton
