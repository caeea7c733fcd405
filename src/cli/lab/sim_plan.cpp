// What the options of `baton sim` say of the run, and what is wrong with them.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "cli/common/command.h"
#include "cli/common/text.h"
#include "cli/lab/algorithms.h"
#include "cli/lab/sim_observation.h"
#include "cli/lab/sim_options.h"

namespace baton::cli {

namespace {

using sim::Delay;
using sim::Fault;
using sim::Plan;
using sim::Workload;

double real(const std::string& typed, const std::string& what) {
  try {
    std::size_t used = 0;
    const double value = std::stod(typed, &used);
    if (used == typed.size() && std::isfinite(value)) return value;
  } catch (const std::exception&) {
    // Not a number at all; said below.
  }
  throw UsageError("'" + typed + "' is not " + what);
}

Ticks ticks(double message_times, const std::string& what) {
  if (!(message_times >= 0)) {
    throw UsageError(what + " must be 0 or more message times");
  }
  if (message_times > 1e12) throw UsageError(what + " must be at most 1e12 message times");
  return {std::llround(message_times * static_cast<double>(message_time.value))};
}

Ticks positive_ticks(double message_times, const std::string& what) {
  const Ticks time = ticks(message_times, what);
  if (time.value == 0) throw UsageError(what + " must be above 0");
  return time;
}

NodeId process(const std::string& typed) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(typed.data(), typed.data() + typed.size(), value);
  if (error != std::errc{} || end != typed.data() + typed.size()) {
    throw UsageError("'" + typed + "' is not the number of a process");
  }
  return {value};
}

// "WHAT@TIME" split at the at-sign.
std::pair<std::string, Ticks> at_time(const std::string& typed, const std::string& form) {
  const auto at = typed.rfind('@');
  if (at == typed.npos) throw UsageError("'" + typed + "' is not of the form " + form);
  return {typed.substr(0, at),
          ticks(real(typed.substr(at + 1), "a time in message times"), "a time")};
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  for (std::size_t end = 0; end != text.npos; start = end + 1) {
    end = text.find(separator, start);
    parts.push_back(text.substr(start, end == text.npos ? end : end - start));
  }
  return parts;
}

Delay delay_of(const std::string& typed) {
  const auto colon = typed.find(':');
  const std::string kind = typed.substr(0, colon);
  std::vector<double> values;
  if (colon != typed.npos) {
    for (const std::string& part : split(typed.substr(colon + 1), ',')) {
      values.push_back(real(part, "a delay in message times"));
    }
  }
  Delay delay;
  if (kind == "uniform") {
    delay.kind = Delay::Kind::uniform;
    if (values.empty()) values = {0.5, 1.5};
    if (values.size() != 2 || values[0] > values[1]) {
      throw UsageError("a uniform delay is written uniform:LOW,HIGH, with LOW up to HIGH");
    }
    delay.low = ticks(values[0], "a delay");
    delay.high = ticks(values[1], "a delay");
  } else {
    if (kind == "constant") {
      delay.kind = Delay::Kind::constant;
    } else if (kind == "exponential") {
      delay.kind = Delay::Kind::exponential;
    } else if (kind == "heavy") {
      delay.kind = Delay::Kind::heavy;
    } else {
      throw UsageError("--delay takes constant, uniform, exponential or heavy, not '" + kind + "'" +
                       did_you_mean(kind, {"constant", "uniform", "exponential", "heavy"}));
    }
    if (values.size() > 1)
      throw UsageError("a delay that is '" + kind + "' takes one value, its mean");
    if (!values.empty()) delay.low = delay.high = ticks(values[0], "a delay");
  }
  if (delay.low.value < 1) throw UsageError("a delay must be above 0");
  return delay;
}

Workload::Kind workload_named(const std::string& typed) {
  static const std::vector<std::pair<std::string, Workload::Kind>> kinds{
      {"one", Workload::Kind::one},
      {"everyone", Workload::Kind::everyone},
      {"closed", Workload::Kind::closed},
      {"poisson", Workload::Kind::poisson},
      {"saturated", Workload::Kind::saturated},
      {"turns", Workload::Kind::turns}};
  std::vector<std::string> names;
  for (const auto& [name, kind] : kinds) {
    if (name == typed) return kind;
    names.push_back(name);
  }
  throw UsageError("--workload takes one, everyone, closed, poisson, saturated or turns, not '" +
                   typed + "'" + did_you_mean(typed, names));
}

// "0,1|2,3@20": processes that are not named stand together on a side of their own.
Fault partition_of(const std::string& typed, std::uint32_t size) {
  const auto [sides, at] = at_time(typed, "0,1|2,3@TIME");
  Fault fault{.at = at, .kind = Fault::Kind::partition};
  fault.side_of.assign(size, 0);
  std::uint32_t side = 1;
  for (const std::string& members : split(sides, '|')) {
    for (const std::string& member : split(members, ',')) {
      const NodeId node = process(member);
      if (node.value >= size) {
        throw UsageError("there is no process " + member + "; the processes are 0 to " +
                         std::to_string(size - 1));
      }
      if (fault.side_of[node.value] != 0) {
        throw UsageError("process " + member + " cannot be on two sides of a partition");
      }
      fault.side_of[node.value] = side;
    }
    ++side;
  }
  return fault;
}

std::vector<Fault> schedule_of(const SimOptions& options, std::uint32_t size) {
  std::vector<Fault> schedule;
  const auto strikes = [&](const std::vector<std::string>& all, Fault::Kind kind) {
    for (const std::string& typed : all) {
      const auto [who, at] = at_time(typed, "PROCESS@TIME");
      schedule.push_back({.at = at, .kind = kind, .node = process(who)});
    }
  };
  strikes(options.crashes, Fault::Kind::crash);
  strikes(options.quits, Fault::Kind::quit);
  strikes(options.recoveries, Fault::Kind::recover);
  strikes(options.joins, Fault::Kind::recover);
  strikes(options.pauses, Fault::Kind::pause);
  strikes(options.resumptions, Fault::Kind::resume);
  for (const std::string& typed : options.partitions) {
    schedule.push_back(partition_of(typed, size));
  }
  for (const std::string& typed : options.heals) {
    schedule.push_back(
        {.at = ticks(real(typed, "a time in message times"), "a time"), .kind = Fault::Kind::heal});
  }
  const auto opinions = [&](const std::vector<std::string>& all, Fault::Kind kind) {
    for (const std::string& typed : all) {
      const auto [pair, at] = at_time(typed, "WHO:WHOM@TIME");
      const auto ends = split(pair, ':');
      if (ends.size() != 2) throw UsageError("'" + typed + "' is not of the form WHO:WHOM@TIME");
      schedule.push_back(
          {.at = at, .kind = kind, .node = process(ends[0]), .whom = process(ends[1])});
    }
  };
  opinions(options.cuts, Fault::Kind::cut);
  opinions(options.mendings, Fault::Kind::mend);
  opinions(options.suspicions, Fault::Kind::suspect);
  opinions(options.trusts, Fault::Kind::trust);
  std::stable_sort(schedule.begin(), schedule.end(),
                   [](const Fault& a, const Fault& b) { return a.at < b.at; });
  return schedule;
}

// The dearest situation that theory knows; and where everyone talks to everyone for ever, or hears
// of every step, at least one message per pair.
double messages_of_an_election(const Setup& setup, const Info& info) {
  const double pairs = static_cast<double>(setup.size) * setup.size;
  double most = info.perpetual || info.choice == Choice::several ? pairs : 1;
  for (const ElectionCost& cost : info.election_costs) {
    most = std::max(most, cost.value({setup, {{0}}, {}}).high);
  }
  return most;
}

void refuse_if_too_many(double messages, double most) {
  if (messages <= most) return;
  throw UsageError("this election would send about " +
                   grouped(static_cast<std::uint64_t>(messages)) +
                   " messages; take fewer processes");
}

// A run that could not end in a sensible time or would not fit in memory is better not begun.
void refuse_if_hopeless(const Plan& plan, const Info& info) {
  constexpr double most_messages = 4e9;
  constexpr double most_at_once = 2e8;
  double per_entry = 1;
  const Case typical{plan.setup, {0}, {plan.setup.size - 1}};
  for (const Cost& cost : info.costs) {
    if (cost.scenario == Scenario::alone && cost.metric == Metric::messages) {
      per_entry = std::max(per_entry, cost.value(typical).high);
    }
  }
  if (info.kind == Kind::election) {
    refuse_if_too_many(messages_of_an_election(plan.setup, info), most_at_once);
    return;
  }
  const Workload& work = plan.workload;
  const double asking = work.requesters > 0 ? work.requesters : plan.setup.size;
  const bool together =
      work.kind == Workload::Kind::everyone || work.kind == Workload::Kind::saturated;
  const double entries = work.kind == Workload::Kind::one ? 1
                         : work.kind == Workload::Kind::everyone
                             ? asking
                             : static_cast<double>(work.entries);
  if (entries * per_entry > most_messages || (together && asking * per_entry > most_at_once)) {
    throw UsageError("this run would send about " +
                     grouped(static_cast<std::uint64_t>(entries * per_entry)) +
                     " messages; take fewer processes or fewer --requesters");
  }
}

}  // namespace

