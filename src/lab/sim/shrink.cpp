#include "lab/sim/shrink.h"

#include <algorithm>
#include <cstdio>
#include <vector>

namespace baton::sim {

namespace {

class Shrinker {
 public:
  Shrinker(const Plan& plan, const Info& info, const std::function<bool(const Plan&)>& fails,
           bool keep_size, std::size_t most_runs)
      : best_(plan), info_(&info), fails_(&fails), keep_size_(keep_size), runs_left_(most_runs) {}

  Plan run() {
    bool better = true;
    while (better && runs_left_ > 0) {
      better = !keep_size_ && fewer_processes();
      better = fewer_faults() || better;
      better = plainer_world() || better;
      better = fewer_entries() || better;
      better = rounder_times() || better;
    }
    return best_;
  }

 private:
  // Keeps the candidate if it can be run and still fails.
  bool accept(const Plan& candidate) {
    if (runs_left_ == 0 || objection(candidate, *info_)) return false;
    --runs_left_;
    if (!(*fails_)(candidate)) return false;
    best_ = candidate;
    return true;
  }

  template <class Change>
  bool accept_changed(Change change) {
    Plan candidate = best_;
    change(candidate);
    return accept(candidate);
  }

  // Drops the last process and everything that concerns it.
  bool fewer_processes() {
    bool better = false;
    while (best_.setup.size > 2 && accept_changed([](Plan& plan) {
             const std::uint32_t size = plan.setup.size - 1;
             const Setup smaller = default_setup(size);
             plan.setup.size = size;
             plan.setup.voting = smaller.voting;
             std::erase_if(plan.setup.chosen,
                           [](const Chosen& one) { return one.parameter->depends_on_size; });
             if (plan.setup.coordinator.value >= size) plan.setup.coordinator = {0};
             for (auto* list : {&plan.setup.identities, &plan.setup.capacities}) {
               if (!list->empty()) list->pop_back();
             }
             const auto is_gone = [&](NodeId node) { return node != nobody && node.value >= size; };
             std::erase_if(plan.faults.schedule,
                           [&](const Fault& f) { return is_gone(f.node) || is_gone(f.whom); });
             for (Fault& fault : plan.faults.schedule) {
               if (!fault.side_of.empty()) fault.side_of.resize(size);
             }
             std::erase_if(plan.faults.absent, is_gone);
             std::erase_if(plan.faults.slow, [&](const SlowLink& link) {
               return is_gone(link.from) || is_gone(link.to);
             });
             std::erase_if(plan.workload.also,
                           [&](const auto& request) { return is_gone(request.second); });
             std::erase_if(plan.workload.order, is_gone);
             plan.workload.requesters = std::min(plan.workload.requesters, size);
           })) {
      better = true;
    }
    return better;
  }

  // Drops halves, quarters, … single ones; and pairs, since a crash may need its recovery.
  bool fewer_faults() {
    bool better = false;
    for (std::size_t length = best_.faults.schedule.size(); length > 0; length /= 2) {
      for (std::size_t first = 0; first < best_.faults.schedule.size();) {
        if (without(first, length)) {
          better = true;
        } else {
          ++first;
        }
      }
    }
    for (std::size_t i = 0; i < best_.faults.schedule.size(); ++i) {
      for (std::size_t j = i + 1; j < best_.faults.schedule.size(); ++j) {
        const bool gone = accept_changed([&](Plan& plan) {
          auto& schedule = plan.faults.schedule;
          schedule.erase(schedule.begin() + static_cast<std::ptrdiff_t>(j));
          schedule.erase(schedule.begin() + static_cast<std::ptrdiff_t>(i));
        });
        if (!gone) continue;
        better = true;
        j = i;
      }
    }
    return better;
  }

  bool without(std::size_t first, std::size_t length) {
    return accept_changed([&](Plan& plan) {
      auto& schedule = plan.faults.schedule;
      const auto begin = schedule.begin() + static_cast<std::ptrdiff_t>(first);
      const auto left = static_cast<std::size_t>(schedule.end() - begin);
      schedule.erase(begin, begin + static_cast<std::ptrdiff_t>(std::min(length, left)));
    });
  }

