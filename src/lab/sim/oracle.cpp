#include "lab/sim/oracle.h"

namespace baton::sim {

MutexOracle::MutexOracle(std::uint32_t size, Bounds bounds, Report& report)
    : bounds_(bounds),
      report_(&report),
      order_(size),
      processes_(size),
      paused_in_stay_(size),
      behind_until_(size) {
  report.order_judged = order_.judges();
}

void MutexOracle::starts_inside(NodeId node) {
  processes_[node.value].status = Status::inside;
  ++inside_;
  last_inside_ = node;
}

void MutexOracle::request(NodeId node, Ticks now) {
  Process& process = processes_[node.value];
  process = {.status = Status::waiting, .requested_at = now, .entries_then = report_->entries};
  alone_ = waiting_ == 0 && inside_ == 0 ? node : nobody;
  if (waiting_++ == 0) last_progress_ = now;
  ++report_->requests;
  order_.request(node);
}

bool MutexOracle::enter(NodeId node, Ticks now) {
  Process& process = processes_[node.value];
  if (process.status != Status::waiting) {
    violate(Promise::safety, now,
            "process " + std::to_string(node.value) + " entered without having asked");
    return false;
  }
  paused_in_stay_[node.value] = now < behind_until_[node.value];
  if (inside_ > 0) enter_beside_others(node, now);
  if (process.fence != FencingToken{} && process.fence <= highest_fence_ &&
      !was_paused(node, now)) {
    violate(Promise::safety, now,
            "process " + std::to_string(node.value) +
                " entered with a fence that is not larger than all before");
  }
  process.status = Status::inside;
  --waiting_;
  ++inside_;
  last_inside_ = node;
  last_progress_ = now;
  report_->longest_gap = std::max(report_->longest_gap, in_message_times(now - last_movement_));
  last_movement_ = now;

  const double waited = in_message_times(now - process.requested_at);
  report_->waiting.add(waited);
  if (alone_ == node) report_->client_delay.add(waited);
  if (someone_waited_at_exit_) report_->sync_delay.add(in_message_times(now - last_exit_));
  someone_waited_at_exit_ = false;
  const std::uint64_t bypassed = report_->entries - process.entries_then;
  report_->most_bypassed = std::max(report_->most_bypassed, bypassed);
  if (bypassed > bounds_.starvation) look_for_starvation(now);
  ++report_->entries;

  if (const std::uint32_t overtaken = order_.enter(node); overtaken > 0) {
    ++report_->inversions;
    violate(Promise::order, now,
            "process " + std::to_string(node.value) + " entered before " +
                std::to_string(overtaken) + " whose request happened before its own");
  }
  // Scans all processes, but only once per as many entries as there are processes.
  if (report_->entries % processes_.size() == 0) look_for_starvation(now);
  return true;
}

bool MutexOracle::was_paused(NodeId node, Ticks now) {
  if (now < behind_until_[node.value]) paused_in_stay_[node.value] = true;
  return paused_in_stay_[node.value];
}

void MutexOracle::enter_beside_others(NodeId node, Ticks now) {
  NodeId other = nobody;
  for (std::uint32_t i = 0; i < processes_.size(); ++i) {
    const bool is_there = processes_[i].status == Status::inside && NodeId{i} != node;
    if (is_there && !was_paused({i}, now)) other = {i};
  }
  if (was_paused(node, now) || other == nobody) {
    ++report_->zombies;
    return;
  }
  violate(Promise::safety, now,
          "processes " + std::to_string(other.value) + " and " + std::to_string(node.value) +
              " are inside at the same time");
}

bool MutexOracle::write_to_resource(const FencingToken& fence) {
  std::vector<bool> reached(servers_, true);
  // At any moment some servers are down or cut off: changing ones, never a majority.
  for (std::uint32_t missing = (servers_ - 1) / 2; missing > 0; --missing) {
    reached[reached_.below(servers_)] = false;
  }
  return resource_.write(fence, reached);
}

void MutexOracle::access(NodeId node, Ticks now) {
  const Process& process = processes_[node.value];
  ++report_->accesses;
  if (!write_to_resource(process.fence)) {
    ++report_->refused;
    if (!was_paused(node, now)) {
      violate(Promise::safety, now,
              "the resource refused process " + std::to_string(node.value) +
                  ", which is inside, because process " + std::to_string(highest_fence_of_.value) +
                  " showed a newer fence");
    }
    return;
  }
  if (process.fence < highest_fence_) {
    violate(Promise::safety, now,
            "the resource accepted process " + std::to_string(node.value) + " after process " +
                std::to_string(highest_fence_of_.value) + " with a newer fence");
  }
  if (process.fence == highest_fence_ && highest_fence_of_ != node) {
    violate(Promise::safety, now,
            "processes " + std::to_string(highest_fence_of_.value) + " and " +
                std::to_string(node.value) + " have the same fence");
  }
  highest_fence_ = process.fence;
  highest_fence_of_ = node;
}

void MutexOracle::lose(NodeId node, Ticks now) {
  if (processes_[node.value].status != Status::inside) {
    violate(Promise::safety, now,
            "process " + std::to_string(node.value) + " lost a lock that it did not hold");
    return;
  }
  processes_[node.value].status = Status::idle;
  --inside_;
  ++report_->losses;
  excuse(now);
}

void MutexOracle::exit(NodeId node, Ticks now) {
  processes_[node.value].status = Status::idle;
  --inside_;
  last_exit_ = now;
  someone_waited_at_exit_ = waiting_ > 0;
  last_progress_ = now;
  last_movement_ = now;
}

void MutexOracle::crash(NodeId node, Ticks now) {
  Process& process = processes_[node.value];
  if (process.status == Status::waiting) --waiting_;
  if (process.status == Status::inside) --inside_;
  process.status = Status::down;
  order_.give_up(node);
  someone_waited_at_exit_ = false;
  excuse(now);
}

void MutexOracle::fell_silent(Ticks now) {
  violate(
      Promise::deadlock_freedom, now,
      "deadlock: no message is in flight, nobody is inside, and " + list_waiting() + " for ever");
  violate(Promise::starvation_freedom, now, list_waiting() + " for ever");
}

void MutexOracle::report_stuck(Ticks now) {
  violate(Promise::deadlock_freedom, now,
          "livelock: nobody entered for " +
              std::to_string(bounds_.progress.value / message_time.value) +
              " message times although messages flow and " + list_waiting());
  violate(Promise::starvation_freedom, now, list_waiting());
}

void MutexOracle::look_for_starvation(Ticks now) {
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    const Process& process = processes_[i];
    if (process.status != Status::waiting) continue;
    const std::uint64_t bypassed = report_->entries - process.entries_then;
    report_->most_bypassed = std::max(report_->most_bypassed, bypassed);
    if (bypassed > bounds_.starvation) {
      violate(Promise::starvation_freedom, now,
              "starvation: process " + std::to_string(i) + " has waited while others entered " +
                  std::to_string(bypassed) + " times");
    }
  }
}

std::string MutexOracle::list_waiting() const {
  std::string list;
  std::uint32_t listed = 0;
  for (std::size_t i = 0; i < processes_.size() && listed < 10; ++i) {
    if (processes_[i].status != Status::waiting) continue;
    list += (listed++ == 0 ? " " : ", ") + std::to_string(i);
  }
  if (waiting_ > listed) list += " and " + std::to_string(waiting_ - listed) + " more";
  return (waiting_ == 1 ? "process" : "processes") + list + (waiting_ == 1 ? " waits" : " wait");
}

void MutexOracle::violate(Promise promise, Ticks at, std::string what) {
  if (report_->violated(promise) != nullptr) return;
  report_->violations.push_back({promise, at, std::move(what)});
}

}  // namespace baton::sim
