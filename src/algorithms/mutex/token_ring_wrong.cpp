#include "algorithms/mutex/token_ring_wrong.h"

namespace baton {

void WrongTokenRingRegenerated::suspect(NodeId node, Out& out) {
  const bool token_is_here = state_.has_token || state_.mode == Mode::held;
  if (node == setup_->predecessor(self_) && !token_is_here) upon_token(out);
}

const Info& WrongTokenRingRegenerated::info() {
  static const Info info{
      .name = "wrong-token-ring-regenerated",
      .title = "Token ring that makes a new token on suspicion",
      .publication = TokenRing::info().publication,
      .idea = "who suspects its predecessor makes a new token",
      .assumes = {Assumption::no_loss, Assumption::no_duplication, Assumption::no_crash,
                  Assumption::no_suspicion},
      .promises = TokenRing::info().promises,
      .problem = "a holder that is suspected but alive",
      .perpetual = true,
      .example = "-n 3 --suspect 2:1@0.5 --allow suspicion",
      .flaws = {{Promise::safety,
                 {Assumption::no_suspicion},
                 "a predecessor that is suspected but alive, or dead without the token, leaves the "
                 "old token in the world beside the new one"}},
  };
  return info;
}

}  // namespace baton
