// A run told step by step: which of all that could happen next did. Hosts that choose for
// themselves, such as the simulator, have no need of it; the checker finds schedules, and any of
// them can be followed again (docs/formats/schedule.md).
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
    request,    // the application at `node` asks: for the lock, for an election, for a snapshot
    release,    // ... and leaves the critical section
    expire,     // a timer of `node` runs out: `timer`
    pass,       // time passes, by one unit, for everybody
    crash,      // `node` stops
    quit,       // ... after it has said so to the others
    recover,    // ... and comes back
    suspect,    // `node` takes `peer` for crashed
    trust,      // ... and no longer
    lose,       // `message` of `peer` to `node` is lost
    duplicate,  // ... is there twice
    delay,      // ... takes longer than any message should
    pause,      // `node` does nothing for a while, without knowing
    resume      // ... and goes on
  };
  Kind kind{};
  NodeId node = nobody;
  NodeId peer = nobody;
  std::string message = {};  // its type and fields, as core/reflect.h prints them
  std::uint32_t timer = 0;
  std::vector<std::uint32_t> choices = {};  // what choose() returned in this step, in order

  friend bool operator==(const ScheduledStep&, const ScheduledStep&) = default;
};

inline constexpr std::size_t scheduled_kinds = 15;

std::string_view name_of(ScheduledStep::Kind kind);

struct Schedule {
  std::string algorithm = {};
  std::vector<std::string> arguments = {};  // of the command that chooses group and faults
  std::string verdict = {};                 // what it shows
  std::vector<ScheduledStep> steps = {};
  std::optional<std::size_t> loop = {};  // the first step of those that can repeat for ever

  friend bool operator==(const Schedule&, const Schedule&) = default;
};

}  // namespace baton
