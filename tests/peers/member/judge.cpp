#include "peers/member/judge.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "lab/sim/election_oracle.h"
#include "lab/sim/oracle.h"
#include "peers/net/catalog.h"

namespace baton::test {

namespace {

// As core/reflect.h prints them.
std::optional<Epoch> epoch_of(const std::string& text) {
  unsigned long long number = 0;
  unsigned proposer = 0;
  unsigned long long life = 0;
  if (std::sscanf(text.c_str(), "(%llu %u %llu)", &number, &proposer, &life) != 3) return {};
  return Epoch{{number}, {proposer}, {life}};
}

std::optional<FencingToken> fence_of(const std::string& text) {
  const auto epoch = text.empty() ? std::nullopt : epoch_of(text.substr(1));
  const std::size_t at = text.rfind(' ');
  unsigned long long count = 0;
  if (!epoch || at == text.npos || std::sscanf(text.c_str() + at, " %llu)", &count) != 1) return {};
  return FencingToken{*epoch, count};
}

// With what was done to the member, at the time when that was, by the member's own clock.
view::TracePart completed(Diary diary) {
  std::vector<TraceEvent> all;
  const std::vector<TraceEvent>& written = diary.part.trace.events;
  std::size_t taken = 0;
  for (const Suffered& one : diary.suffered) {
    const std::size_t after = std::min(one.after, written.size());
    // Before it had begun there was nothing that it could have missed.
    if (after == 0) continue;
    while (taken < after) all.push_back(written[taken++]);
    Ticks at = written[after - 1].at + Ticks{one.gap_us};
    if (after < written.size()) at = std::min(at, written[after].at);
    at = std::max(at, all.back().at);
    all.push_back({.at = at, .node = diary.member, .kind = one.kind});
  }
  while (taken < written.size()) all.push_back(written[taken++]);
  diary.part.trace.events = std::move(all);
  return std::move(diary.part);
}

// One stay inside.
struct Stay {
  NodeId who;
  FencingToken fence;
  VectorClock entered;
  std::optional<VectorClock> left;  // or lost it
};

// What happened to one name.
class Named {
 public:
  Named(std::string name, const Trace& trace)
      : name_(std::move(name)),
        oracle_(trace.size, {forever, std::numeric_limits<std::uint64_t>::max()}, report_),
        inside_(trace.size),
        largest_(trace.size) {}

  sim::MutexOracle& oracle() { return oracle_; }
  const sim::Report& report() const { return report_; }
  std::uint64_t entries() const { return stays_.size(); }

  void request(const TraceEvent& event) {
    if (oracle_.status(event.node) != sim::MutexOracle::Status::idle) {
      return blame(event, "asks for what it has asked for or holds");
    }
    oracle_.request(event.node, event.at);
  }

  void enter(const TraceEvent& event) {
    const auto fence = fence_of(event.body);
    if (!fence) return blame(event, "enters without a fence: " + event.body);
    oracle_.show_fence(event.node, *fence);
    if (!oracle_.enter(event.node, event.at)) return;
    oracle_.access(event.node, event.at);
    if (largest_before(event) >= *fence) {
      blame(event, "enters with a fence that is not larger than one of which it knows");
    }
    auto& known = largest_[event.node.value];
    const FencingToken before = known.empty() ? FencingToken{} : known.back().second;
    known.emplace_back(event.vector[event.node], std::max(before, *fence));
    inside_[event.node.value] = stays_.size();
    stays_.push_back({event.node, *fence, event.vector, std::nullopt});
  }

  void exit(const TraceEvent& event) {
    if (oracle_.status(event.node) != sim::MutexOracle::Status::inside) {
      return blame(event, "leaves without being inside");
    }
    oracle_.access(event.node, event.at);
    oracle_.exit(event.node, event.at);
    end(event);
  }
  void lose(const TraceEvent& event) {
    const bool was_inside = oracle_.status(event.node) == sim::MutexOracle::Status::inside;
    oracle_.lose(event.node, event.at);
    if (was_inside) end(event);
  }

