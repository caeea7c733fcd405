#include "lab/view/merge.h"

#include <algorithm>
#include <charconv>
#include <compare>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace baton::view {

namespace {

using Micros = std::int64_t;

// The longest pause that is worth showing, in message times.
constexpr std::int64_t longest_pause = 4;

// About a hundred days; a later time in a file is a fault.
constexpr Micros longest_run = 9'000'000'000'000;

struct NotOneRun {
  std::string why;
};

class Merger {
 public:
  Merger(std::vector<TracePart>& parts, const MergeOptions& options)
      : parts_(parts), options_(options) {}

  MergedTrace merge() {
    check_headers();
    find_processes();
    find_sends();
    check_arrivals();
    find_shifts();
    put_in_order();
    find_message_time();
    write();
    return std::move(merged_);
  }

 private:
  struct Sending {
    std::size_t part;
    const TraceEvent* event;
  };
  // The trace that one process wrote in one of its lives.
  struct Life {
    std::uint64_t number;
    std::size_t part;

    friend auto operator<=>(const Life&, const Life&) = default;
  };
  struct Placed {
    const TraceEvent* event;
    Micros at;
  };

  // --- Whether they belong together -------------------------------------------------------------

  void check_headers() const {
    const TracePart& first = parts_.front();
    if (first.trace.size > Trace::vector_limit) {
      throw NotOneRun{first.source + " is of a group of " + std::to_string(first.trace.size) +
                      ", and groups of processes have at most " +
                      std::to_string(Trace::vector_limit)};
    }
    for (const TracePart& part : parts_) {
      const auto differ = [&](const std::string& what) {
        throw NotOneRun{first.source + " and " + part.source + " are of different groups: " + what};
      };
      if (part.trace.algorithm != first.trace.algorithm) {
        differ(first.trace.algorithm + " and " + part.trace.algorithm);
      }
      if (part.trace.size != first.trace.size) {
        differ(std::to_string(first.trace.size) + " and " + std::to_string(part.trace.size) +
               " processes");
      }
      if (part.trace.names != first.trace.names) differ("their members have different names");
    }
  }

  void find_processes() {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const TracePart& part = parts_[i];
      if (part.is_cut_off) {
        merged_.missing.push_back(part.source + " ends in the middle of a line");
      }
      if (part.trace.events.empty()) continue;
      const NodeId own = part.trace.events.front().node;
      if (part.trace.events.back().at.value > longest_run) {
        throw NotOneRun{part.source + " tells of times that are too late for microseconds"};
      }
      for (const TraceEvent& event : part.trace.events) {
        if (event.node == own) continue;
        throw NotOneRun{part.source + " is of more than one process (" + name(own) + " and " +
                        name(event.node) + "): only what each has written itself can be merged"};
      }
      lives_[own].push_back({life_of(part.trace), i});
    }
    for (std::uint32_t i = 0; i < parts_.front().trace.size; ++i) {
      if (lives_.contains({i})) {
        put_lives_in_order({i});
      } else {
        merged_.missing.push_back("there is no file of process " + name({i}));
      }
    }
  }

  // The first event of a restarted process says that it was started again.
  static std::uint64_t life_of(const Trace& trace) {
    const TraceEvent& first = trace.events.front();
    std::uint64_t number = 1;
    if (first.kind == TraceKind::recover) {
      std::from_chars(first.body.data(), first.body.data() + first.body.size(), number);
    }
    return number;
  }

  void put_lives_in_order(NodeId node) {
    std::vector<Life>& lives = lives_[node];
    std::sort(lives.begin(), lives.end());
    for (std::size_t i = 1; i < lives.size(); ++i) {
      if (lives[i].number == lives[i - 1].number) {
        throw NotOneRun{parts_[lives[i - 1].part].source + " and " + parts_[lives[i].part].source +
                        " are both of process " + name(node)};
      }
      add_crash(parts_[lives[i - 1].part].trace.events);
      follows_[lives[i].part] = lives[i - 1].part;
    }
  }

  // A process that lives again has died, and could not record its death.
  static void add_crash(std::vector<TraceEvent>& events) {
    const TraceEvent& last = events.back();
    if (last.kind == TraceKind::crash) return;
    events.push_back({.at = last.at, .node = last.node, .kind = TraceKind::crash});
  }