sim::Plan SimOptions::plan(const Info& info) const {
  Plan plan;
  plan.setup = group.setup(group_size(processes), seed);
  if (is_of_a_file) {
    group.parameters.apply_known_to(plan.setup, info);
  } else {
    group.parameters.apply_to(plan.setup, info);
  }
  plan.seed = seed;
  plan.delay = delay_of(delay);
  plan.critical_section = ticks(critical_section, "the length of the critical section");
  plan.send_cost = ticks(send_cost, "the cost of a send");
  plan.workload = workload_for(info, plan.setup.size);
  plan_faults(plan, info);
  plan_judgement(plan);
  check_names(plan.setup.size);
  several.apply(plan, info, given);
  if (const auto why = sim::objection(plan, info)) throw UsageError(*why);
  if (reorder && plan.delay.kind == Delay::Kind::constant) {
    throw UsageError(
        "--reorder needs delays that differ; add --delay uniform, exponential or heavy");
  }
  refuse_if_hopeless(plan, info);
  return plan;
}

sim::Workload SimOptions::workload_for(const Info& info, std::uint32_t size) const {
  Workload work;
  const bool one_asks = !first.empty() || info.kind == Kind::observation;
  work.kind = !workload.empty() ? workload_named(workload)
              : one_asks        ? Workload::Kind::one
                                : Workload::Kind::everyone;
  work.requesters = requesters;
  const std::uint64_t asking = requesters > 0 ? requesters : size;
  work.entries = entries > 0 ? entries : 10 * asking;
  if (!first.empty()) work.first = process(first);
  const auto goes_with = [](const char* option, bool fits, const char* kinds) {
    if (!fits) throw UsageError(std::string(option) + " needs --workload " + kinds);
  };
  const bool counts_entries =
      work.kind != Workload::Kind::one && work.kind != Workload::Kind::everyone;
  goes_with("--first", work.first == nobody || work.kind == Workload::Kind::one, "one");
  goes_with("--entries", entries == 0 || counts_entries, "closed, poisson, saturated or turns");
  goes_with("--at", !was_given("--at") || !counts_entries, "one or everyone");
  goes_with("--think", !was_given("--think") || work.kind == Workload::Kind::closed, "closed");
  goes_with("--rate", !was_given("--rate") || work.kind == Workload::Kind::poisson, "poisson");
  // An observer that begins with what it observes sees nothing of it.
  work.at = was_given("--at")   ? ticks(at, "the time of asking")
            : is_observer(info) ? 3 * message_time
                                : Ticks{0};
  work.think = ticks(think, "a pause");
  work.rate = rate;
  return work;
}

