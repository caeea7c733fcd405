// Merges the traces that the processes of a group have written, each for itself.
//
// Each process's clock begins at a moment of its own. The merge shifts the clocks against each
// other so that the quickest message takes as long as possible and no message arrives before it was
// sent; a message time is then the median of the messages' delays. Where the clocks cannot tell the
// order, the messages do: no event comes before its cause.
//
// A restarted process has written one part in each of its lives.
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
  bool is_cut_off = false;  // as read_part() says
};

struct MergeOptions {
  // True: pauses in which nothing happens anywhere keep their length. false: each is cut to a few
  // message times.
  bool keeps_pauses = false;
};

struct MergedTrace {
  Trace trace;
  std::vector<std::string> missing;  // sentences that say what no file contains
  double message_time_us = 0;        // 0: no message has arrived
  std::uint64_t messages = 0;
};

// The reason why these are not the parts of one run.
std::variant<MergedTrace, std::string> merge(std::vector<TracePart> parts,
                                             const MergeOptions& options = {});

}  // namespace baton::view
