// Something that must come about, and how a search tells that it need not.
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
    way_out,  // while something is pending, a step that enters can still be reached
    end,      // what is pending does not stay so for ever
    rest      // from some time on nothing is pending any more
  };
  std::string name;
  Promise promise;
  std::uint32_t bits = 0;  // of what is pending
  Kind kind = Kind::end;
  std::string what;  // that it is missed, in a sentence

  // A run that misses it. Where protocols draw lots, luck may fail for ever, but only with
  // probability zero; it is enough that it need not.
  std::optional<Lasso> missed_in(const StateGraph& graph, bool by_chance) const;
};

// That somebody gets in, and everybody, as far as promised or demanded; what is pending is bit i
// where process i waits.
std::vector<Aim> lock_aims(const Info& info, std::uint32_t size, Promises demands);

// Whether a handler of a protocol is run in such a step.
bool is_taken_by_protocol(ScheduledStep::Kind kind);

}  // namespace baton::check
