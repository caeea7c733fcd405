#include "algorithms/election/randomized_wrong.h"

#include <variant>

namespace baton {

namespace {

// The only number that a process without a name or dice can offer.
constexpr std::uint32_t what_everyone_says = 1;

}  // namespace

void WrongAnonymousDeterministic::elect(Out& out) {
  if (state_.is_drawing) return;
  begin_round(what_everyone_says, out);
  go_on(out);
}

void WrongAnonymousDeterministic::receive(NodeId from, const Message& message, Out& out) {
  note(from, std::get<Draw>(message));
  go_on(out);
}

void WrongAnonymousDeterministic::go_on(Out& out) {
  if (should_join()) begin_round(what_everyone_says, out);
  // Nobody has said anything higher.
  if (has_heard_all()) believe(self_, out);
}

const Info& WrongAnonymousDeterministic::info() {
  static const Info info = [] {
    Info believed = variant_of(Randomized::info());
    believed.name = "wrong-anonymous-deterministic";
    believed.title = "Election without names and without dice";
    believed.idea = "all say a number that they compute; who has heard of none higher leads";
    believed.election_costs.clear();
    believed.flaws = {{Promise::one_leader,
                       {},
                       "processes that run the same deterministic program without names compute "
                       "the same number, and all lead"}};
    return believed;
  }();
  return info;
}

}  // namespace baton
