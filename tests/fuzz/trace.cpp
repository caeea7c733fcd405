// Traces: what is accepted is written as it was read, and can be drawn and exported; and what is
// merged of several parts, separated by a line "---", is such a trace.
#include <sstream>

#include "fuzz/fuzz.h"
#include "lab/view/chrome.h"
#include "lab/view/diagram.h"
#include "lab/view/json_lines.h"
#include "lab/view/merge.h"
#include "lab/view/shiviz.h"
#include "lab/view/svg.h"

namespace baton {

namespace {

constexpr std::string_view separator = "---\n";

// What each process saw of it.
std::string in_parts(const Trace& trace) {
  std::ostringstream text;
  for (std::uint32_t i = 0; i < trace.size; ++i) {
    Trace part{.algorithm = trace.algorithm, .size = trace.size, .names = trace.names};
    for (const TraceEvent& event : trace.events) {
      if (event.node.value == i) part.events.push_back(event);
    }
    if (i > 0) text << separator;
    view::write_json_lines(part, text);
  }
  return text.str();
}

void merge(std::string_view text) {
  std::vector<view::TracePart> parts;
  while (true) {
    const std::size_t end = std::min(text.find(separator), text.size());
    std::istringstream in{std::string(text.substr(0, end))};
    auto read = view::read_part(in);
    if (!std::holds_alternative<Trace>(read)) return;
    parts.push_back({std::to_string(parts.size()), std::get<Trace>(std::move(read))});
    if (end == text.size()) break;
    text.remove_prefix(end + separator.size());
  }
  const auto merged = view::merge(std::move(parts));
  if (const auto* why_not = std::get_if<std::string>(&merged)) {
    return fuzz::demand(!why_not->empty(), "a refusal says why");
  }
  std::stringstream written;
  view::write_json_lines(std::get<view::MergedTrace>(merged).trace, written);
  fuzz::demand(std::holds_alternative<Trace>(view::read_json_lines(written)),
               "what is merged is a trace");
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  Trace trace;
  trace.algorithm = "ricart-agrawala";
  trace.size = 3;
  trace.names = {"a", "b", "c"};
  TraceRecorder recorder(trace);
  recorder.local({1}, {0}, TraceKind::request);
  const auto message = recorder.send({2}, {0}, {1}, "Request", "(<1,0>)");
  const auto lost = recorder.send({2}, {0}, {2}, "Request", "(<1,0>)");
  recorder.receive({5}, {1}, message);
  recorder.drop({6}, {2}, lost);
  recorder.local({7}, {0}, TraceKind::enter);
  recorder.local({8}, {2}, TraceKind::suspect, {0});
  recorder.local({9}, {0}, TraceKind::exit);
  recorder.set_verdict("two inside");
  std::ostringstream text;
  view::write_json_lines(trace, text);
  return {text.str(), in_parts(trace)};
}

}  // namespace baton

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace baton;
  merge(fuzz::text_of(data, size));
  std::istringstream in{std::string(fuzz::text_of(data, size))};
  const auto read = view::read_json_lines(in);
  if (const auto* error = std::get_if<view::TraceError>(&read)) {
    fuzz::demand(error->line > 0 && !error->what.empty(), "an error says where and what");
    return 0;
  }
  const auto& trace = std::get<Trace>(read);
  std::ostringstream written;
  view::write_json_lines(trace, written);
  std::istringstream again{written.str()};
  const auto reread = view::read_json_lines(again);
  fuzz::demand(std::holds_alternative<Trace>(reread) && std::get<Trace>(reread) == trace,
               "what is written is read again");
  std::ostringstream ignored;
  view::draw(trace, {});
  view::draw(trace, {.unicode = false, .width = 40, .max_rows = 3});
  view::write_svg(trace, ignored);
  view::write_chrome(trace, ignored);
  view::write_shiviz(trace, ignored);
  return 0;
}
