// Traces: what is accepted is written as it was read, and can be drawn and exported.
#include <sstream>

#include "fuzz/fuzz.h"
#include "view/chrome.h"
#include "view/diagram.h"
#include "view/json_lines.h"
#include "view/shiviz.h"
#include "view/svg.h"

namespace baton {

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
  return {text.str()};
}

}  // namespace baton

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace baton;
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
