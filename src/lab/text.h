// Prints the results of runs, measurements and checks for people, and draws runs.
#pragma once

#include <string>
#include <vector>

#include "core/trace.h"
#include "lab/algorithm.h"
#include "lab/check/report.h"
#include "lab/sim/report.h"

namespace baton::lab {

// Lines, each ending in a newline.
std::string text_of(const Info& info, const sim::Plan& plan, const sim::Report& report);
std::string text_of(const std::vector<Measured>& measured);
std::string text_of(const Info& info, const check::Bounds& bounds, const check::Report& report);

// The space-time diagram. No line is wider than this.
std::string diagram(const Trace& trace, std::size_t width = 100);
// The space-time diagram as an SVG. Throws Refused if the trace is too large to draw.
std::string svg(const Trace& trace);
// The trace format of docs/formats/trace.md, which `baton trace` reads.
std::string json_lines(const Trace& trace);

}  // namespace baton::lab
