#include "view/svg.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ostream>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "view/svg_labels.h"
#include "view/text.h"

namespace baton::view {

namespace {

// More labels than this would hide the arrows.
constexpr std::size_t most_labelled_messages = 60;
constexpr std::size_t type_colours = 6;
constexpr double top = 96;  // of the first process's line

constexpr std::string_view style = R"(<style>
text{font:11px system-ui,"DejaVu Sans",sans-serif;fill:#24292f}
.title{font-size:16px;font-weight:600}.name{font-size:13px;font-weight:600;text-anchor:end}
.page{fill:#fff}.halo{paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}
.quiet{fill:#656d76}.mid{text-anchor:middle}.grid{stroke:#d0d7de;stroke-width:.6}
.line{stroke:#8c959f;stroke-width:1.3}.down{stroke:#d0d7de;stroke-width:1.3;stroke-dasharray:1 5}
.wait{stroke:#bf8700;stroke-width:2.6;stroke-dasharray:6 4}
.in{fill:#f2b01e;stroke:#9a6700;stroke-width:.8}.both{fill:#cf222e;fill-opacity:.16}
.m{stroke-width:1.3;fill:none}.m .h{stroke:none}.m .o{stroke:#000;stroke-opacity:0;stroke-width:9}
.m:hover{stroke-width:3}.lost,.again,.away{stroke-dasharray:4 3}.away{stroke-opacity:.6}
.x{stroke:#cf222e;stroke-width:2.2;stroke-dasharray:none;fill:none}
.back{stroke:#1a7f37;stroke-width:1.8;fill:#fff}.note{stroke:#57606a;stroke-width:1.2;fill:#fff}
.bad{fill:#cf222e;font-size:13px;font-weight:600}
.t0{stroke:#0969da}.t1{stroke:#1a7f37}.t2{stroke:#8250df}
.t3{stroke:#bf3989}.t4{stroke:#0e7c86}.t5{stroke:#8b5e3c}
.t0 .h,text.t0{fill:#0969da}.t1 .h,text.t1{fill:#1a7f37}.t2 .h,text.t2{fill:#8250df}
.t3 .h,text.t3{fill:#bf3989}.t4 .h,text.t4{fill:#0e7c86}.t5 .h,text.t5{fill:#8b5e3c}
text.legend{stroke:none}text.halo{stroke:#fff}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}.page{fill:#0d1117}.quiet{fill:#8d96a0}.halo,text.halo{stroke:#0d1117}
.grid,.down{stroke:#30363d}.line{stroke:#7d8590}.wait{stroke:#d29922}.in{stroke:#f2cc60}
.both{fill:#f85149;fill-opacity:.25}.x{stroke:#f85149}.bad{fill:#f85149}
.back{stroke:#3fb950;fill:#0d1117}.note{stroke:#8d96a0;fill:#0d1117}
.t0{stroke:#58a6ff}.t1{stroke:#3fb950}.t2{stroke:#bc8cff}
.t3{stroke:#f778ba}.t4{stroke:#39c5cf}.t5{stroke:#d4a27f}
.t0 .h,text.t0{fill:#58a6ff}.t1 .h,text.t1{fill:#3fb950}.t2 .h,text.t2{fill:#bc8cff}
.t3 .h,text.t3{fill:#f778ba}.t4 .h,text.t4{fill:#39c5cf}.t5 .h,text.t5{fill:#d4a27f}
}
</style>
)";

std::string escaped(std::string_view text) {
  std::string result;
  const std::string clean = printable(text, false);
  for (std::size_t i = 0; i < clean.size(); ++i) {
    switch (clean[i]) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        // U+FFFE and U+FFFF are no characters of XML.
        if (clean.compare(i, 3, "\xEF\xBF\xBE") == 0 || clean.compare(i, 3, "\xEF\xBF\xBF") == 0) {
          result += "\xEF\xBF\xBD";
          i += 2;
        } else {
          result += clean[i];
        }
    }
  }
  return result;
}

// A tenth of a pixel is as fine as anybody sees.
std::string px(double value) {
  std::array<char, 32> digits{};
  const double rounded = std::round(value * 10) / 10 + 0.0;
  const auto end =
      std::to_chars(digits.begin(), digits.end(), rounded, std::chars_format::fixed, 1).ptr;
  std::string text(digits.begin(), end);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

std::string attribute(std::string_view name, double value) {
  return std::string(" ").append(name).append("=\"").append(px(value)).append("\"");
}

std::string line(std::string_view shape, const Stretch& on) {
  return std::string("<line")
             .append(shape.empty() ? "" : " class=\"")
             .append(shape)
             .append(shape.empty() ? "" : "\"") +
         attribute("x1", on.from.x) + attribute("y1", on.from.y) + attribute("x2", on.to.x) +
         attribute("y2", on.to.y) + "/>";
}

std::string text(std::string_view shape, Point at, std::string_view words) {
  return "<text class=\"" + std::string(shape) + "\"" + attribute("x", at.x) +
         attribute("y", at.y) + ">" + escaped(words) + "</text>\n";
}

std::string cross(Point at, double half) {
  return "<path class=\"x\" d=\"M" + px(at.x - half) + " " + px(at.y - half) + "l" + px(2 * half) +
         " " + px(2 * half) + "m0 " + px(-2 * half) + "l" + px(-2 * half) + " " + px(2 * half) +
         "\"/>";
}

std::string head(const Stretch& arrow) {
  const double length = std::max(arrow.length(), 0.001);
  const Point along{(arrow.to.x - arrow.from.x) / length, (arrow.to.y - arrow.from.y) / length};
  const auto corner = [&](double side) {
    return px(arrow.to.x - 9 * along.x - side * along.y) + " " +
           px(arrow.to.y - 9 * along.y + side * along.x);
  };
  return "<path class=\"h\" d=\"M" + px(arrow.to.x) + " " + px(arrow.to.y) + "L" + corner(3.4) +
         "L" + corner(-3.4) + "Z\"/>";
}

// What a process did for some time.
enum class Activity { waiting, inside, down };

struct Span {
  NodeId node;
  Activity activity{};
  Ticks from, to;
};

enum class Fate { received, lost, came_to_nobody, under_way };

struct Journey {
  const TraceEvent* sent = nullptr;
  Ticks arrives;
  Fate fate = Fate::under_way;
  bool again = false;
};

class Picture {
 public:
  explicit Picture(const Trace& trace) : trace_(trace) {
    follow_messages();
    find_scale();
    follow_processes();
  }

  void write(std::ostream& to) {
    const std::vector<std::string> verdict =
        wrapped(printable(trace_.verdict, false), static_cast<std::size_t>((width_ - left_) / 7.6));
    const double below = y({trace_.size - 1}) + 34;
    const std::size_t lines = trace_.verdict.empty() ? 0 : verdict.size();
    const double height = below + 32 + static_cast<double>(lines) * 18 + (lines > 0 ? 10 : 0);
    const std::string title = trace_.algorithm + ", " + std::to_string(trace_.size) +
                              (trace_.size == 1 ? " process" : " processes") + ", seed " +
                              std::to_string(trace_.seed);
    to << R"(<svg xmlns="http://www.w3.org/2000/svg" role="img" width=")" << px(width_)
       << "\" height=\"" << px(height) << "\" viewBox=\"0 0 " << px(width_) << ' ' << px(height)
       << "\">\n<title>" << escaped(title) << "</title>\n"
       << style << R"(<rect class="page" width="100%" height="100%"/>)" << '\n'
       << text("title", {16, 28}, title);
    legend(to);
    axis(to, below);
    processes(to);
    for (const Journey& journey : journeys_) arrow(to, journey);
    notes(to);
    to << labels_text_;
    message_labels(to);
    for (std::size_t i = 0; i < lines; ++i) {
      to << text("bad", {16, below + 44 + 18 * static_cast<double>(i)}, verdict[i]);
    }
    to << "</svg>\n";
  }

 private:
  void follow_messages() {
    std::unordered_map<std::uint64_t, const TraceEvent*> sent;
    std::unordered_map<std::uint64_t, std::size_t> arrivals;
    std::vector<bool> down(trace_.size);
    std::int64_t flights = 0;
    std::int64_t received = 0;
    for (const TraceEvent& event : trace_.events) {
      if (event.kind == TraceKind::crash) down[event.node.value] = true;
      if (event.kind == TraceKind::recover) down[event.node.value] = false;
      if (event.kind == TraceKind::send) {
        sent[event.message] = &event;
        if (std::find(types_.begin(), types_.end(), event.name) == types_.end()) {
          types_.push_back(event.name);
        }
      }
      const bool arrived = event.kind == TraceKind::receive;
      if (!arrived && event.kind != TraceKind::drop) continue;
      const TraceEvent* from = sent.at(event.message);
      const Fate fate = arrived                  ? Fate::received
                        : down[event.node.value] ? Fate::came_to_nobody
                                                 : Fate::lost;
      const bool again = arrivals[event.message]++ > 0;
      journeys_.push_back({from, event.at, fate, again});
      if (!arrived) continue;
      flights += (event.at - from->at).value;
      ++received;
    }
    if (received > 0) flight_ = {std::max<std::int64_t>(flights / received, 1)};
    for (const TraceEvent& event : trace_.events) {
      if (event.kind == TraceKind::send && !arrivals.contains(event.message)) {
        journeys_.push_back({&event, event.at + flight_, Fate::under_way, false});
      }
    }
    // A loss may be noted when the message is sent; it is drawn on its way all the same.
    for (Journey& journey : journeys_) {
      if (journey.fate == Fate::lost && journey.arrives == journey.sent->at) {
        journey.arrives = journey.sent->at + flight_;
      }
    }
  }

  void find_scale() {
    Ticks last{0};
    if (!trace_.events.empty()) {
      begin_ = (trace_.events.front().at.value / message_time.value) * message_time;
      last = trace_.events.back().at;
    }
    end_ = last + flight_;
    const double flights =
        static_cast<double>((end_ - begin_).value) / static_cast<double>(flight_.value);
    double plot = std::max(std::min(flights * 100, 1200.0), flights * 36);
    plot = std::clamp(plot, 620.0, 24000.0);
    per_tick_ = plot / static_cast<double>((end_ - begin_).value);
    double longest = 0;
    for (std::uint32_t i = 0; i < trace_.size; ++i) {
      longest = std::max(longest, static_cast<double>(columns(name({i}))));
    }
    left_ = 34 + 8.2 * longest;
    width_ = left_ + plot + 16;
    row_ = trace_.size <= 8 ? 72 : trace_.size <= 16 ? 52 : trace_.size <= 32 ? 38 : 26;
  }

  void follow_processes() {
    struct Process {
      bool known = false;  // whether it has been seen to ask, enter or leave
      bool busy = false;
      Activity activity{};
      Ticks since;
    };
    std::vector<Process> processes(trace_.size);
    const auto close = [&](NodeId node, Ticks at) {
      Process& process = processes[node.value];
      if (process.busy) spans_.push_back({node, process.activity, process.since, at});
      process.busy = false;
    };
    const auto open = [&](NodeId node, Ticks at, Activity activity) {
      close(node, at);
      processes[node.value] = {true, true, activity, at};
    };
    for (const TraceEvent& event : trace_.events) {
      switch (event.kind) {
        case TraceKind::request:
          open(event.node, event.at, Activity::waiting);
          break;
        case TraceKind::enter:
          open(event.node, event.at, Activity::inside);
          break;
        case TraceKind::exit:
          // Who leaves first of all has been inside from the beginning.
          if (!processes[event.node.value].known) open(event.node, begin_, Activity::inside);
          close(event.node, event.at);
          break;
        case TraceKind::crash:
          open(event.node, event.at, Activity::down);
          break;
        case TraceKind::recover:
          close(event.node, event.at);
          break;
        default:
          break;
      }
    }
    for (std::uint32_t i = 0; i < trace_.size; ++i) close({i}, end_);
  }

  double x(Ticks at) const { return left_ + static_cast<double>((at - begin_).value) * per_tick_; }
  double y(NodeId node) const { return top + row_ * node.value; }
  Point point(Ticks at, NodeId node) const { return {x(at), y(node)}; }
  std::string name(NodeId node) const {
    return shortened(printable(trace_.name(node), false), 16, "…");
  }
  std::string when(Ticks at) const { return decimal(at, message_time, 3); }

  std::string type_class(const TraceEvent& sent) const {
    const auto type = std::find(types_.begin(), types_.end(), sent.name) - types_.begin();
    return "t" + std::to_string(static_cast<std::size_t>(type) % type_colours);
  }

  void legend(std::ostream& to) const {
    constexpr double at = 52;
    double from = 16;
    const auto entry = [&](double sample, const std::string& words, std::string_view shape) {
      to << text(shape, {from + sample + 6, at + 4}, words);
      from += sample + 22 + Labels::width_of(words);
    };
    to << line("wait", {{from, at}, {from + 26, at}});
    entry(26, "waiting", "quiet");
    to << R"(<rect class="in" rx="2" width="26" height="10")" << attribute("x", from)
       << attribute("y", at - 5) << "/>";
    entry(26, "critical section", "quiet");
    for (std::size_t i = 0; i < types_.size() && from < width_ - 120; ++i) {
      const std::string colour = "t" + std::to_string(i % type_colours);
      const Stretch sample{{from, at}, {from + 26, at}};
      to << "<g class=\"m " << colour << "\">" << line("", sample) << head(sample) << "</g>";
      entry(26, shortened(printable(types_[i], false), 24, "…"), "legend " + colour);
    }
  }

  void axis(std::ostream& to, double below) const {
    // The shortest round number of message times that leaves room for its label.
    const double room = 48 / per_tick_ / static_cast<double>(message_time.value);
    double power = std::pow(10.0, std::floor(std::log10(room)));
    double step = 10 * power;
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor * power >= room) {
        step = factor * power;
        break;
      }
    }
    const Ticks every{
        std::max<std::int64_t>(std::llround(step * static_cast<double>(message_time.value)), 1)};
    int digits = 0;
    for (; step < 0.99 && digits < 6; step *= 10) ++digits;
    Ticks at = ((begin_.value + every.value - 1) / every.value) * every;
    for (; at <= end_; at = at + every) {
      to << line("grid", {{x(at), top - 18}, {x(at), below - 12}})
         << text("quiet mid", {x(at), below + 2}, decimal(at, message_time, digits));
    }
    to << text("quiet", {left_, below + 20}, "time in message times →");
  }

  void processes(std::ostream& to) const {
    for (std::uint32_t i = 0; i < trace_.size; ++i) {
      const double at = y({i});
      to << text("name", {left_ - 14, at + 4.5}, name({i}));
      Ticks since = begin_;
      for (const Span& span : spans_) {
        if (span.node.value != i || span.activity == Activity::inside) continue;
        to << line("line", {{x(since), at}, {x(span.from), at}})
           << line(span.activity == Activity::waiting ? "wait" : "down",
                   {{x(span.from), at}, {x(span.to), at}})
           << '\n';
        since = span.to;
      }
      to << line("line", {{x(since), at}, {x(end_), at}}) << '\n';
    }
    several_inside(to);
    for (const Span& span : spans_) {
      if (span.activity != Activity::inside) continue;
      to << R"(<rect class="in" rx="2" height="12")" << attribute("x", x(span.from))
         << attribute("y", y(span.node) - 6)
         << attribute("width", std::max(x(span.to) - x(span.from), 2.0)) << "><title>"
         << escaped(trace_.name(span.node)) << " is inside from " << when(span.from) << " to "
         << when(span.to) << "</title></rect>\n";
    }
  }

  // Time in which more than one process is inside is shaded from the first to the last of them.
  void several_inside(std::ostream& to) const {
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      for (std::size_t j = i + 1; j < spans_.size(); ++j) {
        const Span& a = spans_[i];
        const Span& b = spans_[j];
        if (a.activity != Activity::inside || b.activity != Activity::inside) continue;
        const Ticks from = std::max(a.from, b.from);
        const Ticks until = std::min(a.to, b.to);
        if (from >= until || a.node == b.node) continue;
        const double high = std::min(y(a.node), y(b.node)) - 14;
        const double low = std::max(y(a.node), y(b.node)) + 14;
        to << R"(<rect class="both")" << attribute("x", x(from)) << attribute("y", high)
           << attribute("width", x(until) - x(from)) << attribute("height", low - high)
           << "><title>both inside</title></rect>\n";
      }
    }
  }

  Stretch path_of(const Journey& journey) const {
    const TraceEvent& sent = *journey.sent;
    Stretch whole{point(sent.at, sent.node), point(journey.arrives, sent.peer)};
    if (journey.fate == Fate::lost) whole.to = whole.at(0.55);
    if (journey.fate == Fate::under_way) whole.to = whole.at(0.45);
    return whole;
  }

  void arrow(std::ostream& to, const Journey& journey) {
    const TraceEvent& sent = *journey.sent;
    const Stretch path = path_of(journey);
    labels_.avoid(path);
    to << "<g class=\"m " << type_class(sent);
    if (journey.fate == Fate::lost || journey.fate == Fate::came_to_nobody) to << " lost";
    if (journey.fate == Fate::under_way) to << " away";
    if (journey.again) to << " again";
    to << "\"><title>" << escaped(sent.name) << escaped(sent.body == "()" ? "" : sent.body) << ", "
       << escaped(trace_.name(sent.node)) << " → " << escaped(trace_.name(sent.peer)) << ", "
       << when(sent.at);
    switch (journey.fate) {
      case Fate::received:
        to << " to " << when(journey.arrives) << (journey.again ? ", a duplicate" : "");
        break;
      case Fate::lost:
        to << ", lost";
        break;
      case Fate::came_to_nobody:
        to << ", found its receiver down";
        break;
      case Fate::under_way:
        to << ", still under way at the end";
    }
    to << "</title>" << line("o", path) << line("", path);
    if (journey.fate == Fate::received || journey.fate == Fate::under_way) {
      to << head(path);
    } else {
      to << cross(path.to, 4.5);
    }
    to << "</g>\n";
  }

  void notes(std::ostream& to) {
    for (const TraceEvent& event : trace_.events) {
      const Point at = point(event.at, event.node);
      std::string words;
      std::string shape;
      switch (event.kind) {
        case TraceKind::crash:
          words = "crashes";
          shape = cross(at, 7);
          break;
        case TraceKind::recover:
          words = "recovers";
          shape = circle("back", at);
          break;
        case TraceKind::elect:
          words = "elects " + trace_.name(event.peer);
          shape = circle("note", at);
          break;
        case TraceKind::suspect:
          words = "suspects " + trace_.name(event.peer);
          shape = circle("note", at);
          break;
        case TraceKind::timer:
          words = "timer " + event.name;
          shape = circle("note", at);
          break;
        default:
          continue;
      }
      to << "<g><title>" << escaped(trace_.name(event.node)) << ' ' << escaped(words) << " at "
         << when(event.at) << "</title>" << shape << "</g>\n";
      const double half = Labels::width_of(words) / 2;
      const Point middle{std::clamp(at.x, left_ + half, std::max(width_ - half, left_ + half)),
                         at.y - 12};
      if (labels_.place_level({middle.x, middle.y - Labels::font_size / 3}, 2 * half)) {
        labels_text_ += text("halo mid", middle, words);
      }
    }
  }

  static std::string circle(std::string_view shape, Point at) {
    return "<circle class=\"" + std::string(shape) + "\" r=\"4\"" + attribute("cx", at.x) +
           attribute("cy", at.y) + "/>";
  }

  void message_labels(std::ostream& to) {
    if (journeys_.size() > most_labelled_messages) return;
    for (const Journey& journey : journeys_) {
      const TraceEvent& sent = *journey.sent;
      const Stretch path = path_of(journey);
      const auto rows =
          static_cast<std::size_t>(std::lround(std::abs(y(sent.peer) - y(sent.node)) / row_));
      const std::string words = shortened(printable(sent.name, false), 24, "…");
      const auto at = labels_.place_along(path, Labels::width_of(words), rows);
      if (!at) continue;
      const double slope = std::atan2(path.to.y - path.from.y, path.to.x - path.from.x);
      to << "<text class=\"halo mid " << type_class(sent) << "\" transform=\"translate("
         << px(at->x) << ' ' << px(at->y) << ") rotate(" << px(slope * 57.29577951308232) << ")\">"
         << escaped(words) << "</text>\n";
    }
  }

  const Trace& trace_;
  std::vector<std::string> types_;  // of messages, in the order of their first appearance
  std::vector<Journey> journeys_;
  std::vector<Span> spans_;
  Ticks flight_ = message_time;  // of a message, on average
  Ticks begin_{0};
  Ticks end_{0};
  double per_tick_ = 0;
  double left_ = 0;
  double width_ = 0;
  double row_ = 0;
  Labels labels_;
  std::string labels_text_;
};

}  // namespace

std::string write_svg(const Trace& trace, std::ostream& to) {
  if (trace.size > most_svg_processes || trace.events.size() > most_svg_events) {
    return "a picture shows up to " + std::to_string(most_svg_processes) + " processes and " +
           std::to_string(most_svg_events) + " events, and this run has " +
           std::to_string(trace.size) + " and " + std::to_string(trace.events.size());
  }
  if (trace.size == 0) return "a picture needs at least one process";
  Picture(trace).write(to);
  return {};
}

}  // namespace baton::view
