#include "cli/lab/trace_output.h"

#include <algorithm>
#include <iostream>
#include <sstream>
#include <vector>

#include "cli/common/command.h"
#include "cli/common/terminal.h"
#include "cli/common/text.h"
#include "lab/view/chrome.h"
#include "lab/view/diagram.h"
#include "lab/view/json_lines.h"
#include "lab/view/shiviz.h"
#include "lab/view/svg.h"

namespace baton::cli {

namespace {

void check_trace_options(const SimOptions& options, std::uint32_t size) {
  const bool to_file = !options.output.empty();
  const std::vector<std::string> kinds{"diagram", "json", "shiviz", "chrome"};
  if (options.trace.empty()) {
    if (to_file) throw UsageError("--output needs --trace: json, shiviz, chrome or diagram");
    return;
  }
  if (std::find(kinds.begin(), kinds.end(), options.trace) == kinds.end()) {
    throw UsageError("--trace takes diagram, json, shiviz or chrome, not '" + options.trace + "'" +
                     did_you_mean(options.trace, kinds));
  }
  if (options.json && !to_file) {
    throw UsageError("--json and --trace would both write to standard output; add -o FILE");
  }
  if (options.trace == "shiviz" && size > Trace::vector_limit) {
    throw UsageError("ShiViz needs vector times, which are kept for up to " +
                     std::to_string(Trace::vector_limit) + " processes");
  }
}

void check_picture_options(const SimOptions& options, std::uint32_t size) {
  if (!options.was_given("--svg")) return;
  if (options.svg.empty()) throw UsageError("--svg needs the name of a file");
  if (options.svg == options.output) {
    throw UsageError("--svg and --output would both write to '" + options.svg + "'");
  }
  if (size > view::most_svg_processes) {
    throw UsageError("--svg draws up to " + grouped(view::most_svg_processes) + " processes");
  }
}

// What is wrong with the options is said before what is wrong with the files.
const SimOptions* checked(const SimOptions& options, std::uint32_t size) {
  check_trace_options(options, size);
  check_picture_options(options, size);
  return &options;
}

std::string picture(const Trace& trace) {
  std::ostringstream out;
  const std::string why_not = view::write_svg(trace, out);
  if (!why_not.empty()) throw UsageError(why_not);
  return std::move(out).str();
}

}  // namespace

TraceOutput::TraceOutput(const SimOptions& options, std::uint32_t size)
    : options_(checked(options, size)), file_(options.output), picture_file_(options.svg) {}

bool TraceOutput::leaves_standard_output() const {
  return options_->trace.empty() || options_->trace == "diagram" || to_file();
}

void TraceOutput::write(const Trace& trace) {
  if (picture_file_) {
    // Drawn before anything is written, for it may still be refused.
    const std::string drawn = picture(trace);
    picture_file_.replace([&](std::ostream& out) { out << drawn; });
  }
  if (file_) {
    file_.replace([&](std::ostream& out) { write_to(out, trace); });
  } else if (!options_->trace.empty()) {
    write_to(std::cout, trace);
  }
}

std::string TraceOutput::diagram(const Trace& trace, std::size_t max_rows) const {
  return view::draw(trace, {.unicode = !options_->ascii,
                            .colour = wants_colour() && !to_file(),
                            .width = diagram_width(),
                            .max_rows = max_rows});
}

void TraceOutput::write_to(std::ostream& out, const Trace& trace) const {
  if (options_->trace == "diagram") {
    out << diagram(trace);
  } else if (options_->trace == "json") {
    view::write_json_lines(trace, out);
  } else if (options_->trace == "shiviz") {
    view::write_shiviz(trace, out);
  } else {
    view::write_chrome(trace, out);
  }
}

}  // namespace baton::cli
