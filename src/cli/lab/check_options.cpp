#include "cli/lab/check_options.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include "algorithms/layer/membership.h"
#include "cli/common/arguments.h"
#include "cli/common/command.h"
#include "cli/common/text.h"
#include "lab/check/defaults.h"
#include "lab/check/lease_rules.h"
#include "service/lease/lease.h"

namespace baton::cli {

namespace {

// "4G", "512M", "100000": bytes.
std::uint64_t size_in_bytes(const std::string& typed) {
  std::uint64_t value = 0;
  const char* const last = typed.data() + typed.size();
  const auto [end, error] = std::from_chars(typed.data(), last, value);
  static constexpr std::string_view units = "KMGT";
  const bool has_unit = end + 1 == last && units.find(*end) != units.npos;
  if (error == std::errc{} && (end == last || has_unit)) {
    const std::uint64_t shift = has_unit ? 10 * (units.find(*end) + 1) : 0;
    const std::uint64_t bytes = value << shift;
    if (bytes >> shift == value && bytes >= (std::uint64_t{1} << 20)) return bytes;
  }
  throw UsageError("--memory takes at least 1M, written as 512M or 4G, not '" + typed + "'");
}

// Three quarters of what is free, so that a search is never what the kernel ends.
std::uint64_t memory_to_spare() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::uint64_t kibibytes = 0;
  while (file >> name >> kibibytes) {
    if (name == "MemAvailable:") return kibibytes * 1024 / 4 * 3;
    file.ignore(256, '\n');
  }
  return std::uint64_t{2} << 30;
}

// What the world of the lease protocol does not know, and what only it knows.
constexpr const char* not_of_lease[] = {
    "--requesters", "--fifo",         "--reorder",     "--losses",          "--duplicates",
    "--quits",      "--recoveries",   "--suspicions",  "--tickets",         "--time",
    "--under-way",  "--atomic",       "--reliable",    "--resilient",       "--demand",
    "--save",       "--no-canonical", "--no-symmetry", "--no-partial-order"};
constexpr const char* only_of_lease[] = {"--cuts", "--drifts", "--faults", "--servers"};
// Of each kind of fault, and of requests: its states have no room for more.
constexpr std::uint32_t most_of_lease = 3;

}  // namespace

std::vector<std::string> lease_rule_names() {
  std::vector<std::string> names;
  for (std::size_t i = 1; i < service::lease_rules; ++i) {
    names.emplace_back(name_of(static_cast<service::LeaseRule>(i)));
  }
  return names;
}

CheckCommandOptions::CheckCommandOptions() {
  const Setup small = check::small_setup(3);
  group.lease = small.lease;
  group.patience = small.patience;
}

void CheckCommandOptions::add_to(Command& command) {
  command.add_option("ALGORITHM", algorithm, "One of 'baton list', membership or lease");
  command.add_option("-n,--processes", processes, "Number of processes")
      .type_name("N")
      .show_default();
  add_instance_to(command);
  add_faults_to(command);
  add_layers_to(command);
  add_properties_to(command);
  add_search_to(command);
  command.add_option("--save", save, "Write the run that breaks a property, for 'sim --replay'")
      .type_name("FILE")
      .group("Output");
  drawing.add_drawing_to(command);
  command.add_flag("--json", json, "Print the result as JSON").no_value().group("Output");
  group.add_to(command);
}

void CheckCommandOptions::add_instance_to(Command& command) {
  const std::string heading = "Instance";
  const auto count = [&](const char* name, std::uint32_t& value, const char* what) {
    command.add_option(name, value, what).whole_number(0, 100).group(heading);
  };
  command.add_option("--requests", requests, "How often each process asks: a number, or any")
      .type_name("N|any")
      .group(heading);
  count("--requesters", requesters, "Only the first so many processes ask");
  command.add_flag("--fifo", fifo, "Messages of a channel arrive in order")
      .no_value()
      .group(heading);
  command.add_flag("--reorder", reorder, "... or may overtake each other")
      .no_value()
      .group(heading);
  count("--under-way", under_way, "Skip runs with more messages under way on a channel");
  count("--time", time, "Where time counts: so many units (0: no limit)");
  command.add_flag("--atomic", atomic, "Shared memory: registers are atomic, not only safe")
      .no_value()
      .group(heading);
  count("--tickets", tickets, "Shared memory: skip runs with more tickets");
  command.add_option("--servers", servers, "lease: one server, or two (default: each in turn)")
      .whole_number(1, 2)
      .group(heading);
}