  // When all is told. In one view who is inside leaves before another enters, and the other knows,
  // whatever happens to either.
  std::vector<std::string> verdict() {
    std::vector<std::string> all = wrong_;
    for (const sim::Violation& violation : report_.violations) {
      if (violation.promise == Promise::safety) all.push_back(name_ + ": " + violation.what);
    }
    std::vector<const Stay*> sorted;
    for (const Stay& stay : stays_) sorted.push_back(&stay);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Stay* a, const Stay* b) { return a->fence < b->fence; });
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      const Stay& one = *sorted[i - 1];
      const Stay& next = *sorted[i];
      if (one.fence == next.fence) {
        all.push_back(between(one, next) + " have the same fence");
      } else if (one.fence.epoch == next.fence.epoch && !left_before(one, next)) {
        all.push_back(between(one, next) + " are inside concurrently, in one view");
      }
    }
    return all;
  }

 private:
  static bool left_before(const Stay& one, const Stay& next) {
    return one.left && (*one.left)[one.who] <= next.entered[one.who];
  }
  std::string between(const Stay& one, const Stay& other) const {
    return name_ + ": processes " + std::to_string(one.who.value) + " and " +
           std::to_string(other.who.value);
  }
  void blame(const TraceEvent& event, const std::string& what) {
    wrong_.push_back(name_ + ": process " + std::to_string(event.node.value) + " " + what);
  }

  // Of the entries that happened before this event.
  FencingToken largest_before(const TraceEvent& event) const {
    FencingToken largest{};
    for (std::uint32_t i = 0; i < largest_.size(); ++i) {
      const auto& entries = largest_[i];
      const auto after = std::upper_bound(
          entries.begin(), entries.end(), event.vector[NodeId{i}],
          [](std::uint64_t count, const auto& entry) { return count < entry.first; });
      if (after != entries.begin()) largest = std::max(largest, std::prev(after)->second);
    }
    return largest;
  }

  // Not even one that was paused is inside and knows of an entry that came after its own.
  void end(const TraceEvent& event) {
    Stay& stay = stays_[inside_[event.node.value]];
    stay.left = event.vector;
    if (largest_before(event) > stay.fence) {
      blame(event, "is still inside although it knows of a newer entry");
    }
  }

  std::string name_;
  sim::Report report_;
  sim::MutexOracle oracle_;
  std::vector<std::string> wrong_;
  std::vector<Stay> stays_;
  std::vector<std::size_t> inside_;  // by process: its latest stay
  // By process: its entries, counted in its own events, and the largest fence up to each.
  std::vector<std::vector<std::pair<std::uint64_t, FencingToken>>> largest_;
};

class Judge {
 public:
  explicit Judge(const Trace& trace)
      : trace_(trace),
        setup_(default_setup(trace.size)),
        arbiters_(setup_, net::find("chang-roberts")->info(), of_arbiters_),
        down_(trace.size, true),
        paused_(trace.size) {
    // Who has never done anything was never there.
    for (const TraceEvent& event : trace.events) down_[event.node.value] = false;
  }

  Verdict verdict() {
    for (const TraceEvent& event : trace_.events) see(event);
    Verdict verdict{.wrong = wrong_};
    for (auto& [name, named] : names_) {
      const auto found = named->verdict();
      verdict.wrong.insert(verdict.wrong.end(), found.begin(), found.end());
      verdict.entries += named->entries();
      verdict.losses += named->report().losses;
      verdict.zombies += named->report().zombies;
      list_waiting(name, named->oracle(), verdict.waiting);
    }
    if (const auto* two = of_arbiters_.violated(Promise::one_leader)) {
      verdict.wrong.push_back("arbiters: " + two->what);
    }
    return verdict;
  }

