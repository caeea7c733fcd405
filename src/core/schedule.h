// A run told step by step: which of the possible steps happened next. A host that chooses the steps
// itself, such as the simulator, does not need it. The checker finds schedules, and replay follows
// any of them again (docs/formats/schedule.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.h"

namespace baton {

struct ScheduledStep {
  enum class Kind : std::uint8_t {
    deliver,    // `message` of `peer` arrives at `node`
    request,    // the application at `node` asks for the lock, an election or a snapshot
    release,    // the application at `node` leaves the critical section
    expire,     // the timer `timer` of `node` expires
    pass,       // one unit of time passes, for all processes
    crash,      // `node` stops
    quit,       // `node` tells the others that it leaves, and stops
    recover,    // `node` comes back after it stopped
    suspect,    // `node` takes `peer` for crashed
    trust,      // `node` no longer takes `peer` for crashed
    lose,       // `message` of `peer` to `node` is lost
    duplicate,  // `message` of `peer` to `node` is doubled
    delay,      // `message` of `peer` to `node` takes longer than any message should
    pause,      // `node` does nothing for a while, and does not know it
    resume      // `node` continues after a pause
  };
  Kind kind{};
  NodeId node = nobody;
  NodeId peer = nobody;
  std::string message = {};  // its type and fields, as core/reflect.h prints them
  std::uint32_t timer = 0;
  std::vector<std::uint32_t> choices = {};  // the values that choose() returned in this step

  friend bool operator==(const ScheduledStep&, const ScheduledStep&) = default;
};

inline constexpr std::size_t scheduled_kinds = 15;

std::string_view name_of(ScheduledStep::Kind kind);

struct Schedule {
  std::string algorithm = {};
  std::vector<std::string> arguments = {};  // of the command that chose group and faults
  std::string verdict = {};                 // what the run shows
  std::vector<ScheduledStep> steps = {};
  std::optional<std::size_t> loop = {};  // the first of the steps that can repeat for ever

  friend bool operator==(const Schedule&, const Schedule&) = default;
};

}  // namespace baton
