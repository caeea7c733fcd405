// A token ring that makes a new token on mere suspicion.
//
// Idea: a process that suspects its predecessor believes that the token died with it, and makes
// another. But the predecessor may only be slow, and even if it did die the token may have been
// elsewhere: then two tokens travel and two processes go in. The variant lacks an epoch, by which
// processes could tell the older token from the newer and refuse it.
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