void CheckCommandOptions::add_faults_to(Command& command) {
  const auto count = [&](const char* name, std::uint32_t& value, const char* what) {
    command.add_option(name, value, what).whole_number(0, 100).group("Faults, at most");
  };
  count("--losses", losses, "Messages that are lost");
  count("--duplicates", duplicates, "Messages that arrive twice");
  count("--crashes", crashes, "Crashes of processes");
  count("--quits", quits, "Processes that end and take leave");
  count("--recoveries", recoveries, "Returns of processes that crashed or ended");
  count("--suspicions", suspicions, "Wrong suspicions");
  count("--delays", delays, "Where time counts: messages that come too late");
  count("--pauses", pauses, "Processes that stop for a while, and do not know it");
  count("--cuts", cuts, "lease: connections that break, and return at any time");
  count("--drifts", drifts, "lease: units of time that a clock loses or gains");
  count("--faults", faults, "lease: faults of all kinds together (0: no limit)");
}

void CheckCommandOptions::add_layers_to(Command& command) {
  const std::string heading = "Layers";
  command.add_flag("--reliable", reliable, "Check it on the layer that repeats lost messages")
      .no_value()
      .group(heading);
  command.add_flag("--resilient", resilient, "Check it on the layer that survives crashes")
      .no_value()
      .group(heading);
  command.add_option("--omit", omission, "Leave out one rule (see below)")
      .type_name("RULE")
      .group(heading);
}

void CheckCommandOptions::add_properties_to(Command& command) {
  const std::string heading = "Properties";
  command.add_option("--demand", demanded, "Judge this too, promised or not (see below)")
      .separated_by(',')
      .one_value_each()
      .type_name("PROMISE,…")
      .group(heading);
  command.add_flag("--safety-only", no_liveness, "Do not judge whether everything comes to an end")
      .no_value()
      .group(heading);
  command.add_flag("--all", all, "Go on after the first broken property").no_value().group(heading);
}

