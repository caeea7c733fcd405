#include "algorithms/layer/claiming.h"
#include "lab/sim/replay_host.h"

namespace baton::sim {

Replayed replay_membership(const Setup& setup, const Schedule& schedule) {
  return ReplayHostOf<ClaimingMembership>(setup, {}, schedule).run();
}

}  // namespace baton::sim
