#include "lab/sim/plan.h"

#include <algorithm>
#include <string>

#include "lab/sim/random.h"

namespace baton::sim {

Ticks Delay::practical_limit() const {
  switch (kind) {
    case Kind::constant:
      return low;
    case Kind::uniform:
      return high;
    case Kind::exponential:
      return 40 * low;  // -ln of the smallest random number is below 37
    case Kind::heavy:
      return static_cast<std::int64_t>(Random::heavy_tail_limit) * low;
  }
  return low;
}

std::string_view name_of_breaking(Assumption assumption) {
  switch (assumption) {
    case Assumption::no_loss:
      return "loss";
    case Assumption::no_duplication:
      return "duplication";
    case Assumption::fifo:
      return "reordering";
    case Assumption::no_crash:
      return "crash";
    case Assumption::no_suspicion:
      return "suspicion";
    case Assumption::synchronous:
      return "slowness";
  }
  return "";
}

std::string_view describe(Assumption assumption) {
  switch (assumption) {
    case Assumption::no_loss:
      return "no message is lost";
    case Assumption::no_duplication:
      return "no message is duplicated";
    case Assumption::fifo:
      return "channels are FIFO";
    case Assumption::no_crash:
      return "no process crashes";
    case Assumption::no_suspicion:
      return "nobody alive is suspected";
    case Assumption::synchronous:
      return "no message takes longer than the time it waits for one";
  }
  return "";
}

std::string_view name_of(Promise promise) {
  switch (promise) {
    case Promise::safety:
      return "safety";
    case Promise::deadlock_freedom:
      return "deadlock-freedom";
    case Promise::starvation_freedom:
      return "starvation-freedom";
    case Promise::order:
      return "order";
    case Promise::one_leader:
      return "one-leader";
    case Promise::right_leader:
      return "right-leader";
    case Promise::everyone_learns:
      return "everyone-learns";
    case Promise::consistency:
      return "consistency";
    case Promise::detection:
      return "detection";
  }
  return "";
}

namespace {

// The assumptions that the planned world breaks.
Assumptions broken_by(const Plan& plan) {
  Assumptions broken;
  if (plan.faults.loss > 0) broken.add(Assumption::no_loss);
  if (plan.faults.duplication > 0) broken.add(Assumption::no_duplication);
  if (plan.faults.reordering) broken.add(Assumption::fifo);
  if (!plan.faults.absent.empty()) broken.add(Assumption::no_crash);
  if (plan.send_cost.value > 0 || !plan.faults.slow.empty() ||
      plan.delay.practical_limit() > plan.setup.delay_bound) {
    broken.add(Assumption::synchronous);
  }
  for (const Fault& fault : plan.faults.schedule) {
    switch (fault.kind) {
      case Fault::Kind::pause:
      case Fault::Kind::resume:
        broken.add(Assumption::synchronous);
        break;
      case Fault::Kind::crash:
      case Fault::Kind::quit:
      case Fault::Kind::recover:
        broken.add(Assumption::no_crash);
        break;
      case Fault::Kind::partition:
      case Fault::Kind::heal:
      case Fault::Kind::cut:
      case Fault::Kind::mend:
        broken.add(Assumption::no_loss);
        break;
      case Fault::Kind::suspect:
      case Fault::Kind::trust:
        broken.add(Assumption::no_suspicion);
        break;
    }
  }
  return broken;
}

// Follows a schedule of faults, and finds the first that cannot happen.
class FaultsInTime {
 public:
  explicit FaultsInTime(std::uint32_t size) : size_(size), down_(size), paused_(size) {}

  std::optional<std::string> missing(NodeId node) const {
    if (node.value < size_) return std::nullopt;
    return "there is no process " + std::to_string(node.value) + "; the processes are 0 to " +
           std::to_string(size_ - 1);
  }
  void begin_absent(NodeId node) { down_[node.value] = true; }

  // The reason why the fault cannot happen now; none: it happens.
  std::optional<std::string> take(const Fault& fault) {
    if (fault.at < Ticks{0}) return "a fault cannot happen before time 0";
    switch (fault.kind) {
      case Fault::Kind::partition:
        if (fault.side_of.size() != size_) return "a partition must place every process";
        is_cut_ = true;
        return std::nullopt;
      case Fault::Kind::heal:
        if (!is_cut_) return "the network cannot heal: it is not partitioned at that time";
        is_cut_ = false;
        return std::nullopt;
      case Fault::Kind::cut:
      case Fault::Kind::mend:
        return between_two(fault, "a process cannot be cut off from itself");
      case Fault::Kind::suspect:
      case Fault::Kind::trust:
        return between_two(fault, "a process does not suspect itself");
      default:
        if (auto problem = missing(fault.node)) return problem;
        return happens_to(fault.kind, fault.node.value);
    }
  }