void CheckCommandOptions::add_search_to(Command& command) {
  const std::string heading = "Search";
  command.add_flag("--no-canonical", no_canonical, "Keep clocks and numbers as they are")
      .no_value()
      .group(heading);
  command.add_flag("--no-symmetry", no_symmetry, "Tell apart states that differ only in names")
      .no_value()
      .group(heading);
  command.add_flag("--no-partial-order", no_partial_order, "Try all orders of all steps")
      .no_value()
      .group(heading);
  command.add_option("--threads", threads, "Threads (default: one per core)")
      .whole_number(1, 256)
      .group(heading);
  command.add_option("--memory", memory, "Most memory, such as 4G (default: 3/4 of what is free)")
      .type_name("SIZE")
      .group(heading);
  command.add_option("--states", states, "Most states")
      .whole_number(1, 4'000'000'000)
      .group(heading);
  command.add_option("--depth", depth, "Most steps of a run")
      .whole_number(1, 1'000'000'000)
      .group(heading);
  command.add_flag("--compact", compact, "Keep 64 bits of each state (see below); safety only")
      .no_value()
      .group(heading);
}

void CheckCommandOptions::note_given(const Command& command) {
  for (const Option* option : command.options()) {
    if (option->count() == 0) continue;
    given_.push_back(option->name());
    if (option->group() != "Group") continue;
    of_group_.push_back(option->name());
    std::string value;
    for (const std::string& one : option->values()) value += (value.empty() ? "" : ",") + one;
    if (option->takes_value()) of_group_.push_back(value);
  }
  drawing.note_given(command);
  drawing.json = json;
}

bool CheckCommandOptions::was_given(const std::string& option) const {
  return std::find(given_.begin(), given_.end(), option) != given_.end();
}

CheckCommandOptions CheckCommandOptions::with(const CheckedInstance& instance) const {
  CheckCommandOptions both = *this;
  both.reliable = false;
  both.resilient = false;
  Command command("", "");
  command.without_help();
  both.add_to(command);
  std::istringstream words{std::string(instance.options)};
  command.parse({std::istream_iterator<std::string>(words), {}});
  both.note_given(command);
  return both;
}

Layers CheckCommandOptions::layers() const {
  if (reliable && resilient) return Layers::both;
  if (resilient) return Layers::resilient;
  return reliable ? Layers::reliable : Layers::none;
}

check::Bounds CheckCommandOptions::bounds(const check::Checkable& subject) const {
  const std::int64_t size = group_size(processes);
  if (size > check::most_processes) {
    throw UsageError("at most " + std::to_string(check::most_processes) +
                     " processes can be checked, not " + processes +
                     ": each process more multiplies the states by ten to a thousand");
  }
  return bounds(subject, size);
}

check::Bounds CheckCommandOptions::bounds(const check::Checkable& subject,
                                          std::int64_t size) const {
  const bool is_lease = algorithm == check::lease().info().name;
  const bool is_membership = algorithm == Membership::info().name;
  refuse_what_does_not_go_with(is_lease);
  check::Bounds bounds =
      is_lease ? lease_bounds(subject) : subject.bounds(setup_for(subject.info(), size));
  bound_requests(bounds, is_lease);
  if (fifo && reorder) throw UsageError("--fifo and --reorder exclude each other");
  if (fifo) bounds.fifo = true;
  if (reorder) bounds.fifo = false;
  const auto take = [&](const char* option, std::uint32_t typed, std::uint32_t& bound) {
    if (was_given(option)) bound = typed;
  };
  take("--requesters", requesters, bounds.requesters);
  take("--losses", losses, bounds.budgets.lose);
  take("--duplicates", duplicates, bounds.budgets.duplicate);
  take("--crashes", crashes, bounds.budgets.crash);
  take("--quits", quits, bounds.budgets.quit);
  take("--recoveries", recoveries, bounds.budgets.recover);
  take("--suspicions", suspicions, bounds.budgets.suspect);
  take("--delays", delays, bounds.budgets.delay);
  take("--pauses", pauses, bounds.budgets.pause);
  take("--cuts", cuts, bounds.budgets.cut);
  take("--drifts", drifts, bounds.budgets.drift);
  take("--faults", faults, bounds.budgets.faults);
  take("--under-way", under_way, bounds.under_way);
  take("--time", time, bounds.time.limit);
  take("--tickets", tickets, bounds.tickets);
  if (quits > 0 && !resilient && !is_membership) {
    throw UsageError("--quits needs --resilient: only there a process takes leave; see --crashes");
  }
  if (atomic) bounds.atomic = true;
  if (!omission.empty() && !is_lease) {
    if (!resilient && !is_membership) throw UsageError("--omit needs --resilient");
    bounds.setup.omission = omission_named(omission);
  }
  if (no_canonical) bounds.reductions.canonical = false;
  if (no_symmetry) bounds.reductions.symmetry = false;
  if (no_partial_order) bounds.reductions.partial_order = false;
  return bounds;
}

void CheckCommandOptions::bound_requests(check::Bounds& bounds, bool is_lease) const {
  if (requests.empty()) return;
  if (requests == "any" && !is_lease) {
    bounds.requests = 0;
    return;
  }
  const char* const last = requests.data() + requests.size();
  const auto [end, error] = std::from_chars(requests.data(), last, bounds.requests);
  const bool is_number = error == std::errc{} && end == last;
  if (is_lease && (!is_number || bounds.requests > most_of_lease)) {
    throw UsageError("--requests of lease is a number from 0 to " + std::to_string(most_of_lease) +
                     ", not '" + requests + "'");
  }
  if (!is_number || (bounds.requests == 0 && !is_lease)) {
    throw UsageError("--requests is a number above 0 or 'any', not '" + requests + "'");
  }
}

// Of the whole registry, each takes the parameters that it has.
Setup CheckCommandOptions::setup_for(const Info& info, std::int64_t size) const {
  Setup setup = group.setup(size);
  if (algorithm.empty()) {
    group.parameters.apply_known_to(setup, info);
  } else {
    group.parameters.apply_to(setup, info);
  }
  return setup;
}

void CheckCommandOptions::refuse_what_does_not_go_with(bool is_lease) const {
  if (!is_lease) {
    for (const char* const option : only_of_lease) {
      if (!algorithm.empty() && was_given(option)) {
        throw UsageError(std::string(option) + " is an option of lease, not of " + algorithm);
      }
    }
    return;
  }
  for (const char* const option : not_of_lease) {
    if (was_given(option)) throw UsageError(std::string(option) + " cannot be used with lease");
  }
  if (was_given("--processes")) {
    throw UsageError(
        "-n cannot be used with lease, which has two clients; --servers says how many servers");
  }
  const std::pair<const char*, std::uint32_t> counts[] = {{"--crashes", crashes},
                                                          {"--delays", delays},
                                                          {"--pauses", pauses},
                                                          {"--cuts", cuts},
                                                          {"--drifts", drifts}};
  for (const auto& [option, count] : counts) {
    if (count <= most_of_lease) continue;
    throw UsageError(std::string(option) + " of lease is at most " + std::to_string(most_of_lease) +
                     ", not " + std::to_string(count));
  }
}

check::Bounds CheckCommandOptions::lease_bounds(const check::Checkable& subject) const {
  const Setup setup = setup_for(subject.info(), 3);
  check::Bounds bounds = subject.bounds(setup);
  if (omission.empty()) return bounds;
  const service::LeaseRule rule = lease_rule();
  const check::Checkable& shows = check::lease_without(rule);
  if (&subject == &shows) return check::lease_bounds_without(rule, setup);
  if (&shows == &check::lease_takeover()) {
    throw UsageError("'" + omission + "' is a rule for two servers; leave out --servers 1");
  }
  bounds.lease_rule = rule;
  return bounds;
}

service::LeaseRule CheckCommandOptions::lease_rule() const {
  if (const auto rule = service::lease_rule_named(omission)) return *rule;
  const std::vector<std::string> names = lease_rule_names();
  const std::string guess = did_you_mean(omission, names);
  throw UsageError("the lease protocol has no rule '" + omission + "'" +
                   (guess.empty() ? "; its rules are " + listed(names) : guess));
}

check::CheckOptions CheckCommandOptions::search(const Info& info) const {
  check::CheckOptions options;
  options.explore.threads = threads;
  options.explore.memory = memory.empty() ? memory_to_spare() : size_in_bytes(memory);
  if (states != 0) options.explore.most_states = states;
  if (depth != 0) options.explore.most_depth = depth;
  options.explore.fingerprints = compact;
  options.demands = check::default_demands(info);
  for (const std::string& typed : demanded) options.demands.add(promise_named(typed));
  options.every = all;
  options.liveness = !no_liveness && !compact;
  return options;
}

std::vector<std::string> CheckCommandOptions::arguments(const Info& info) const {
  std::vector<std::string> words{"--processes", processes};
  words.insert(words.end(), of_group_.begin(), of_group_.end());
  const auto add = [&](const std::string& option, const std::string& value) {
    if (!was_given(option)) words.insert(words.end(), {option, value});
  };
  for (const Parameter* parameter : info.parameters) {
    if (!parameter->small) continue;
    add("--" + std::string(parameter->name), parameter->text_of(*parameter->small));
  }
  if (reliable) words.emplace_back("--reliable");
  if (resilient) {
    words.emplace_back("--resilient");
    add("--lease", std::to_string(group.lease));
    add("--patience", std::to_string(group.patience));
    if (!omission.empty()) words.insert(words.end(), {"--omit", omission});
  }
  return words;
}

}  // namespace baton::cli