 private:
  void see(const TraceEvent& event) {
    switch (event.kind) {
      case TraceKind::request:
        return named(event.name).request(event);
      case TraceKind::enter:
        return named(event.name).enter(event);
      case TraceKind::exit:
        return named(event.name).exit(event);
      case TraceKind::lose:
        return named(event.name).lose(event);
      case TraceKind::elect:
        return elect(event);
      case TraceKind::crash:
        return crash(event.node, event.at);
      case TraceKind::recover:
        return recover(event.node, event.at);
      case TraceKind::pause:
        paused_[event.node.value] = true;
        return for_each([&](sim::MutexOracle& oracle) { oracle.pause(event.node); });
      case TraceKind::resume:
        paused_[event.node.value] = false;
        return for_each([&](sim::MutexOracle& oracle) { resume(oracle, event.node); });
      default:
        return;
    }
  }

  template <class Handler>
  void for_each(Handler handler) {
    for (auto& [name, named] : names_) handler(named->oracle());
  }

  Named& named(const std::string& name) {
    auto& found = names_[name];
    if (found != nullptr) return *found;
    found = std::make_unique<Named>(name, trace_);
    for (std::uint32_t i = 0; i < trace_.size; ++i) {
      if (down_[i]) found->oracle().crash({i}, {});
      if (paused_[i]) found->oracle().pause({i});
    }
    return *found;
  }

  // The simulator's processes need a while to notice that they were paused. A member counts the
  // time that it has missed before anything else: what it enters is judged at once.
  static void resume(sim::MutexOracle& oracle, NodeId node) {
    oracle.resume(node, Ticks{0} - forever);
  }

  void crash(NodeId node, Ticks at) {
    down_[node.value] = true;
    paused_[node.value] = false;
    arbiters_.crash(node, at);
    for_each([&](sim::MutexOracle& oracle) {
      resume(oracle, node);
      oracle.crash(node, at);
    });
  }
  // Who begins anew without having ended has lost everything as well.
  void recover(NodeId node, Ticks at) {
    if (!down_[node.value]) crash(node, at);
    down_[node.value] = false;
    arbiters_.recover(node, at);
    for_each([&](sim::MutexOracle& oracle) { oracle.recover(node); });
  }

  void elect(const TraceEvent& event) {
    const auto epoch = epoch_of(event.body);
    if (!epoch) wrong_.push_back("an arbiter without an epoch: " + event.body);
    arbiters_.believe(event.node, event.peer, epoch.value_or(Epoch{}), event.at);
  }

  void list_waiting(const std::string& name, const sim::MutexOracle& oracle,
                    std::vector<std::string>& waiting) const {
    const auto gone = [&](std::uint32_t i) { return down_[i] || paused_[i]; };
    std::uint32_t present = 0;
    for (std::uint32_t i = 0; i < trace_.size; ++i) present += gone(i) ? 0 : 1;
    if (oracle.inside() > 0 || 2 * present <= trace_.size) return;
    for (std::uint32_t i = 0; i < trace_.size; ++i) {
      if (gone(i) || oracle.status({i}) != sim::MutexOracle::Status::waiting) continue;
      waiting.push_back("process " + std::to_string(i) + " waits for " + name);
    }
  }

  const Trace& trace_;
  Setup setup_;
  sim::Report of_arbiters_;
  sim::ElectionOracle arbiters_;
  std::vector<bool> down_;
  std::vector<bool> paused_;
  std::map<std::string, std::unique_ptr<Named>> names_;
  std::vector<std::string> wrong_;
};

}  // namespace

Verdict judge(std::vector<Diary> diaries) {
  std::vector<view::TracePart> parts;
  for (Diary& diary : diaries) {
    if (!diary.part.trace.events.empty()) parts.push_back(completed(std::move(diary)));
  }
  if (parts.empty()) return {};
  const auto merged = view::merge(std::move(parts), {.keeps_pauses = true});
  if (const auto* why_not = std::get_if<std::string>(&merged)) return {.wrong = {*why_not}};
  const auto& found = std::get<view::MergedTrace>(merged);
  Verdict verdict = Judge(found.trace).verdict();
  for (const std::string& missing : found.missing) {
    // What is sent is written down first, so that even who is killed has told of it.
    if (missing.starts_with("no file tells of the sending")) verdict.wrong.push_back(missing);
  }
  return verdict;
}

}  // namespace baton::test
