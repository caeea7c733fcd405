#include "cli/lab/sim_options.h"

#include <algorithm>

#include "cli/common/arguments.h"
#include "cli/common/command.h"
#include "cli/common/text.h"
#include "cli/lab/algorithms.h"

namespace baton::cli {

namespace {

const std::vector<std::pair<std::string, Omission>>& omissions() {
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
  return all;
}

}  // namespace

std::vector<std::string> omission_names() {
  std::vector<std::string> names;
  for (const auto& [name, omission] : omissions()) names.push_back(name);
  return names;
}

Omission omission_named(const std::string& typed) {
  for (const auto& [name, omission] : omissions()) {
    if (name == typed) return omission;
  }
  throw UsageError("the resilient layer has no rule '" + typed + "'" +
                   did_you_mean(typed, omission_names()));
}

std::vector<std::string> promise_names() {
  std::vector<std::string> names;
  for (const Promise promise : all_promises) names.emplace_back(sim::name_of(promise));
  return names;
}

std::vector<std::string> breakable_assumption_names() {
  std::vector<std::string> names;
  for (const Assumption one : all_assumptions) names.emplace_back(sim::name_of_breaking(one));
  return names;
}

void SimOptions::add_to(Command& command) {
  command.add_option("ALGORITHM", algorithm, "One of 'baton list'");
  command.add_option("-n,--processes", processes, "Number of processes")
      .type_name("N")
      .show_default();
  command.add_option("--seed", seed, "Seed of all random numbers; the same seed repeats the run")
      .whole_number()
      .show_default();
  command.add_option("--seeds", seeds, "Try so many seeds, and stop at a broken promise")
      .whole_number(1);
  command.add_option("--replay", replay, "Replay the steps in this file, which names the algorithm")
      .type_name("FILE");
  add_workload_to(command);
  add_layers_to(command);
  add_network_to(command);
  add_faults_to(command);
  add_judgement_to(command);
  add_drawing_to(command);
  command.add_flag("--json", json, "Print the report as JSON").no_value().group("Output");
  several.add_to(command);
  group.add_to(command);
}

void SimOptions::add_workload_to(Command& command) {
  const std::string heading = "Workload";
  command
      .add_option("--workload", workload,
                  "one, everyone, closed, poisson, saturated or turns (default: everyone)")
      .group(heading);
  command.add_option("--entries", entries, "End after so many entries")
      .whole_number(1)
      .group(heading);
  command.add_option("--requesters", requesters, "Only so many processes ask, drawn by the seed")
      .whole_number(1, most_processes)
      .group(heading);
  command.add_option("--first", first, "one: this process asks").type_name("N").group(heading);
  command.add_option("--at", at, "one, everyone: when they ask (default: 0; observation: 3)")
      .finite_number()
      .type_name("TIME")
      .group(heading);
  command.add_option("--think", think, "closed: mean time between leaving and asking again")
      .finite_number()
      .type_name("TIME")
      .show_default()
      .group(heading);
  command.add_option("--rate", rate, "poisson: requests per message time")
      .finite_number()
      .show_default()
      .group(heading);
  command.add_option("--cs", critical_section, "Length of the critical section")
      .finite_number()
      .type_name("TIME")
      .show_default()
      .group(heading);
}

void SimOptions::add_layers_to(Command& command) {
  const std::string heading = "Layers";
  command.add_flag("--reliable", reliable, "Run on the layer that repeats lost messages")
      .no_value()
      .group(heading);
  command.add_flag("--resilient", resilient, "Run on the layer that survives crashes")
      .no_value()
      .group(heading);
  command.add_option("--servers", servers, "Servers that keep the fenced resource")
      .whole_number(1, 1000)
      .show_default()
      .group(heading);
  command.add_option("--omit", omission, "Leave out one rule of the resilient layer (see below)")
      .type_name("RULE")
      .group(heading);
}

void SimOptions::add_network_to(Command& command) {
  const std::string heading = "Network";
  command
      .add_option("--delay", delay,
                  "constant[:MEAN], uniform[:LOW,HIGH], exponential[:MEAN] or "
                  "heavy[:MEAN]")
      .show_default()
      .group(heading);
  command.add_option("--send-cost", send_cost, "Time that each send keeps its sender busy")
      .finite_number()
      .type_name("TIME")
      .group(heading);
  command.add_flag("--reorder", reorder, "Messages of a channel may overtake each other")
      .no_value()
      .group(heading);
  command.add_option("--loss", loss, "Probability that a message is lost")
      .finite_number()
      .type_name("P")
      .group(heading);
  command.add_option("--duplicate", duplicate, "Probability that a message arrives twice")
      .finite_number()
      .type_name("P")
      .group(heading);
  command.add_option("--slow", slow, "Messages from FROM to TO take MORE longer")
      .one_value_each()
      .type_name("FROM:TO@MORE")
      .group(heading);
}

void SimOptions::add_faults_to(Command& command) {
  const auto add = [&](const char* name, std::vector<std::string>& values, const char* type,
                       const char* what) {
    command.add_option(name, values, what).one_value_each().type_name(type).group("Faults");
  };
  add("--crash", crashes, "PROCESS@TIME", "The process crashes");
  add("--quit", quits, "PROCESS@TIME", "The process ends, and takes leave if its layer can");
  add("--recover", recoveries, "PROCESS@TIME", "A crashed process returns without its memory");
  add("--join", joins, "PROCESS@TIME", "The process is absent until then");
  add("--pause", pauses, "PROCESS@TIME", "The process stops, and does not know it");
  add("--resume", resumptions, "PROCESS@TIME", "A paused process goes on");
  add("--partition", partitions, "0,1|2,3@TIME", "The network falls into these parts");
  add("--heal", heals, "TIME", "The network is whole again");
  add("--cut", cuts, "A:B@TIME", "A and B can no longer talk to each other");
  add("--mend", mendings, "A:B@TIME", "... and can again");
  add("--suspect", suspicions, "WHO:WHOM@TIME", "WHO suspects WHOM of a crash");
  add("--trust", trusts, "WHO:WHOM@TIME", "... and no longer does");
  command.add_option("--detect", detection, "Elections: time to detect a crash (0: never)")
      .finite_number()
      .type_name("TIME")
      .show_default()
      .group("Faults");
  command
      .add_option("--timeout", timeout,
                  "Longest delay that synchronous algorithms expect (default: the true one)")
      .finite_number()
      .type_name("TIME")
      .group("Faults");
}

void SimOptions::add_judgement_to(Command& command) {
  const std::string heading = "Judgement";
  command.add_option("--allow", allowed, "Break this assumption on purpose (see below)")
      .separated_by(',')
      .one_value_each()
      .type_name("ASSUMPTION,…")
      .group(heading);
  command.add_option("--demand", demanded, "Judge this too, promised or not (see below)")
      .separated_by(',')
      .one_value_each()
      .type_name("PROMISE,…")
      .group(heading);
  command.add_option("--until", until, "End at this time")
      .finite_number()
      .type_name("TIME")
      .group(heading);
  command
      .add_option("--progress-bound", progress_bound,
                  "A livelock: so long nobody enters, and somebody waits")
      .finite_number()
      .type_name("TIME")
      .group(heading);
  command
      .add_option("--starvation-bound", starvation_bound,
                  "Starvation: so many others enter during one wait")
      .whole_number(1)
      .group(heading);
}

void SimOptions::add_drawing_to(Command& command) {
  command.add_option("--trace", trace, "diagram, json, shiviz or chrome (default: diagram)")
      .value_may_be_left_out()
      .type_name("FORM")
      .group("Output");
  command.add_option("-o,--output", output, "Write the trace to this file")
      .type_name("FILE")
      .group("Output");
  command.add_option("--svg", svg, "Draw the diagram as a picture into this file")
      .type_name("FILE")
      .group("Output");
  command.add_option("--names", names, "Names of the processes in diagrams")
      .separated_by(',')
      .one_value_each()
      .type_name("A,B,…")
      .group("Output");
  command.add_flag("--ascii", ascii, "Use 7-bit characters only").no_value().group("Output");
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
  throw UsageError("'" + typed + "' is no promise" + did_you_mean(typed, promise_names()));
}

Promises SimOptions::demands() const {
  Promises all;
  for (const std::string& typed : demanded) all.add(promise_named(typed));
  return all;
}

}  // namespace baton::cli
