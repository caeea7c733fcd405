#include "lab/view/svg.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <ostream>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/text.h"
#include "lab/view/svg_cuts.h"
#include "lab/view/svg_labels.h"
#include "lab/view/svg_shapes.h"

namespace baton::view {

namespace {

using svg::attribute;
using svg::circle;
using svg::cross;
using svg::escaped;
using svg::head;
using svg::line;
using svg::px;
using svg::text;

// More labels than this would hide the arrows.
constexpr std::size_t most_labelled_messages = 60;
constexpr std::size_t type_colours = 6;
constexpr double legend_sample_width = 26;  // in the legend
constexpr double sample_gap = 22;
constexpr double top = 96;  // of the first process's line

// A state of a process for some time.
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

bool is_lost(const Journey& journey) {
  return journey.fate == Fate::lost || journey.fate == Fate::came_to_nobody;
}

class Picture {
 public:
  explicit Picture(const Trace& trace) : trace_(trace) {
    follow_messages();
    find_scale();
    follow_processes();
  }

  void write(std::ostream& to) {
    const std::vector<std::string> verdict = text::wrapped(
        text::printable(trace_.verdict, false), static_cast<std::size_t>((width_ - 32) / 7.3));
    const double below = y({trace_.size - 1}) + 34;
    const std::size_t lines = trace_.verdict.empty() ? 0 : verdict.size();
    const double height = below + 32 + static_cast<double>(lines) * 18 + (lines > 0 ? 10 : 0);
    to << R"(<svg xmlns="http://www.w3.org/2000/svg" role="img" width=")" << px(width_)
       << "\" height=\"" << px(height) << "\" viewBox=\"0 0 " << px(width_) << ' ' << px(height)
       << "\">\n<title>" << escaped(title()) << "</title>\n"
       << svg::style() << R"(<rect class="page" width="100%" height="100%"/>)" << '\n'
       << text("title", {16, 28}, title());
    legend(to);
    axis(to, below);
    processes(to);
    for (const Journey& journey : journeys_) arrow(to, journey);
    to << svg::cuts(trace_, [&](Ticks at, NodeId node) { return point(at, node); });
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
    // A loss may be recorded when the message is sent; the picture shows it on the way all the
    // same.
    for (Journey& journey : journeys_) {
      if (is_lost(journey) && journey.arrives == journey.sent->at) {
        journey.arrives = journey.sent->at + flight_;
      }
    }
  }

