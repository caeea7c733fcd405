#include "check/aim.h"

namespace baton::check {

std::optional<Lasso> Aim::missed_in(const StateGraph& graph, bool by_chance) const {
  if (kind == Kind::way_out || by_chance) {
    return graph.without_way_out(bits, kind == Kind::rest);
  }
  return kind == Kind::end ? graph.for_ever(bits) : graph.again_and_again(bits);
}

bool is_taken_by_protocol(ScheduledStep::Kind kind) {
  switch (kind) {
    case ScheduledStep::Kind::pass:
    case ScheduledStep::Kind::crash:
    case ScheduledStep::Kind::lose:
    case ScheduledStep::Kind::duplicate:
    case ScheduledStep::Kind::delay:
      return false;
    default:
      return true;
  }
}

}  // namespace baton::check
