// One trace of what the processes of a group have written down, each for itself.
//
// Each process's clock begins at a moment of its own. They are shifted against each other so that
// the quickest message takes as long as possible, and none arrives before it was sent; then a
// message time is what the messages took, the median of them. What the clocks cannot tell, the
// messages do: nothing comes before what it follows from.
//
// A process that was started again has written one part in each of its lives.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/trace.h"

namespace baton::view {

struct TracePart {
  std::string source;       // its name in messages
  Trace trace;              // of read_part(): ticks are microseconds
  bool is_cut_off = false;  // ... as it says
};

struct MergeOptions {
  // Pauses in which nothing happens anywhere stay as long as they were. Otherwise none is longer
  // than a few message times.
  bool keeps_pauses = false;
};

struct MergedTrace {
  Trace trace;
  std::vector<std::string> missing;  // sentences: what no file tells
  double message_time_us = 0;        // 0: no message has arrived
  std::uint64_t messages = 0;
};

// Or why these are not the parts of one run.
std::variant<MergedTrace, std::string> merge(std::vector<TracePart> parts,
                                             const MergeOptions& options = {});

}  // namespace baton::view