  void find_scale() {
    const Ticks last = trace_.events.empty() ? Ticks{0} : trace_.events.back().at;
    end_ = last + Ticks{std::max<std::int64_t>(flight_.value * 7 / 10, 1)};
    const double flights = static_cast<double>(end_.value) / static_cast<double>(flight_.value);
    double plot = std::max(std::min(flights * 100, 1200.0), flights * 36);
    plot = std::clamp(plot, 620.0, 24000.0);
    per_tick_ = plot / static_cast<double>(end_.value);
    double longest = 0;
    for (std::uint32_t i = 0; i < trace_.size; ++i) {
      longest = std::max(longest, static_cast<double>(text::columns(name({i}))));
    }
    left_ = 34 + 8.2 * longest;
    constexpr double legend_of_states = 330;
    double legend = legend_of_states;
    for (std::size_t i = 0; i < std::min(types_.size(), type_colours); ++i) {
      legend += legend_sample_width + sample_gap + Labels::width_of(type_name(i));
    }
    const double title = 32 + 9.6 * static_cast<double>(text::columns(this->title()));
    width_ = std::max({left_ + plot + 16, legend, title});
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
    const bool somebody_enters =
        std::any_of(trace_.events.begin(), trace_.events.end(),
                    [](const TraceEvent& event) { return event.kind == TraceKind::enter; });
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
          // A process that first of all leaves has been inside from the beginning.
          if (!processes[event.node.value].known) open(event.node, {0}, Activity::inside);
          close(event.node, event.at);
          break;
        case TraceKind::lose:
          close(event.node, event.at);
          break;
        case TraceKind::elect:
          // A process that starts an election waits for its result; if it waits for a lock, it
          // still does.
          if (!somebody_enters && processes[event.node.value].activity == Activity::waiting) {
            close(event.node, event.at);
          }
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

  double x(Ticks at) const { return left_ + static_cast<double>(at.value) * per_tick_; }
  double y(NodeId node) const { return top + row_ * node.value; }
  Point point(Ticks at, NodeId node) const { return {x(at), y(node)}; }
  std::string name(NodeId node) const {
    return text::shortened(text::printable(trace_.name(node), false), 16, "…");
  }
  std::string title() const {
    return text::shortened(text::printable(trace_.algorithm, false), 80, "…") + ", " +
           std::to_string(trace_.size) + (trace_.size == 1 ? " process" : " processes") +
           ", seed " + std::to_string(trace_.seed);
  }
  std::string type_name(std::size_t type) const {
    return text::shortened(text::printable(types_[type], false), 24, "…");
  }
  std::string when(Ticks at) const { return text::decimal(at, message_time, 3); }

  std::string type_class(const TraceEvent& sent) const {
    const auto type = std::find(types_.begin(), types_.end(), sent.name) - types_.begin();
    return "t" + std::to_string(static_cast<std::size_t>(type) % type_colours);
  }

  bool is_seen(Activity activity) const {
    return std::any_of(spans_.begin(), spans_.end(),
                       [&](const Span& span) { return span.activity == activity; });
  }

  void legend(std::ostream& to) const {
    constexpr double at = 52;
    double from = 16;
    const auto entry = [&](double sample, const std::string& words, std::string_view shape) {
      to << text(shape, {from + sample + 6, at + 4}, words);
      from += sample + sample_gap + Labels::width_of(words);
    };
    if (is_seen(Activity::waiting)) {
      to << line("wait", {{from, at}, {from + legend_sample_width, at}});
      entry(legend_sample_width, "waiting", "quiet");
    }
    if (is_seen(Activity::inside)) {
      to << R"(<rect class="in" rx="2" width="26" height="10")" << attribute("x", from)
         << attribute("y", at - 5) << "/>";
      entry(legend_sample_width, "critical section", "quiet");
    }
    if (std::any_of(journeys_.begin(), journeys_.end(), is_lost)) {
      to << cross({from + 5, at}, 4.5);
      entry(10, "lost", "quiet");
    }
    for (std::size_t i = 0; i < types_.size() && from < width_ - 40; ++i) {
      const std::string colour = "t" + std::to_string(i % type_colours);
      const Stretch sample{{from, at}, {from + legend_sample_width, at}};
      to << "<g class=\"m " << colour << "\">" << line("", sample) << head(sample) << "</g>";
      entry(legend_sample_width, type_name(i), "legend " + colour);
    }
  }

  void axis(std::ostream& to, double below) const {
    // The shortest round number of message times that leaves room for its label.
    const double room = 80 / per_tick_ / static_cast<double>(message_time.value);
    double step = svg::round_number(room);
    const Ticks every{
        std::max<std::int64_t>(std::llround(step * static_cast<double>(message_time.value)), 1)};
    int digits = 0;
    for (; step < 0.99 && digits < 6; step *= 10) ++digits;
    for (Ticks at{0}; at <= end_; at = at + every) {
      to << line("grid", {{x(at), top - 18}, {x(at), below - 12}})
         << text("quiet mid", {x(at), below + 2}, text::decimal(at, message_time, digits));
    }
    to << text("quiet", {left_, below + 20}, "time in message times →");
  }

  void processes(std::ostream& to) const {
    for (std::uint32_t i = 0; i < trace_.size; ++i) {
      const double at = y({i});
      to << text("name", {left_ - 14, at + 4.5}, name({i}));
      Ticks since{0};
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

  // Shades the time in which more than one process is inside, unless each enters with its own
  // resources.
  void several_inside(std::ostream& to) const {
    const bool with_resources =
        std::any_of(trace_.events.begin(), trace_.events.end(), [](const TraceEvent& event) {
          return event.kind == TraceKind::enter && !event.name.empty();
        });
    if (with_resources) return;
    std::vector<Span> inside;
    std::copy_if(spans_.begin(), spans_.end(), std::back_inserter(inside),
                 [](const Span& span) { return span.activity == Activity::inside; });
    std::stable_sort(inside.begin(), inside.end(),
                     [](const Span& a, const Span& b) { return a.from < b.from; });
    Ticks occupied{0};  // the processes looked at so far are inside until then
    Ticks shaded{0};
    for (const Span& span : inside) {
      const Ticks from = std::max(span.from, shaded);
      const Ticks until = std::min(span.to, occupied);
      occupied = std::max(occupied, span.to);
      if (from >= until) continue;
      shaded = until;
      to << R"(<rect class="both")" << attribute("x", x(from)) << attribute("y", top - 18)
         << attribute("width", x(until) - x(from))
         << attribute("height", y({trace_.size - 1}) - top + 36)
         << "><title>more than one inside</title></rect>\n";
    }
  }

  // The number of spaces between lines that the message's arrow crosses.
  static std::size_t gaps_of(const TraceEvent& sent) {
    return std::max(sent.node, sent.peer).value - std::min(sent.node, sent.peer).value;
  }

  Stretch path_of(const Journey& journey) const {
    const TraceEvent& sent = *journey.sent;
    Stretch whole{point(sent.at, sent.node), point(journey.arrives, sent.peer)};
    if (journey.fate == Fate::lost) {
      // About midway, but between two lines and not where the opposite arrow may end too.
      const std::size_t gaps = std::max<std::size_t>(gaps_of(sent), 1);
      const std::size_t before = (gaps - 1) / 2;
      whole.to = whole.at((static_cast<double>(before) + 0.62) / static_cast<double>(gaps));
    }
    if (journey.fate == Fate::under_way) whole.to = whole.at(0.45);
    return whole;
  }

  void arrow(std::ostream& to, const Journey& journey) {
    const TraceEvent& sent = *journey.sent;
    const Stretch path = path_of(journey);
    labels_.avoid(path);
    if (is_lost(journey)) labels_.place_level(path.to, 2);
    to << "<g class=\"m " << type_class(sent);
    if (is_lost(journey)) to << " lost";
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
    to << (is_lost(journey) ? cross(path.to, 4.5) : head(path)) << "</g>\n";
  }

  // Draws elections first, because the other notes leave room to each other.
  void notes(std::ostream& to) {
    for (const bool elections : {true, false}) notes(to, elections);
  }

  struct Note {
    std::string words;
    std::string shape;
  };

  // Notes: events other than messages and stays inside.
  std::optional<Note> note_of(const TraceEvent& event, Point at) const {
    switch (event.kind) {
      case TraceKind::crash:
        return Note{"crashes", cross(at, 7)};
      case TraceKind::recover:
        return Note{"recovers", circle("back", at)};
      case TraceKind::elect:
        return Note{"elects " + trace_.name(event.peer), circle("note", at)};
      case TraceKind::suspect:
        return Note{"suspects " + trace_.name(event.peer), circle("note", at)};
      case TraceKind::timer:
        return Note{"timer " + event.name, circle("note", at)};
      case TraceKind::trust:
        return Note{"trusts " + trace_.name(event.peer), circle("note", at)};
      case TraceKind::pause:
        return Note{"pauses", circle("note", at)};
      case TraceKind::resume:
        return Note{"resumes", circle("back", at)};
      case TraceKind::lose:
        return Note{"loses the lock", cross(at, 7)};
      case TraceKind::record:
        return Note{"records " + event.name, circle("note", at)};
      case TraceKind::note:
        return Note{event.name, circle("note", at)};
      default:
        return std::nullopt;
    }
  }

  void notes(std::ostream& to, bool elections) {
    for (const TraceEvent& event : trace_.events) {
      if ((event.kind == TraceKind::elect) != elections) continue;
      const Point at = point(event.at, event.node);
      const auto note = note_of(event, at);
      if (!note) continue;
      to << "<g><title>" << escaped(trace_.name(event.node)) << ' ' << escaped(note->words)
         << " at " << when(event.at) << "</title>" << note->shape << "</g>\n";
      if (event.kind == TraceKind::record) continue;  // the line of the cut says it once for all
      const double half = Labels::width_of(note->words) / 2;
      const double middle = std::clamp(at.x, left_ + half, std::max(width_ - half, left_ + half));
      // Above the line, or below it where something else happened at the same time.
      for (const double base : {at.y - 12, at.y + 20}) {
        if (!labels_.place_level({middle, base - Labels::font_size / 3}, 2 * half)) continue;
        labels_text_ += text("halo mid", {middle, base}, note->words);
        break;
      }
    }
  }

  void message_labels(std::ostream& to) {
    if (journeys_.size() > most_labelled_messages) return;
    for (const Journey& journey : journeys_) {
      const TraceEvent& sent = *journey.sent;
      const Stretch path = path_of(journey);
      const std::string words = text::shortened(text::printable(sent.name, false), 24, "…");
      const auto at = labels_.place_along(path, Labels::width_of(words), gaps_of(sent));
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
