// An aim: something that must happen, and how a search finds that it need not happen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/info.h"
#include "core/schedule.h"

namespace baton::check {

struct Lasso;
class StateGraph;

struct Aim {
  enum class Kind : std::uint8_t {
    way_out,  // while something is pending, the run can still reach a step that enters
    end,      // nothing stays pending for ever
    rest      // from some time on nothing is pending any more
  };
  std::string name;
  Promise promise;
  std::uint32_t bits = 0;  // the bits of pending() that this aim is about
  Kind kind = Kind::end;
  std::string what;  // a sentence: how a run misses the aim

  // A run that misses it. Where protocols draw lots, bad luck for ever misses the aim with
  // probability zero. There the search only asks that luck can reach the aim.
  std::optional<Lasso> missed_in(const StateGraph& graph, bool by_chance) const;
};

// The aims that somebody gets in, and that everybody gets in, if promised or demanded. Bit i is
// pending while process i waits.
std::vector<Aim> lock_aims(const Info& info, std::uint32_t size, Promises demands);

// True if this step runs a handler of a protocol.
bool is_taken_by_protocol(ScheduledStep::Kind kind);

}  // namespace baton::check
