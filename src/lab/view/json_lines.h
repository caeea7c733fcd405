// The trace format: one JSON object per line (docs/formats/trace.md).
#pragma once

#include <cstdint>
#include <iosfwd>
#include <variant>

#include "core/trace.h"
#include "lab/view/line_error.h"

namespace baton::view {

inline constexpr std::uint64_t trace_version = 1;

// The same trace always gives the same bytes.
void write_json_lines(const Trace& trace, std::ostream& to);

// The same of a trace that is written while it grows: the header first, then every event.
void begin_json_lines(const Trace& trace, std::ostream& to);
void append_json_line(const TraceEvent& event, std::ostream& to);

using TraceError = LineError;

// Reads a whole trace and believes nothing: what is returned as a Trace obeys every guarantee of
// the format, so that whatever draws or exports it need not check again.
std::variant<Trace, TraceError> read_json_lines(std::istream& from);
// The same of what one process of a group saw: messages arrive that are sent elsewhere. Merged with
// the others' (lab/view/merge.h) it becomes a whole trace. A process that is killed while it writes
// leaves half a line behind, which does not count: then `is_cut_off` is set.
std::variant<Trace, TraceError> read_part(std::istream& from, bool* is_cut_off = nullptr);

}  // namespace baton::view
