#include "lab/view/svg_cuts.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/text.h"
#include "lab/view/svg_shapes.h"

namespace baton::view::svg {

namespace {

struct Recordings {
  std::string snapshot;
  std::vector<const TraceEvent*> events;
};

// In the order in which they begin; the events of each from the first process to the last.
std::vector<Recordings> recordings_of(const Trace& trace) {
  std::vector<Recordings> all;
  for (const TraceEvent& event : trace.events) {
    if (event.kind != TraceKind::record) continue;
    auto found = std::find_if(all.begin(), all.end(),
                              [&](const Recordings& one) { return one.snapshot == event.name; });
    if (found == all.end()) found = all.insert(all.end(), {event.name, {}});
    found->events.push_back(&event);
  }
  for (Recordings& one : all) {
    std::stable_sort(one.events.begin(), one.events.end(),
                     [](const TraceEvent* a, const TraceEvent* b) { return a->node < b->node; });
  }
  return all;
}

// Only pictures that have cuts need it.
constexpr std::string_view style_of_cuts =
    "<style>.cut{fill:none;stroke:#cf222e;stroke-width:1.6;stroke-dasharray:7 4}"
    "@media (prefers-color-scheme:dark){.cut{stroke:#f85149}}</style>\n";

}  // namespace

std::string cuts(const Trace& trace, const std::function<Point(Ticks, NodeId)>& place) {
  constexpr double beyond = 16;  // the first and the last process
  std::string text_of_all;
  for (const Recordings& one : recordings_of(trace)) {
    const Point first = place(one.events.front()->at, one.events.front()->node);
    const Point last = place(one.events.back()->at, one.events.back()->node);
    std::string path = "M" + px(first.x) + " " + px(first.y - beyond);
    for (const TraceEvent* event : one.events) {
      const Point at = place(event->at, event->node);
      path += "L" + px(at.x) + " " + px(at.y);
    }
    path += "L" + px(last.x) + " " + px(last.y + beyond);
    const std::string name = text::shortened(text::printable(one.snapshot, false), 24, "…");
    text_of_all += "<path class=\"cut\" d=\"" + path + "\"><title>the cut of " + escaped(name) +
                   "</title></path>\n" + text("halo mid", {first.x, first.y - beyond - 3}, name);
  }
  return text_of_all.empty() ? "" : std::string(style_of_cuts) + text_of_all;
}

}  // namespace baton::view::svg
