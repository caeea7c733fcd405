#include "algorithms/mutex/maekawa_sanders_wrong.h"

#include <algorithm>

namespace baton {

void WrongMaekawaSandersFailedToNewcomersOnly::receive(NodeId from, const Message& message,
                                                       Out& out) {
  if (const auto* request = std::get_if<Request>(&message)) {
    upon_request(request->at, out);
  } else {
    MaekawaSanders::receive(from, message, out);
  }
}

void WrongMaekawaSandersFailedToNewcomersOnly::upon_request(const Timestamp& request, Out& out) {
  state_.clock = std::max(state_.clock, request.clock);
  if (!state_.voted_for) {
    vote_for(request, out);
    return;
  }
  if (*state_.voted_for < request) {
    out.send(request.node, Failed{request});
  } else if (!state_.has_inquired) {
    inquire(out);
  }
  enqueue(request);
}

const Info& WrongMaekawaSandersFailedToNewcomersOnly::info() {
  static const Info info = [] {
    Info wrong = variant_of(MaekawaSanders::info());
    wrong.name = "wrong-maekawa-sanders-failed-to-newcomers-only";
    wrong.title = "Maekawa without Sanders' correction";
    wrong.publication = "a widely copied reading of Maekawa, ACM TOCS 3(2), 1985";
    wrong.idea = "say FAILED only to a newcomer that is worse than the request voted for";
    wrong.problem = "deadlock";
    wrong.costs.clear();
    wrong.seeds.clear();
    wrong.flaws = {{Promise::deadlock_freedom,
                    {},
                    "a request that is overtaken while it waits for an INQUIRE's answer is not "
                    "told, so it never yields what others wait for"}};
    wrong.example = "-n 6 --delay exponential --seed 2";
    wrong.checked = {{.options = "-n 4 --requests 1"}};
    return wrong;
  }();
  return info;
}

}  // namespace baton
