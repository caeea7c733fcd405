// Export to ShiViz (https://bestchai.bitbucket.io/shiviz/), which draws happened-before from vector
// times. The regular expression that ShiViz needs is the file's first line (docs/formats/trace.md).
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "core/trace.h"

namespace baton::view {

inline constexpr std::string_view shiviz_expression =
    R"((?<host>\S*) (?<clock>{.*})\n(?<event>.*))";

// Writes nothing and returns the reason if ShiViz cannot show this trace; returns "" otherwise.
std::string write_shiviz(const Trace& trace, std::ostream& to);

}  // namespace baton::view
