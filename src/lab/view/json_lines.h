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

// Writes a trace while it grows: first the header, then each event.
void begin_json_lines(const Trace& trace, std::ostream& to);
void append_json_line(const TraceEvent& event, std::ostream& to);

using TraceError = LineError;

// Reads a whole trace and checks everything: the returned Trace obeys every guarantee of the
// format, so tools that draw or export need not check again.
std::variant<Trace, TraceError> read_json_lines(std::istream& from);
// Reads the trace that one process of a group wrote: messages arrive that other processes sent.
// Merging it with the others' (lab/view/merge.h) gives a whole trace. A process that is killed
// while it writes leaves half a line behind; the reader skips it and sets `is_cut_off`.
std::variant<Trace, TraceError> read_part(std::istream& from, bool* is_cut_off = nullptr);

}  // namespace baton::view
