#include "lab/sim/driver.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

namespace baton::sim {

namespace {

// The argument of a request event: a process asks, or the next request of a random stream arrives.
constexpr std::uint32_t by_a_process = 0;
constexpr std::uint32_t by_arrival = 1;

Ticks exponential(Random& random, double mean_ticks) {
  return {static_cast<std::int64_t>(mean_ticks * random.exponential())};
}

// `count` different processes out of `size`, ascending.
std::vector<NodeId> sample(Random& random, std::uint32_t count, std::uint32_t size) {
  std::unordered_set<std::uint32_t> chosen;
  // Floyd's method: each subset is equally likely, in time of the subset's size.
  for (std::uint32_t limit = size - count; limit < size; ++limit) {
    const auto candidate = static_cast<std::uint32_t>(random.below(std::uint64_t{limit} + 1));
    chosen.insert(chosen.contains(candidate) ? limit : candidate);
  }
  std::vector<NodeId> nodes;
  nodes.reserve(count);
  for (const std::uint32_t node : chosen) nodes.push_back({node});
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

}  // namespace

Driver::Driver(const Plan& plan, EventQueue& queue)
    : work_(&plan.workload),
      queue_(&queue),
      random_(plan.seed, 3),
      backlog_(plan.setup.size),
      entries_left_(plan.workload.entries) {
  const std::uint32_t count = plan.workload.requesters;
  if (count > 0 && count < plan.setup.size) {
    requesters_ = sample(random_, count, plan.setup.size);
  } else {
    requesters_.reserve(plan.setup.size);
    for (std::uint32_t i = 0; i < plan.setup.size; ++i) requesters_.push_back({i});
  }
}

void Driver::begin() {
  switch (work_->kind) {
    case Workload::Kind::one:
      schedule(work_->first != nobody ? work_->first : draw(), work_->at);
      break;
    case Workload::Kind::everyone:
      for (const NodeId node : requesters_) schedule(node, work_->at);
      break;
    case Workload::Kind::closed:
    case Workload::Kind::saturated:
      for (const NodeId node : requesters_) is_free(node, Ticks{0});
      break;
    case Workload::Kind::poisson:
      schedule_arrival(Ticks{0});
      break;
    case Workload::Kind::turns:
      turns_left_ = work_->order.empty() ? work_->entries : work_->order.size();
      break;
  }
  for (const auto& [at, node] : work_->also) schedule(node, at);
}

NodeId Driver::due(NodeId node, std::uint32_t argument, Ticks now) {
  --scheduled_;
  if (argument == by_a_process) return node;
  schedule_arrival(now);
  return draw();
}

void Driver::postpone(NodeId node) {
  ++backlog_[node.value];
  ++backlogged_;
}

void Driver::lapse(NodeId node) {
  backlogged_ -= backlog_[node.value];
  backlog_[node.value] = 0;
}

void Driver::is_free(NodeId node, Ticks now) {
  if (backlog_[node.value] > 0) {
    --backlog_[node.value];
    --backlogged_;
    schedule(node, now);
  } else if (work_->kind == Workload::Kind::saturated && take_entry()) {
    schedule(node, now);
  } else if (work_->kind == Workload::Kind::closed && take_entry()) {
    schedule(node, now + exponential(random_, static_cast<double>(work_->think.value)));
  }
}

bool Driver::next_turn(Ticks now, Ticks pause) {
  if (turns_left_ == 0) return false;
  --turns_left_;
  const NodeId node = work_->order.empty() ? draw() : work_->order[turn_];
  ++turn_;
  const auto most = static_cast<std::uint64_t>(pause.value);
  const Ticks after{most == 0 ? 0 : static_cast<std::int64_t>(random_.below(most))};
  schedule(node, now + after);
  return true;
}

void Driver::schedule(NodeId node, Ticks at) {
  ++scheduled_;
  queue_->push(at, EventKind::request, node, by_a_process);
}

void Driver::schedule_arrival(Ticks now) {
  if (!take_entry()) return;
  ++scheduled_;
  const double mean = static_cast<double>(message_time.value) / work_->rate;
  queue_->push(now + exponential(random_, mean), EventKind::request, nobody, by_arrival);
}

bool Driver::take_entry() {
  if (entries_left_ == 0) return false;
  --entries_left_;
  return true;
}

NodeId Driver::draw() { return requesters_[random_.below(requesters_.size())]; }

}  // namespace baton::sim
