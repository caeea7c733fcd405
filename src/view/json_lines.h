// The trace format: one JSON object per line (docs/formats/trace.md).
#pragma once

#include <iosfwd>
#include <variant>

#include "core/trace.h"
#include "view/line_error.h"

namespace baton::view {

// The same trace always gives the same bytes.
void write_json_lines(const Trace& trace, std::ostream& to);

using TraceError = LineError;

// Reads a whole trace and believes nothing: what is returned as a Trace obeys every guarantee of
// the format, so that whatever draws or exports it need not check again.
std::variant<Trace, TraceError> read_json_lines(std::istream& from);
// The same of what one process of a group saw: messages arrive that are sent elsewhere. Merged with
// the others' (view/merge.h) it becomes a whole trace.
std::variant<Trace, TraceError> read_part(std::istream& from);

}  // namespace baton::view
