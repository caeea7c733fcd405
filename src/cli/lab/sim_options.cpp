#include "cli/lab/sim_options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "cli/common/arguments.h"
#include "cli/common/command.h"
#include "cli/common/text.h"
#include "cli/lab/algorithms.h"
#include "cli/lab/sim_observation.h"

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
    throw UsageError(what + " is a number of message times, 0 or more");
  }
  if (message_times > 1e12) throw UsageError(what + " is at most 1e12 message times");
  return {std::llround(message_times * static_cast<double>(message_time.value))};
}

Ticks positive_ticks(double message_times, const std::string& what) {
  const Ticks time = ticks(message_times, what);
  if (time.value == 0) throw UsageError(what + " is above 0");
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
      throw UsageError("a uniform delay is uniform:LOW,HIGH");
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
      throw UsageError("a delay is constant, uniform, exponential or heavy, not '" + kind + "'" +
                       did_you_mean(kind, {"constant", "uniform", "exponential", "heavy"}));
    }
    if (values.size() > 1) throw UsageError("this delay takes one value, its mean");
    if (!values.empty()) delay.low = delay.high = ticks(values[0], "a delay");
  }
  if (delay.low.value < 1) throw UsageError("a delay is above 0");
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
  throw UsageError("a workload is one, everyone, closed, poisson, saturated or turns, not '" +
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
        throw UsageError("there is no process " + member + ": they are 0 to " +
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

Omission omission_named(const std::string& typed) {
  static const std::vector<std::pair<std::string, Omission>> all{
      {"durable-promises", Omission::durable_promises},
      {"unique-epochs", Omission::unique_epochs},
      {"stable-storage", Omission::stable_storage},
      {"hold-rule", Omission::hold_rule},
      {"waiting-for-leases", Omission::waiting_for_leases},
      {"farewells-by-life", Omission::farewells_by_life},
      {"loyalty", Omission::loyalty},
      {"release-replay", Omission::release_replay},
      {"epoch-check", Omission::epoch_check}};
  std::vector<std::string> names;
  for (const auto& [name, omission] : all) {
    if (name == typed) return omission;
    names.push_back(name);
  }
  throw UsageError("'" + typed + "' is no rule of the resilient layer" +
                   did_you_mean(typed, names));
}

void SimOptions::add_to(Command& command) {
  command.add_option("algorithm", algorithm, "One of 'baton list'");
  command.add_option("-n,--processes", processes, "Number of processes").show_default();
  command.add_option("--seed", seed, "The same seed gives the same run")
      .whole_number()
      .show_default();
  command.add_option("--seeds", seeds, "Try so many seeds, stop at the first violation")
      .whole_number(1);

  command.add_option("--replay", replay,
                     "Follow the schedule in this file step by step; it says which algorithm, "
                     "and in which group");

  command
      .add_option("--workload", workload,
                  "one, everyone (default), closed, poisson, saturated, turns")
      .group("Workload");
  command
      .add_option("--entries", entries,
                  "Entries in all (closed, poisson, saturated, turns, shared memory)")
      .whole_number(1)
      .group("Workload");
  command.add_option("--requesters", requesters, "So many processes ask, drawn by the seed")
      .whole_number(1, most_processes)
      .group("Workload");
  command.add_option("--first", first, "Who asks under --workload one").group("Workload");
  command
      .add_option("--at", at,
                  "When one and everyone ask, in message times (default: 0; observation: 3)")
      .finite_number()
      .group("Workload");
  command.add_option("--think", think, "Mean pause of closed, in message times")
      .finite_number()
      .group("Workload");
  command.add_option("--rate", rate, "Requests per message time of poisson")
      .finite_number()
      .group("Workload");
  command.add_option("--cs", critical_section, "Length of the critical section, in message times")
      .finite_number()
      .group("Workload");

  command
      .add_flag("--reliable", reliable, "On a layer that repeats, orders and deduplicates messages")
      .no_value()
      .group("Layers");
  command
      .add_flag("--resilient", resilient,
                "On a layer that survives crashes of any minority: views, fences, leases; and on "
                "the reliable one too if messages are lost, duplicated or reordered")
      .no_value()
      .group("Layers");
  command
      .add_option("--servers", servers,
                  "So many servers keep the fenced resource, and a write must reach a majority")
      .whole_number(1, 1000)
      .group("Layers");
  command
      .add_option("--omit", omission,
                  "Leave out one rule of the resilient layer, to see what it is for: "
                  "durable-promises, unique-epochs, stable-storage, hold-rule, "
                  "waiting-for-leases, farewells-by-life, loyalty, release-replay, epoch-check")
      .group("Layers");

  command
      .add_option("--delay", delay,
                  "constant[:MEAN], uniform[:LOW,HIGH], exponential[:MEAN], heavy[:MEAN]")
      .group("World");
  command
      .add_option("--send-cost", send_cost,
                  "Each send keeps its sender busy for so long; sends queue up behind each other")
      .finite_number()
      .group("World");
  command.add_flag("--reorder", reorder, "Channels are not FIFO").no_value().group("World");
  command.add_option("--loss", loss, "Probability that a message is lost")
      .finite_number()
      .group("World");
  command.add_option("--duplicate", duplicate, "Probability that a message arrives twice")
      .finite_number()
      .group("World");
  command.add_option("--crash", crashes, "PROCESS@TIME").one_value_each().group("World");
  command
      .add_option("--quit", quits,
                  "PROCESS@TIME; it ends of its own accord, and says so if its layer can")
      .one_value_each()
      .group("World");
  command.add_option("--recover", recoveries, "PROCESS@TIME; it comes back knowing nothing")
      .one_value_each()
      .group("World");
  command.add_option("--join", joins, "PROCESS@TIME; it is not there before")
      .one_value_each()
      .group("World");
  command.add_option("--pause", pauses, "PROCESS@TIME; it does nothing for a while, unknowingly")
      .one_value_each()
      .group("World");
  command.add_option("--resume", resumptions, "PROCESS@TIME").one_value_each().group("World");
  command.add_option("--partition", partitions, "0,1|2,3@TIME").one_value_each().group("World");
  command.add_option("--heal", heals, "TIME at which the partition ends")
      .one_value_each()
      .group("World");
  command.add_option("--suspect", suspicions, "WHO:WHOM@TIME").one_value_each().group("World");
  command.add_option("--cut", cuts, "A:B@TIME; these two can no longer talk to each other")
      .one_value_each()
      .group("World");
  command.add_option("--mend", mendings, "A:B@TIME; ... and can again")
      .one_value_each()
      .group("World");
  command.add_option("--trust", trusts, "WHO:WHOM@TIME; ends a suspicion")
      .one_value_each()
      .group("World");
  command
      .add_option("--detect", detection,
                  "Elections: after this time processes learn who has become unreachable; 0: never")
      .finite_number()
      .show_default()
      .group("World");
  command.add_option("--slow", slow, "FROM:TO@MORE; messages on this channel take so much longer")
      .one_value_each()
      .group("World");
  command
      .add_option("--timeout", timeout,
                  "Synchronous algorithms: the longest delay they reckon with (default: the "
                  "longest there is)")
      .finite_number()
      .group("World");
  command
      .add_option("--allow", allowed,
                  "Break an assumption on purpose: loss, duplication, reordering, crash, "
                  "suspicion, slowness")
      .separated_by(',')
      .one_value_each()
      .group("World");
  command
      .add_option("--demand", demanded,
                  "Judge this too, promised or not: safety, deadlock-freedom, "
                  "starvation-freedom, order, one-leader, right-leader, everyone-learns, "
                  "consistency, detection")
      .separated_by(',')
      .one_value_each()
      .group("World");
  command.add_option("--until", until, "End at this time").finite_number().group("World");
  command
      .add_option("--progress-bound", progress_bound,
                  "Message times without an entry, while someone waits, that count as a livelock")
      .finite_number()
      .group("World");
  command
      .add_option("--starvation-bound", starvation_bound,
                  "Entries of others during one wait that count as starvation")
      .whole_number(1)
      .group("World");

  add_drawing_to(command);
  command.add_flag("--json", json, "The report as an object, for programs")
      .no_value()
      .group("Output");
  several.add_to(command);
  group.add_to(command);
}

void SimOptions::add_drawing_to(Command& command) {
  command
      .add_option("--trace", trace,
                  "Draw the space-time diagram (shared memory: the schedule); or export: json, "
                  "shiviz, chrome")
      .value_may_be_left_out()
      .group("Output");
  command.add_option("-o,--output", output, "Write the trace to this file").group("Output");
  command.add_option("--svg", svg, "Draw the space-time diagram as a picture into this file")
      .group("Output");
  command.add_option("--names", names, "Names of the processes in diagrams: 3,5,12")
      .separated_by(',')
      .one_value_each()
      .group("Output");
  command.add_flag("--ascii", ascii, "Diagram in 7-bit characters").no_value().group("Output");
}

void SimOptions::note_given(const Command& command) {
  for (const Option* option : command.options()) {
    if (option->count() > 0) given.push_back(option->name());
  }
  if (was_given("--trace") && trace.empty()) trace = "diagram";
}

bool SimOptions::was_given(std::string_view option) const {
  return std::find(given.begin(), given.end(), option) != given.end();
}

sim::Layers SimOptions::layers() const {
  // To survive crashes where messages are lost, both are needed.
  const bool unreliable =
      loss > 0 || duplicate > 0 || reorder || !partitions.empty() || !cuts.empty();
  if (resilient && (reliable || unreliable)) return sim::Layers::both;
  if (resilient) return sim::Layers::resilient;
  return reliable ? sim::Layers::reliable : sim::Layers::none;
}

Promise promise_named(const std::string& typed) {
  const auto* found = std::find_if(std::begin(all_promises), std::end(all_promises),
                                   [&](Promise p) { return sim::name_of(p) == typed; });
  if (found != std::end(all_promises)) return *found;
  throw UsageError("'" + typed + "' cannot be demanded" +
                   did_you_mean(typed, {"safety", "deadlock-freedom", "starvation-freedom", "order",
                                        "one-leader", "right-leader", "everyone-learns",
                                        "consistency", "detection"}));
}

Promises SimOptions::demands() const {
  Promises all;
  for (const std::string& typed : demanded) all.add(promise_named(typed));
  return all;
}

sim::Plan SimOptions::plan(const Info& info) const {
  Plan plan;
  plan.setup = group.setup(group_size(processes), seed);
  if (is_of_a_file) {
    group.parameters.apply_known_to(plan.setup, info);
  } else {
    group.parameters.apply_to(plan.setup, info);
  }
  const std::uint32_t size = plan.setup.size;
  plan.seed = seed;
  plan.delay = delay_of(delay);
  plan.critical_section = ticks(critical_section, "the length of the critical section");

  plan.send_cost = ticks(send_cost, "the cost of a send");

  Workload& work = plan.workload;
  const bool one_asks = !first.empty() || info.kind == Kind::observation;
  work.kind = !workload.empty() ? workload_named(workload)
              : one_asks        ? Workload::Kind::one
                                : Workload::Kind::everyone;
  work.requesters = requesters;
  const std::uint64_t asking = requesters > 0 ? requesters : size;
  work.entries = entries > 0 ? entries : 10 * asking;
  if (!first.empty()) work.first = process(first);
  if (work.first != nobody && work.kind != Workload::Kind::one) {
    throw UsageError("--first goes with --workload one");
  }
  const bool counts_entries =
      work.kind != Workload::Kind::one && work.kind != Workload::Kind::everyone;
  if (entries > 0 && !counts_entries) {
    throw UsageError("--entries goes with --workload closed, poisson, saturated or turns");
  }
  if (was_given("--at") && counts_entries) {
    throw UsageError("--at goes with --workload one or everyone");
  }
  // An observer that begins with what it observes sees nothing of it.
  work.at = was_given("--at")   ? ticks(at, "the time of asking")
            : is_observer(info) ? 3 * message_time
                                : Ticks{0};
  if (was_given("--think") && work.kind != Workload::Kind::closed) {
    throw UsageError("--think goes with --workload closed");
  }
  if (was_given("--rate") && work.kind != Workload::Kind::poisson) {
    throw UsageError("--rate goes with --workload poisson");
  }
  work.think = ticks(think, "a pause");
  work.rate = rate;

  plan.faults.loss = loss;
  plan.faults.duplication = duplicate;
  plan.faults.reordering = reorder;
  plan.faults.schedule = schedule_of(*this, size);
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
  if (was_given("--servers") && !resilient) throw UsageError("--servers goes with --resilient");
  if (!omission.empty()) {
    if (!resilient) throw UsageError("--omit goes with --resilient");
    plan.setup.omission = omission_named(omission);
  }
  plan.setup.delay_bound =
      was_given("--timeout") ? positive_ticks(timeout, "a timeout") : plan.delay.practical_limit();
  for (const std::string& typed : allowed) {
    const auto* found =
        std::find_if(std::begin(all_assumptions), std::end(all_assumptions),
                     [&](Assumption a) { return sim::name_of_breaking(a) == typed; });
    if (found == std::end(all_assumptions)) {
      throw UsageError("'" + typed + "' cannot be allowed" +
                       did_you_mean(typed, {"loss", "duplication", "reordering", "crash",
                                            "suspicion", "slowness"}));
    }
    plan.may_break.add(*found);
  }
  plan.demands = demands();
  if (was_given("--until")) plan.time_limit = positive_ticks(until, "the end");
  if (was_given("--progress-bound"))
    plan.progress_bound = positive_ticks(progress_bound, "a bound");
  plan.starvation_bound = starvation_bound;
  if (!names.empty() && names.size() != size) {
    throw UsageError("--names gives " + std::to_string(names.size()) + " names for " +
                     std::to_string(size) + " processes");
  }
  if (std::set<std::string>(names.begin(), names.end()).size() != names.size()) {
    throw UsageError("--names gives the same name twice");
  }
  several.apply(plan, info, given);
  if (const auto why = sim::objection(plan, info)) throw UsageError(*why);
  if (reorder && plan.delay.kind == Delay::Kind::constant) {
    throw UsageError(
        "--reorder needs delays that differ; add --delay uniform, exponential or heavy");
  }
  refuse_if_hopeless(plan, info);
  return plan;
}

}  // namespace baton::cli
