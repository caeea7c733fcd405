// A run as a picture: the space-time diagram of textbooks as an SVG that needs nothing besides
// itself. Time runs to the right, a line per process, a sloped arrow per message; it follows the
// reader's choice of a light or dark page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>

#include "core/trace.h"

namespace baton::view {

// Larger pictures show nothing that a person could follow.
inline constexpr std::uint32_t most_svg_processes = 64;
inline constexpr std::size_t most_svg_events = 5000;

// Writes nothing and returns the reason if the trace is too large to draw; returns "" otherwise.
std::string write_svg(const Trace& trace, std::ostream& to);

}  // namespace baton::view
