// A widely copied version of Maekawa's algorithm with INQUIRE and YIELD, which deadlocks.
//
// This version sends FAILED only to a newcomer that is worse than the request voted for. A request
// that waits for the answer to an INQUIRE and is overtaken there by a better one hears nothing. Its
// process believes that it may soon have the vote and yields to nobody, and the better one may be
// waiting for just that.
#pragma once

#include "algorithms/mutex/maekawa_sanders.h"

namespace baton {

class WrongMaekawaSandersFailedToNewcomersOnly : public MaekawaSanders {
 public:
  using MaekawaSanders::MaekawaSanders;

  void receive(NodeId from, const Message& message, Out& out);
  static const Info& info();

 private:
  void upon_request(const Timestamp& request, Out& out);
};

}  // namespace baton
