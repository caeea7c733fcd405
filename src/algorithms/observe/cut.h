// Cuts through a run: which cuts are consistent, and which messages are under way in them.
//
// A cut says of each process how far it has come. It is consistent if it contains no effect without
// its cause: no message that is received inside but sent outside (K. M. Chandy and L. Lamport 1985;
// F. Mattern, "Virtual time and global states of distributed systems", 1989).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/trace.h"

namespace baton {

// For each process a position in the trace's events: its events before that position are inside.
using Cut = std::vector<std::size_t>;

struct CutJudgement {
  // Received inside, sent outside: the first in the trace's order, or 0 if the cut is consistent.
  std::uint64_t offender = 0;
  // Sent inside and not received inside, nor lost.
  std::vector<std::uint64_t> in_transit;

  bool is_consistent() const { return offender == 0; }
};

CutJudgement judge(const Trace& trace, const Cut& cut);

// The same test by vector times: no process knows more of another than that one has inside the cut.
// Needs a trace with vector times.
bool is_consistent_by_vector_time(const Trace& trace, const Cut& cut);

// The cut through the events in which the processes record their states for one snapshot, those
// events included; no value unless every process records.
std::optional<Cut> cut_of(const Trace& trace, const std::string& snapshot);

// One sentence: "process 2 receives Transfer(7) inside the cut, which process 0 sends outside".
std::string in_words(const Trace& trace, const CutJudgement& judgement);

}  // namespace baton