  bool plainer_world() {
    bool better = fewer_elections();
    const auto attempt = [&](bool differs, auto change) {
      if (differs && accept_changed(change)) better = true;
    };
    const Faults& faults = best_.faults;
    if (!keep_size_) {
      attempt(!best_.setup.identities.empty(), [](Plan& plan) { plan.setup.identities.clear(); });
      attempt(!best_.setup.capacities.empty(), [](Plan& plan) { plan.setup.capacities.clear(); });
    }
    attempt(faults.loss > 0, [](Plan& plan) { plan.faults.loss = 0; });
    attempt(faults.duplication > 0, [](Plan& plan) { plan.faults.duplication = 0; });
    attempt(faults.reordering, [](Plan& plan) { plan.faults.reordering = false; });
    attempt(best_.delay.kind != Delay::Kind::constant, [](Plan& plan) {
      plan.delay = {};
      plan.faults.reordering = false;
    });
    attempt(best_.servers != 1, [](Plan& plan) { plan.servers = 1; });
    attempt(best_.critical_section != message_time,
            [](Plan& plan) { plan.critical_section = message_time; });
    attempt(best_.workload.kind == Workload::Kind::saturated ||
                best_.workload.kind == Workload::Kind::closed,
            [](Plan& plan) { plan.workload.kind = Workload::Kind::everyone; });
    return better;
  }

  // The further requests, which no option of `baton sim` makes.
  bool fewer_elections() {
    bool better = false;
    for (std::size_t i = 0; i < best_.workload.also.size();) {
      const bool gone = accept_changed([&](Plan& plan) {
        plan.workload.also.erase(plan.workload.also.begin() + static_cast<std::ptrdiff_t>(i));
      });
      if (!gone) ++i;
      better = better || gone;
    }
    return better;
  }

  bool fewer_entries() {
    bool better = false;
    while (best_.workload.entries > 1) {
      const std::uint64_t now = best_.workload.entries;
      const bool halved = accept_changed([&](Plan& plan) { plan.workload.entries = now / 2; });
      if (!halved && !accept_changed([&](Plan& plan) { plan.workload.entries = now - 1; })) break;
      better = true;
    }
    return better;
  }

  bool rounder_times() {
    bool better = false;
    for (std::size_t i = 0; i < best_.faults.schedule.size(); ++i) {
      const std::int64_t at = best_.faults.schedule[i].at.value;
      const std::int64_t round = at / message_time.value * message_time.value;
      if (at == round) continue;
      better = accept_changed([&](Plan& plan) { plan.faults.schedule[i].at = {round}; }) || better;
    }
    return better;
  }