 private:
  std::optional<std::string> between_two(const Fault& fault, const char* with_itself) const {
    if (auto problem = missing(fault.node)) return problem;
    if (auto problem = missing(fault.whom)) return problem;
    if (fault.node == fault.whom) return with_itself;
    return std::nullopt;
  }

  std::optional<std::string> happens_to(Fault::Kind kind, std::uint32_t node) {
    const std::string process = "process " + std::to_string(node);
    switch (kind) {
      case Fault::Kind::recover:
        if (!down_[node]) return process + " cannot recover: it is not down at that time";
        down_[node] = false;
        break;
      case Fault::Kind::pause:
        if (down_[node] || paused_[node]) {
          return process + " cannot pause: it is not running at that time";
        }
        paused_[node] = true;
        break;
      case Fault::Kind::resume:
        if (!paused_[node]) return process + " cannot resume: it is not paused at that time";
        paused_[node] = false;
        break;
      default:
        if (down_[node]) return process + " cannot crash twice without a recovery in between";
        down_[node] = true;
        paused_[node] = false;
    }
    return std::nullopt;
  }

  std::uint32_t size_;
  std::vector<bool> down_;
  std::vector<bool> paused_;
  bool is_cut_ = false;
};

std::optional<std::string> impossible(const Plan& plan) {
  FaultsInTime faults(plan.setup.size);
  for (const NodeId node : plan.faults.absent) {
    if (auto problem = faults.missing(node)) return problem;
    faults.begin_absent(node);
  }
  for (const SlowLink& link : plan.faults.slow) {
    if (auto problem = faults.missing(link.from)) return problem;
    if (auto problem = faults.missing(link.to)) return problem;
  }
  std::vector<Fault> schedule = plan.faults.schedule;
  std::stable_sort(schedule.begin(), schedule.end(),
                   [](const Fault& a, const Fault& b) { return a.at < b.at; });
  for (const Fault& fault : schedule) {
    if (auto problem = faults.take(fault)) return problem;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> objection(const Plan& plan, const Info& info) {
  const Workload& work = plan.workload;
  if (plan.setup.size < 2) return "a group has at least 2 processes";
  if (plan.faults.loss < 0 || plan.faults.loss > 1) return "a probability of loss is 0 to 1";
  if (plan.faults.duplication < 0 || plan.faults.duplication > 1) {
    return "a probability of duplication is 0 to 1";
  }
  if (work.requesters > plan.setup.size) {
    return "there are only " + std::to_string(plan.setup.size) + " processes to request";
  }
  if (work.first != nobody && work.first.value >= plan.setup.size) {
    return "there is no process " + std::to_string(work.first.value) + "; the processes are 0 to " +
           std::to_string(plan.setup.size - 1);
  }
  if (work.kind == Workload::Kind::poisson && !(work.rate > 0)) return "a rate is above 0";
  if (plan.send_cost.value < 0) return "the cost of a send is not below 0";
  const bool may_spin =
      work.kind == Workload::Kind::saturated || work.kind == Workload::Kind::closed;
  if (may_spin && plan.critical_section.value == 0) {
    return "a critical section of length 0 under this workload would let one process enter for "
           "ever at one instant; give it a length";
  }
  if (plan.servers == 0) return "a resource is kept by at least one server";
  if (auto why = impossible(plan)) return why;
  const Assumptions broken = broken_by(plan);
  for (const Assumption assumption :
       {Assumption::no_loss, Assumption::no_duplication, Assumption::fifo, Assumption::no_crash,
        Assumption::no_suspicion, Assumption::synchronous}) {
    if (broken.has(assumption) && info.assumes.has(assumption) && !plan.may_break.has(assumption)) {
      return std::string(info.name) + " assumes that " + std::string(describe(assumption)) +
             "; to break this on purpose add --allow " + std::string(name_of_breaking(assumption));
    }
  }
  return std::nullopt;
}

}  // namespace baton::sim
