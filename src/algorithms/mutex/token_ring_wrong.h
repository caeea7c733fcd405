// A token ring that makes a new token on mere suspicion.
//
// Idea: a process that suspects its predecessor believes that the token died with it, and makes
// another. But the predecessor may only be slow, and even if it did die the token may have been
// elsewhere: then two tokens travel and two processes go in. What it lacks is an epoch by which the
// older token is told from the newer and refused.
#pragma once

#include "algorithms/mutex/token_ring.h"

namespace baton {

class WrongTokenRingRegenerated : public TokenRing {
 public:
  using TokenRing::TokenRing;

  void suspect(NodeId node, Out& out);

  static const Info& info();
};

}  // namespace baton
