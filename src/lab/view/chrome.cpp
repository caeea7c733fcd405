#include "lab/view/chrome.h"

#include <algorithm>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/text.h"

namespace baton::view {

namespace {

// Timestamps of the format are microseconds.
constexpr Ticks microsecond{message_time.value / 1000};
// An arrow can only begin and end at a slice, so each sending and receipt gets a short one.
constexpr Ticks moment = 50 * microsecond;

class ChromeTrace {
 public:
  explicit ChromeTrace(const Trace& trace) : trace_(trace) {
    end_ = trace.events.empty() ? Ticks{0} : trace.events.back().at + moment;
    find_moments();
    for (std::size_t i = 0; i < trace.events.size(); ++i) add(i);
    for (auto& [node, process] : processes_) close(node, process, end_);
    std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
      return a.at != b.at ? a.at < b.at : a.order < b.order;
    });
  }

  void write(std::ostream& to) const {
    to << "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"
       << R"({"ph":"M","pid":1,"name":"process_name","args":{"name":)"
       << text::json_quoted(trace_.algorithm) << "}}";
    for (const auto& [node, process] : processes_) {
      const std::string thread = ",\n{\"ph\":\"M\",\"pid\":1,\"tid\":" + tid(node);
      to << thread << R"(,"name":"thread_name","args":{"name":)"
         << text::json_quoted(trace_.name(node)) << "}}" << thread
         << R"(,"name":"thread_sort_index","args":{"sort_index":)" << node.value << "}}";
    }
    for (const Entry& entry : entries_) to << ",\n" << entry.text;
    to << "\n]}\n";
  }

 private:
  struct Entry {
    Ticks at;
    // Viewers nest slices, and tie arrows to them, in the order of the file. States come first;
    // then each event's slice is followed by its arrow.
    std::size_t order;
    std::string text;
  };
  struct Process {
    std::string_view slice;  // "" outside
    Ticks since{0};
  };

  // Perfetto keeps 0 for itself.
  static std::string tid(NodeId node) { return std::to_string(std::uint64_t{node.value} + 1); }

  // A moment must end before its process's next event, or slices would overlap by halves.
  void find_moments() {
    moments_.resize(trace_.events.size());
    // The event and the one after it.
    std::unordered_map<std::uint32_t, std::pair<Ticks, Ticks>> next;
    for (std::size_t i = trace_.events.size(); i-- > 0;) {
      const TraceEvent& event = trace_.events[i];
      auto [at, first] = next.try_emplace(event.node.value, event.at, event.at + moment);
      auto& [soonest, after] = at->second;
      if (event.at < soonest) {
        after = soonest;
        soonest = event.at;
      }
      moments_[i] = std::min(moment, after - event.at);
    }
  }

  void add(std::size_t index) {
    const TraceEvent& event = trace_.events[index];
    Process& process = processes_[event.node];
    switch (event.kind) {
      case TraceKind::request:
        open(event, process, "waiting");
        break;
      case TraceKind::enter:
        open(event, process, "critical section");
        break;
      case TraceKind::exit:
        // A process that leaves without having entered has been inside from the beginning.
        if (process.slice.empty() && process.since == Ticks{0}) process.slice = "critical section";
        close(event.node, process, event.at);
        break;
      case TraceKind::send:
        sent_.emplace(event.message, index);
        message(index, "send ");
        break;
      case TraceKind::receive:
        message(index, "receive ");
        arrow(sent_.at(event.message), index);
        break;
      case TraceKind::crash:
      case TraceKind::lose:
        close(event.node, process, event.at);
        instant(index);
        break;
      default:
        instant(index);
    }
  }

  void open(const TraceEvent& event, Process& process, std::string_view name) {
    close(event.node, process, event.at);
    process = {name, event.at};
  }

  void close(NodeId node, Process& process, Ticks at) {
    if (!process.slice.empty()) {
      std::string text = head("X", node, process.since, process.slice, "state");
      text.append(",\"dur\":")
          .append(text::decimal(at - process.since, microsecond, 3))
          .append("}");
      entries_.push_back({process.since, 0, std::move(text)});
    }
    process = {{}, at};
  }

  static std::string head(std::string_view phase, NodeId node, Ticks at, std::string_view name,
                          std::string_view category) {
    std::string text = "{\"ph\":\"";
    text.append(phase).append("\",\"pid\":1,\"tid\":").append(tid(node));
    text.append(",\"ts\":").append(text::decimal(at, microsecond, 3));
    text.append(",\"cat\":").append(text::json_quoted(category));
    return text.append(",\"name\":").append(text::json_quoted(name));
  }

  void message(std::size_t index, const std::string& verb) {
    const TraceEvent& event = trace_.events[index];
    std::string text = head("X", event.node, event.at, verb + event.name, "message");
    text.append(",\"dur\":").append(text::decimal(moments_[index], microsecond, 3));
    text.append(",\"args\":{\"id\":").append(std::to_string(event.message));
    text.append(",\"body\":").append(text::json_quoted(event.body)).append("}}");
    entries_.push_back({event.at, index + 1, std::move(text)});
  }

  // Each receipt has an arrow of its own, also that of a duplicate.
  void arrow(std::size_t sent, std::size_t received) {
    const std::string id = ",\"id\":" + std::to_string(++arrows_);
    const auto end = [&](std::string_view phase, std::size_t index, std::string_view rest) {
      const TraceEvent& event = trace_.events[index];
      std::string text = head(phase, event.node, event.at, event.name, "message");
      entries_.push_back({event.at, index + 1, text.append(id).append(rest)});
    };
    end("s", sent, "}");
    end("f", received, ",\"bp\":\"e\"}");
  }

  void instant(std::size_t index) {
    const TraceEvent& event = trace_.events[index];
    std::string name(name_of(event.kind));
    if (!event.name.empty()) name.append(" ").append(event.name);
    if (event.kind == TraceKind::drop) name += " from";
    if (event.peer != nobody) name.append(" ").append(trace_.name(event.peer));
    std::string text = head("i", event.node, event.at, name, "event");
    entries_.push_back({event.at, index + 1, text.append(",\"s\":\"t\"}")});
  }

  const Trace& trace_;
  Ticks end_{0};
  std::vector<Ticks> moments_;  // how long each event's slice may be
  std::map<NodeId, Process> processes_;
  std::unordered_map<std::uint64_t, std::size_t> sent_;
  std::vector<Entry> entries_;
  std::uint64_t arrows_ = 0;
};

}  // namespace

void write_chrome(const Trace& trace, std::ostream& to) { ChromeTrace(trace).write(to); }

}  // namespace baton::view
