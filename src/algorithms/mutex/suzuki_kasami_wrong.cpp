#include "algorithms/mutex/suzuki_kasami_wrong.h"

namespace baton {

void WrongSuzukiKasamiLastFirst::release(Out& out) {
  state_.requesting = false;
  update_token();
  std::vector<NodeId>& queue = state_.token->queue;
  if (queue.empty()) return;
  const NodeId last = queue.back();
  queue.pop_back();
  send_token(last, out);
}

const Info& WrongSuzukiKasamiLastFirst::info() {
  static const Info info{
      .name = "wrong-suzuki-kasami-last-first",
      .title = "Suzuki–Kasami serving the last of the queue",
      .publication = SuzukiKasami::info().publication,
      .idea = "the token goes to whoever joined its queue last",
      .assumes = SuzukiKasami::info().assumes,
      .promises = SuzukiKasami::info().promises,
      .problem = "starvation",
      .example = "-n 3 --workload saturated --entries 20 --starvation-bound 6",
      .flaws = {{Promise::starvation_freedom,
                 {},
                 "of three processes, two that keep asking pass the token to and fro behind the "
                 "third, which stays at the front of the queue for ever"}},
  };
  return info;
}

}  // namespace baton