  Plan best_;
  const Info* info_;
  const std::function<bool(const Plan&)>* fails_;
  bool keep_size_;
  std::size_t runs_left_;
};

// Exact, since a tick is a millionth.
std::string time(Ticks at) {
  std::string text = std::to_string(at.value / message_time.value);
  std::string rest = std::to_string(at.value % message_time.value);
  if (rest == "0") return text;
  rest.insert(0, 6 - rest.size(), '0');
  return text + "." + rest.substr(0, rest.find_last_not_of('0') + 1);
}

std::string real(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

std::string number(NodeId node) { return std::to_string(node.value); }

std::string option_of(const Fault& fault) {
  const std::string at = "@" + time(fault.at);
  const std::string pair = number(fault.node) + ":" + number(fault.whom) + at;
  switch (fault.kind) {
    case Fault::Kind::crash:
      return " --crash " + number(fault.node) + at;
    case Fault::Kind::quit:
      return " --quit " + number(fault.node) + at;
    case Fault::Kind::recover:
      return " --recover " + number(fault.node) + at;
    case Fault::Kind::pause:
      return " --pause " + number(fault.node) + at;
    case Fault::Kind::resume:
      return " --resume " + number(fault.node) + at;
    case Fault::Kind::heal:
      return " --heal " + time(fault.at);
    case Fault::Kind::cut:
      return " --cut " + pair;
    case Fault::Kind::mend:
      return " --mend " + pair;
    case Fault::Kind::suspect:
      return " --suspect " + pair;
    case Fault::Kind::trust:
      return " --trust " + pair;
    case Fault::Kind::partition:
      break;
  }
  std::string sides;
  const std::uint32_t last = *std::max_element(fault.side_of.begin(), fault.side_of.end());
  for (std::uint32_t side = 0; side <= last; ++side) {
    std::string members;
    for (std::uint32_t i = 0; i < fault.side_of.size(); ++i) {
      if (fault.side_of[i] == side) members += (members.empty() ? "" : ",") + std::to_string(i);
    }
    if (!members.empty()) sides += (sides.empty() ? "" : "|") + members;
  }
  return " --partition '" + sides + "'" + at;
}

std::string option_of(const Workload& work) {
  const std::string entries = " --entries " + std::to_string(work.entries);
  switch (work.kind) {
    case Workload::Kind::one:
      return work.first == nobody ? " --workload one" : " --first " + number(work.first);
    case Workload::Kind::everyone:
      return "";
    case Workload::Kind::closed:
      return " --workload closed" + entries + " --think " + time(work.think);
    case Workload::Kind::poisson:
      return " --workload poisson" + entries + " --rate " + real(work.rate);
    case Workload::Kind::saturated:
      return " --workload saturated" + entries;
    case Workload::Kind::turns:
      return " --workload turns" + entries;
  }
  return "";
}

std::string option_of(const Delay& delay) {
  switch (delay.kind) {
    case Delay::Kind::constant:
      return delay.low == message_time ? "" : " --delay constant:" + time(delay.low);
    case Delay::Kind::uniform:
      return " --delay uniform:" + time(delay.low) + "," + time(delay.high);
    case Delay::Kind::exponential:
      return " --delay exponential:" + time(delay.low);
    case Delay::Kind::heavy:
      return " --delay heavy:" + time(delay.low);
  }
  return "";
}

std::string option_of(const char* name, const std::vector<std::uint32_t>& values) {
  std::string text;
  for (const std::uint32_t value : values) {
    text += (text.empty() ? std::string(" ") + name + " " : ",") + std::to_string(value);
  }
  return text;
}

std::string option_of(const Tree& tree, std::uint32_t size) {
  const NodeId last{size - 1};
  if (size < 3 || tree.depth(last) == 1) return "";
  return tree.depth(last) == last.value ? " --tree line" : " --tree binary";
}

}  // namespace

Plan shrink(const Plan& plan, const Info& info, const std::function<bool(const Plan&)>& fails,
            bool keep_size, std::size_t most_runs) {
  return Shrinker(plan, info, fails, keep_size, most_runs).run();
}

std::string options_of(const Plan& plan, const Info& info, Layers layers) {
  std::string text = "-n " + std::to_string(plan.setup.size);
  text += " --seed " + std::to_string(plan.seed);
  if (layers == Layers::reliable || layers == Layers::both) text += " --reliable";
  if (layers == Layers::resilient || layers == Layers::both) text += " --resilient";
  if (plan.servers != 1) text += " --servers " + std::to_string(plan.servers);
  text += option_of(plan.setup.tree, plan.setup.size);
  if (plan.setup.coordinator != NodeId{0}) {
    text += " --coordinator " + number(plan.setup.coordinator);
  }
  text += option_of("--ids", plan.setup.identities);
  text += option_of("--capacities", plan.setup.capacities);
  text += option_of(plan.workload);
  if (plan.workload.requesters > 0) {
    text += " --requesters " + std::to_string(plan.workload.requesters);
  }
  if (plan.critical_section != message_time) text += " --cs " + time(plan.critical_section);
  text += option_of(plan.delay);
  if (plan.faults.reordering) text += " --reorder";
  if (plan.faults.loss > 0) text += " --loss " + real(plan.faults.loss);
  if (plan.faults.duplication > 0) text += " --duplicate " + real(plan.faults.duplication);
  if (info.kind == Kind::election) {
    if (plan.faults.detection != usual_detection) {
      text += " --detect " + time(plan.faults.detection);
    }
    if (plan.setup.delay_bound != plan.delay.practical_limit()) {
      text += " --timeout " + time(plan.setup.delay_bound);
    }
  }
  for (const NodeId absent : plan.faults.absent) {
    // The process joins with its first recovery.
    for (const Fault& fault : plan.faults.schedule) {
      if (fault.kind != Fault::Kind::recover || fault.node != absent) continue;
      text += " --join " + number(absent) + "@" + time(fault.at);
      break;
    }
  }
  std::vector<NodeId> joined = plan.faults.absent;
  for (const Fault& fault : plan.faults.schedule) {
    const auto join = std::find(joined.begin(), joined.end(), fault.node);
    if (fault.kind == Fault::Kind::recover && join != joined.end()) {
      joined.erase(join);
    } else {
      text += option_of(fault);
    }
  }
  for (const SlowLink& link : plan.faults.slow) {
    text += " --slow " + number(link.from) + ":" + number(link.to) + "@" + time(link.more);
  }
  for (const Assumption one :
       {Assumption::no_loss, Assumption::no_duplication, Assumption::fifo, Assumption::no_crash,
        Assumption::no_suspicion, Assumption::synchronous}) {
    if (plan.may_break.has(one)) text += " --allow " + std::string(name_of_breaking(one));
  }
  for (const Promise one : {Promise::safety, Promise::deadlock_freedom, Promise::starvation_freedom,
                            Promise::order, Promise::one_leader, Promise::right_leader,
                            Promise::everyone_learns, Promise::consistency, Promise::detection}) {
    if (plan.demands.has(one)) text += " --demand " + std::string(name_of(one));
  }
  return text;
}

}  // namespace baton::sim
