// The trace format: one JSON object per line (docs/formats/trace.md).
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <variant>

#include "core/trace.h"

namespace baton::view {

// The same trace always gives the same bytes.
void write_json_lines(const Trace& trace, std::ostream& to);

struct TraceError {
  std::size_t line = 0;  // counted from 1
  std::string what;

  std::string message() const { return "line " + std::to_string(line) + ": " + what; }
};

// Reads a whole trace and believes nothing: what is returned as a Trace obeys every guarantee of
// the format, so that whatever draws or exports it need not check again.
std::variant<Trace, TraceError> read_json_lines(std::istream& from);

}  // namespace baton::view