  void find_sends() {
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      for (const TraceEvent& event : parts_[part].trace.events) {
        if (event.kind != TraceKind::send) continue;
        const auto [other, is_new] = sends_.emplace(event.message, Sending{part, &event});
        if (is_new) continue;
        throw NotOneRun{"message " + std::to_string(event.message) + " is sent in " +
                        parts_[other->second.part].source + " and in " + parts_[part].source +
                        ": they are not of one run"};
      }
    }
  }

  void check_arrivals() {
    std::map<std::pair<NodeId, NodeId>, std::uint64_t> unknown;
    for (const TracePart& part : parts_) {
      for (const TraceEvent& event : part.trace.events) {
        if (!is_arrival(event)) continue;
        if (sending_of(event) == nullptr) {
          ++unknown[{event.peer, event.node}];
        } else {
          check_arrival(part, event);
        }
      }
    }
    for (const auto& [way, count] : unknown) {
      merged_.missing.push_back("no file tells of the sending of " + std::to_string(count) +
                                (count == 1 ? " message" : " messages") + " from " +
                                name(way.first) + " to " + name(way.second));
    }
  }

  void check_arrival(const TracePart& part, const TraceEvent& event) const {
    const Sending& sending = sends_.at(event.message);
    const TraceEvent& sent = *sending.event;
    const bool is_same = sent.node == event.peer && sent.peer == event.node &&
                         (event.kind == TraceKind::drop || event.name.empty() ||
                          (sent.name == event.name && sent.body == event.body));
    const bool is_later = event.kind == TraceKind::drop || event.lamport > sent.lamport;
    if (is_same && is_later) return;
    throw NotOneRun{"message " + std::to_string(event.message) + " of " +
                    parts_[sending.part].source + " is another one in " + part.source +
                    ": they are not of one run"};
  }

  static bool is_arrival(const TraceEvent& event) {
    return event.kind == TraceKind::receive || event.kind == TraceKind::drop;
  }

  const TraceEvent* sending_of(const TraceEvent& event) const {
    const auto found = sends_.find(event.message);
    return found == sends_.end() ? nullptr : found->second.event;
  }

  std::string name(NodeId node) const { return parts_.front().trace.name(node); }

  // --- Time -------------------------------------------------------------------------------------

  // From one part to another: the time of the quickest message by the clocks of both.
  using Quickest = std::map<std::pair<std::size_t, std::size_t>, Micros>;

  Quickest quickest() const {
    Quickest found;
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      for (const TraceEvent& event : parts_[part].trace.events) {
        const auto sending = sends_.find(event.message);
        if (event.kind != TraceKind::receive || sending == sends_.end()) continue;
        const Micros took = (event.at - sending->second.event->at).value;
        const auto [at, is_new] = found.emplace(std::pair(sending->second.part, part), took);
        at->second = std::min(at->second, took);
      }
    }
    return found;
  }

  // Shifts under which every message takes at least so long; no value if there are none. These are
  // difference constraints, which Bellman and Ford's algorithm solves.
  std::optional<std::vector<Micros>> shifts_for(const Quickest& quickest, Micros least) const {
    std::vector<Micros> shifts(parts_.size(), 0);
    for (std::size_t round = 0; round <= parts_.size(); ++round) {
      bool is_settled = true;
      const auto demand = [&](std::size_t from, std::size_t to, Micros between) {
        const Micros latest = shifts[to] + between;
        if (shifts[from] <= latest) return;
        shifts[from] = latest;
        is_settled = false;
      };
      for (const auto& [way, took] : quickest) demand(way.first, way.second, took - least);
      // One life ends before the next begins.
      for (const auto& [later, earlier] : follows_) {
        demand(
            earlier, later,
            (parts_[later].trace.events.front().at - parts_[earlier].trace.events.back().at).value);
      }
      if (is_settled) return shifts;
    }
    return std::nullopt;
  }

  // The longest possible time of the quickest message. Messages in one direction only do not limit
  // it; and if clocks run at different speeds there may be no solution, and only the order counts.
  void find_shifts() {
    const Quickest found = quickest();
    constexpr Micros most = 1'000'000;
    Micros possible = 0;
    Micros impossible = most;
    shifts_ = shifts_for(found, 0).value_or(std::vector<Micros>(parts_.size(), 0));
    while (impossible - possible > 1) {
      const Micros tried = (possible + impossible) / 2;
      if (auto shifts = shifts_for(found, tried)) {
        shifts_ = std::move(*shifts);
        possible = tried;
      } else {
        impossible = tried;
      }
    }
  }

  Micros shifted(const TraceEvent& event, std::size_t part) const {
    return event.at.value + shifts_[part];
  }

  // Keeps each process's events in order, and its lives, puts a receipt after its sending, and
  // otherwise sorts by time.
  void put_in_order() {
    using Next = std::tuple<Micros, std::uint32_t, std::size_t>;  // time, process, part
    std::priority_queue<Next, std::vector<Next>, std::greater<>> ready;
    std::vector<std::size_t> done(parts_.size());
    std::unordered_map<std::uint64_t, std::vector<std::size_t>> waiting;  // for a message: parts
    std::map<std::size_t, std::size_t> next_life;
    for (const auto& [later, earlier] : follows_) next_life[earlier] = later;
    std::set<std::uint64_t> sent;
    const auto offer = [&](std::size_t part) {
      const auto& events = parts_[part].trace.events;
      if (done[part] == events.size()) return;
      const TraceEvent& next = events[done[part]];
      if (is_arrival(next) && sending_of(next) != nullptr && !sent.contains(next.message)) {
        waiting[next.message].push_back(part);
      } else {
        ready.emplace(shifted(next, part), next.node.value, part);
      }
    };
    std::size_t all = 0;
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      all += parts_[part].trace.events.size();
      if (!follows_.contains(part)) offer(part);
    }
    while (!ready.empty()) {
      const std::size_t part = std::get<2>(ready.top());
      ready.pop();
      const TraceEvent& event = parts_[part].trace.events[done[part]++];
      const Micros at = shifted(event, part);
      placed_.push_back({&event, placed_.empty() ? at : std::max(at, placed_.back().at)});
      offer(part);
      const bool is_over = done[part] == parts_[part].trace.events.size();
      if (is_over && next_life.contains(part)) offer(next_life[part]);
      if (event.kind != TraceKind::send) continue;
      sent.insert(event.message);
      const auto held_up = waiting.extract(event.message);
      if (held_up.empty()) continue;
      for (const std::size_t other : held_up.mapped()) offer(other);
    }
    if (placed_.size() != all) {
      throw NotOneRun{
          "messages arrive before they are sent, whatever the order: these files are "
          "not of one run"};
    }
  }

  void find_message_time() {
    std::unordered_map<std::uint64_t, Micros> sent;
    std::vector<Micros> took;
    for (const Placed& one : placed_) {
      if (one.event->kind == TraceKind::send) sent.emplace(one.event->message, one.at);
      if (one.event->kind != TraceKind::receive) continue;
      const auto from = sent.find(one.event->message);
      if (from != sent.end()) took.push_back(one.at - from->second);
    }
    merged_.messages = took.size();
    if (took.empty()) return;
    std::sort(took.begin(), took.end());
    message_time_us_ = std::max<Micros>(took[took.size() / 2], 1);
    merged_.message_time_us = static_cast<double>(message_time_us_);
  }

  // --- The merged trace -------------------------------------------------------------------------

  // Keeps new clocks. They equal those of the parts unless something is missing.
  void write() {
    const Trace& first = parts_.front().trace;
    Trace& trace = merged_.trace;
    trace.algorithm = first.algorithm;
    trace.size = first.size;
    trace.seed = first.seed;
    trace.names = first.names;
    TraceRecorder recorder(trace);
    std::unordered_map<std::uint64_t, std::uint64_t> numbers;  // of messages, in the merged trace
    Micros now = 0;
    for (std::size_t i = 0; i < placed_.size(); ++i) {
      const TraceEvent& event = *placed_[i].event;
      if (i > 0) now = std::min(now + pause(placed_[i].at - placed_[i - 1].at), longest_run);
      const Ticks at{now * message_time.value / message_time_us_};
      if (event.kind == TraceKind::send) {
        numbers[event.message] = recorder.send(at, event.node, event.peer, event.name, event.body);
      } else if (!is_arrival(event)) {
        recorder.local(at, event.node, event.kind, event.peer, event.name);
        trace.events.back().body = event.body;
      } else if (!numbers.contains(event.message)) {
        if (event.kind == TraceKind::drop) continue;
        recorder.local(at, event.node, TraceKind::note, nobody,
                       "gets " + event.name + event.body + " from " + name(event.peer));
      } else if (event.kind == TraceKind::receive) {
        recorder.receive(at, event.node, numbers[event.message]);
      } else {
        recorder.drop(at, event.node, numbers[event.message]);
      }
    }
  }

  Micros pause(Micros length) const {
    return options_.keeps_pauses ? length : std::min(length, longest_pause * message_time_us_);
  }

  std::vector<TracePart>& parts_;
  const MergeOptions& options_;
  std::map<NodeId, std::vector<Life>> lives_;
  // The part of a life, and the part of the life before.
  std::map<std::size_t, std::size_t> follows_;
  std::unordered_map<std::uint64_t, Sending> sends_;
  std::vector<Micros> shifts_;
  std::vector<Placed> placed_;
  Micros message_time_us_ = 1;
  MergedTrace merged_;
};

}  // namespace

std::variant<MergedTrace, std::string> merge(std::vector<TracePart> parts,
                                             const MergeOptions& options) {
  try {
    return Merger(parts, options).merge();
  } catch (const NotOneRun& problem) {
    return problem.why;
  }
}

}  // namespace baton::view
