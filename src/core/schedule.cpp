#include "core/schedule.h"

#include <array>

namespace baton {

std::string_view name_of(ScheduledStep::Kind kind) {
  static constexpr std::array<std::string_view, scheduled_kinds> names{
      "deliver", "request", "release", "expire",    "pass",  "crash", "quit",  "recover",
      "suspect", "trust",   "lose",    "duplicate", "delay", "pause", "resume"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace baton
