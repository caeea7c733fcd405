#include "lab/sim/resource_oracle.h"

#include <algorithm>
#include <utility>

namespace baton::sim {

Promises resource_promises(const Info& info, Acquisition acquisition) {
  Promises promises;
  for (const Promise promise : {Promise::safety, Promise::deadlock_freedom}) {
    if (info.promises.has(promise)) promises.add(promise);
  }
  const bool nobody_starves = acquisition != Acquisition::naive &&
                              acquisition != Acquisition::detect &&
                              info.promises.has(Promise::starvation_freedom);
  if (nobody_starves) promises.add(Promise::starvation_freedom);
  return promises;
}

void ResourceOracle::request(NodeId node, const std::vector<ResourceId>& wanted, Ticks now) {
  processes_[node.value] = {Status::waiting, wanted, now, report_->entries};
  if (waiting_++ == 0) last_progress_ = now;
  ++report_->requests;
}

void ResourceOracle::waits(NodeId node, ResourceId resource, Ticks now) {
  graph_.waits(node, resource);
  look_for_cycle(node, now);
}

void ResourceOracle::holds(NodeId node, ResourceId resource, Ticks now) {
  if (!graph_.awaited_by(node).contains(resource)) {
    violate(Promise::safety, now,
            "process " + std::to_string(node.value) + " holds " + resource.text() +
                " without having asked for it");
  }
  for (const NodeId other : graph_.holders(resource)) {
    violate(Promise::safety, now,
            "processes " + std::to_string(other.value) + " and " + std::to_string(node.value) +
                " hold " + resource.text() + " at the same time");
  }
  graph_.holds(node, resource);
  // The processes that wait for the resource now wait for this process.
  look_for_cycle(node, now);
}

bool ResourceOracle::enter(NodeId node, Ticks now) {
  Process& process = processes_[node.value];
  const auto& held = graph_.held_by(node);
  const bool all = std::all_of(process.wanted.begin(), process.wanted.end(),
                               [&](ResourceId resource) { return held.contains(resource); });
  if (process.status != Status::waiting || !all || held.size() != process.wanted.size()) {
    violate(Promise::safety, now,
            "process " + std::to_string(node.value) +
                " believes that it holds what it wants, which is not so");
    return false;
  }
  process.status = Status::inside;
  --waiting_;
  ++inside_;
  last_progress_ = now;
  report_->most_inside = std::max<std::uint64_t>(report_->most_inside, inside_);
  report_->waiting.add(in_message_times(now - process.requested_at));
  const std::uint64_t bypassed = report_->entries - process.entries_then;
  report_->most_bypassed = std::max(report_->most_bypassed, bypassed);
  ++report_->entries;
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    const Process& other = processes_[i];
    if (other.status != Status::waiting) continue;
    if (report_->entries - other.entries_then > bounds_.starvation) {
      violate(Promise::starvation_freedom, now,
              "starvation: process " + std::to_string(i) + " has waited while others entered " +
                  std::to_string(report_->entries - other.entries_then) + " times");
    }
  }
  return true;
}

void ResourceOracle::exit(NodeId node, Ticks now) {
  processes_[node.value].status = Status::idle;
  --inside_;
  last_progress_ = now;
}

void ResourceOracle::look_for_cycle(NodeId node, Ticks now) {
  if (const auto cycle = graph_.cycle_through(node)) {
    violate(Promise::deadlock_freedom, now, "deadlock: " + in_words(*cycle));
  }
}

void ResourceOracle::fell_silent(Ticks now) {
  violate(Promise::deadlock_freedom, now,
          "deadlock: no message is in flight, nobody holds all it wants, and " + list_waiting() +
              " for ever");
  violate(Promise::starvation_freedom, now, list_waiting() + " for ever");
}

void ResourceOracle::report_stuck(Ticks now) {
  violate(Promise::deadlock_freedom, now,
          "livelock: nobody got all it wants for " +
              std::to_string(bounds_.progress.value / message_time.value) +
              " message times although " + list_waiting());
  violate(Promise::starvation_freedom, now, list_waiting());
}

std::string ResourceOracle::list_waiting() const {
  constexpr std::uint32_t most_listed = 10;
  std::string list;
  std::uint32_t listed = 0;
  for (std::size_t i = 0; i < processes_.size() && listed < most_listed; ++i) {
    if (processes_[i].status != Status::waiting) continue;
    list += (listed++ == 0 ? " " : ", ") + std::to_string(i);
  }
  if (waiting_ > listed) list += " and " + std::to_string(waiting_ - listed) + " more";
  return (waiting_ == 1 ? "process" : "processes") + list + (waiting_ == 1 ? " waits" : " wait");
}

void ResourceOracle::violate(Promise promise, Ticks at, std::string what) {
  if (report_->violated(promise) != nullptr) return;
  report_->violations.push_back({promise, at, std::move(what)});
}

}  // namespace baton::sim