void SimOptions::plan_faults(sim::Plan& plan, const Info& info) const {
  plan.faults.loss = loss;
  plan.faults.duplication = duplicate;
  plan.faults.reordering = reorder;
  plan.faults.schedule = schedule_of(*this, plan.setup.size);
  for (const std::string& typed : joins) {
    plan.faults.absent.push_back(process(at_time(typed, "PROCESS@TIME").first));
  }
  for (const std::string& typed : slow) {
    const auto [pair, more] = at_time(typed, "FROM:TO@MORE");
    const auto ends = split(pair, ':');
    if (ends.size() != 2) throw UsageError("'" + typed + "' is not of the form FROM:TO@MORE");
    plan.faults.slow.push_back({process(ends[0]), process(ends[1]), more});
  }
  if (info.kind == Kind::election) plan.faults.detection = ticks(detection, "a time of detection");
  plan.servers = servers;
  if (was_given("--servers") && !resilient) throw UsageError("--servers needs --resilient");
  if (!omission.empty()) {
    if (!resilient) throw UsageError("--omit needs --resilient");
    plan.setup.omission = omission_named(omission);
  }
  plan.setup.delay_bound =
      was_given("--timeout") ? positive_ticks(timeout, "a timeout") : plan.delay.practical_limit();
}

void SimOptions::plan_judgement(sim::Plan& plan) const {
  for (const std::string& typed : allowed) {
    const auto* found =
        std::find_if(std::begin(all_assumptions), std::end(all_assumptions),
                     [&](Assumption a) { return sim::name_of_breaking(a) == typed; });
    if (found == std::end(all_assumptions)) {
      throw UsageError("--allow takes loss, duplication and the like, not '" + typed + "'" +
                       did_you_mean(typed, breakable_assumption_names()));
    }
    plan.may_break.add(*found);
  }
  plan.demands = demands();
  if (was_given("--until")) plan.time_limit = positive_ticks(until, "the end");
  if (was_given("--progress-bound")) {
    plan.progress_bound = positive_ticks(progress_bound, "a bound");
  }
  plan.starvation_bound = starvation_bound;
}

void SimOptions::check_names(std::uint32_t size) const {
  if (!names.empty() && names.size() != size) {
    throw UsageError("--names gives " + std::to_string(names.size()) + " names for " +
                     std::to_string(size) + " processes");
  }
  if (std::set<std::string>(names.begin(), names.end()).size() != names.size()) {
    throw UsageError("--names gives the same name twice");
  }
}

}  // namespace baton::cli
