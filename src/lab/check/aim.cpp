#include "lab/check/aim.h"

#include "lab/check/liveness.h"

namespace baton::check {

std::optional<Lasso> Aim::missed_in(const StateGraph& graph, bool by_chance) const {
  if (kind == Kind::way_out || by_chance) {
    return graph.without_way_out(bits, kind == Kind::rest);
  }
  return kind == Kind::end ? graph.for_ever(bits) : graph.again_and_again(bits);
}

std::vector<Aim> lock_aims(const Info& info, std::uint32_t size, Promises demands) {
  const Promises judged = info.promises | demands;
  std::vector<Aim> aims;
  if (judged.has(Promise::deadlock_freedom)) {
    aims.push_back({"no deadlock", Promise::deadlock_freedom, (std::uint32_t{1} << size) - 1,
                    Aim::Kind::way_out, "somebody waits, and nobody can enter any more"});
  }
  if (!judged.has(Promise::starvation_freedom)) return aims;
  for (std::uint32_t i = 0; i < size; ++i) {
    aims.push_back({"no starvation", Promise::starvation_freedom, std::uint32_t{1} << i,
                    Aim::Kind::end, "process " + std::to_string(i) + " waits for ever"});
  }
  return aims;
}

bool is_taken_by_protocol(ScheduledStep::Kind kind) {
  switch (kind) {
    case ScheduledStep::Kind::pass:
    case ScheduledStep::Kind::crash:
    case ScheduledStep::Kind::lose:
    case ScheduledStep::Kind::duplicate:
    case ScheduledStep::Kind::delay:
    case ScheduledStep::Kind::pause:
      return false;
    default:
      return true;
  }
}

}  // namespace baton::check
