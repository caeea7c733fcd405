#include <algorithm>
#include <boost/json.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cli/common/arguments.h"
#include "cli/common/command.h"
#include "cli/common/terminal.h"
#include "cli/common/text.h"
#include "cli/lab/algorithms.h"
#include "cli/lab/parameter_options.h"
#include "core/text.h"
#include "io/json_text.h"
#include "lab/sim/measure.h"
#include "lab/sim/plan.h"

namespace baton::cli {

namespace {

// Words that fit into a table; the legend says what they stand for.
std::string short_name(Assumption assumption) {
  switch (assumption) {
    case Assumption::no_loss:
      return "loss";
    case Assumption::no_duplication:
      return "dup";
    case Assumption::fifo:
      return "reorder";
    case Assumption::no_crash:
      return "crash";
    case Assumption::no_suspicion:
      return "suspect";
    case Assumption::synchronous:
      return "slow";
  }
  return "";
}

std::string short_name(Promise promise) {
  switch (promise) {
    case Promise::safety:
      return "safe";
    case Promise::deadlock_freedom:
      return "live";
    case Promise::starvation_freedom:
      return "fair";
    case Promise::order:
      return "order";
    case Promise::one_leader:
      return "one";
    case Promise::right_leader:
      return "right";
    case Promise::everyone_learns:
      return "known";
    case Promise::consistency:
      return "consistent";
    case Promise::detection:
      return "true";
  }
  return "";
}

// What the short names stand for.
std::string legend(std::string_view assumes_no, std::string_view promises) {
  const auto line = [](const std::string& heading, std::string_view text) {
    return heading + filled(text, prose_width(), heading.size()) + "\n";
  };
  return line("assumes no  ", assumes_no) + line("promises    ", promises);
}

std::string legend_of_locks() {
  return legend(
      "loss, duplication (dup) or reordering of messages, crash of processes",
      "safe: at most one process is inside; live: deadlock-freedom, someone gets in; fair: "
      "starvation-freedom, everyone gets in; order: in the order of asking");
}

std::string legend_of_elections() {
  return legend(
      "slow: a message that takes longer than a process waits for it; suspect: a process that is "
      "alive and taken for dead",
      "one: never two leaders; right: the one it should be; known: everyone learns who leads");
}

template <class Enum, std::size_t count>
std::string list_of(Flags<Enum> flags, const Enum (&all)[count]) {
  std::string text;
  for (const Enum one : all) {
    if (flags.has(one)) text += (text.empty() ? "" : ", ") + short_name(one);
  }
  return text;
}

// "2(N-1)" as stated for the messages of an entry and exit; "" if nothing is stated.
std::string stated_messages(const Info& info) {
  for (const Scenario scenario : {Scenario::alone, Scenario::saturated, Scenario::sequential}) {
    for (const Cost& cost : info.costs) {
      if (cost.scenario == scenario && cost.metric == Metric::messages) {
        return std::string(cost.formula);
      }
    }
  }
  return "";
}

std::vector<const Info*> by_messages() {
  std::vector<const Info*> all;
  for (const sim::Entry& entry : sim::catalog()) all.push_back(&entry.info());
  return all;
}

// The right ones of a kind.
std::vector<const Info*> of_kind(Kind kind) {
  std::vector<const Info*> all;
  for (const Info* info : by_messages()) {
    if (info->kind == kind && !info->is_wrong()) all.push_back(info);
  }
  return all;
}

// Every formula of all messages together, with the situation in which it first holds; or, where
// only some messages are counted, of those.
std::string stated_election_costs(const Info& info) {
  const bool has_totals = std::any_of(info.election_costs.begin(), info.election_costs.end(),
                                      [](const ElectionCost& cost) { return cost.type.empty(); });
  std::string text;
  std::vector<std::string_view> said;
  for (const ElectionCost& cost : info.election_costs) {
    if (cost.type.empty() != has_totals) continue;
    if (std::find(said.begin(), said.end(), cost.formula) != said.end()) continue;
    said.push_back(cost.formula);
    text += (text.empty() ? "" : "; ") + std::string(cost.formula) +
            (cost.type.empty() ? "" : " " + std::string(cost.type)) + ": " +
            std::string(cost.situation);
  }
  return text.empty() ? "none published" : text;
}

std::vector<const Info*> in_shared_memory() {
  std::vector<const Info*> all;
  for (const CatalogedMachine& one : shared_machines()) all.push_back(&one.info());
  return all;
}

boost::json::array json_of(const std::vector<CheckedInstance>& instances) {
  boost::json::array all;
  for (const CheckedInstance& one : instances) {
    all.push_back({{"options", one.options}, {"what", one.what}, {"quick", one.is_quick}});
  }
  return all;
}

template <class Enum, std::size_t count, class Name>
boost::json::array names_of(Flags<Enum> flags, const Enum (&all)[count], Name name) {
  boost::json::array names;
  for (const Enum one : all) {
    if (flags.has(one)) names.emplace_back(name(one));
  }
  return names;
}

boost::json::array costs_of(const Info& info) {
  boost::json::array costs;
  for (const Cost& cost : info.costs) {
    costs.push_back({{"scenario", sim::name_of(cost.scenario)},
                     {"quantity", sim::name_of(cost.metric)},
                     {"formula", cost.formula}});
  }
  for (const ElectionCost& cost : info.election_costs) {
    costs.push_back({{"scenario", cost.situation},
                     {"quantity", cost.type.empty() ? "messages" : cost.type},
                     {"formula", cost.formula}});
  }
  return costs;
}

boost::json::array lectures_of(const Info& info) {
  boost::json::array lectures;
  for (const LectureFigure& figure : info.seeds) {
    lectures.push_back({{"document", figure.document},
                        {"quantity", figure.quantity},
                        {"figure", figure.figure},
                        {"reason", figure.reason}});
  }
  return lectures;
}

boost::json::array parameters_of(const Info& info) {
  boost::json::array parameters;
  for (const Parameter* parameter : info.parameters) {
    parameters.push_back({{"name", parameter->name},
                          {"help", described(*parameter)},
                          {"values", parameter->range()}});
  }
  return parameters;
}

boost::json::object json_of(const Info& info) {
  const auto name_of_promise = [](Promise promise) { return sim::name_of(promise); };
  const auto description = [](Assumption one) { return sim::describe(one); };
  const auto breaking = [](Assumption one) { return sim::name_of_breaking(one); };
  boost::json::object one;
  one["name"] = info.name;
  one["title"] = info.title;
  one["publication"] = info.publication;
  one["idea"] = info.idea;
  one["kind"] = name_of(info.kind);
  one["assumes"] = names_of(info.assumes, all_assumptions, description);
  one["promises"] = names_of(info.promises, all_promises, name_of_promise);
  one["messages"] =
      info.kind == Kind::election ? stated_election_costs(info) : stated_messages(info);
  one["problem"] = info.problem;
  one["costs"] = costs_of(info);
  one["lectures"] = lectures_of(info);
  one["parameters"] = parameters_of(info);
  one["example"] = info.example;
  one["checked"] = json_of(info.checked);
  one["traps"] = json_of(info.traps);
  one["wrong"] = info.is_wrong();
  if (!info.is_wrong()) return one;
  const Flaw& flaw = info.flaws.front();
  one["breaks"] = sim::name_of(flaw.breaks);
  one["needs"] = names_of(flaw.needs_broken, all_assumptions, breaking);
  one["why"] = flaw.why;
  return one;
}

// Name and broken promise on one line, the reason below it.
void print_wrong(const Info& info) {
  const Flaw& flaw = info.flaws.front();
  std::string given;
  for (const Assumption one : all_assumptions) {
    if (!flaw.needs_broken.has(one)) continue;
    given += (given.empty() ? ", given " : " and ") + std::string(sim::name_of_breaking(one));
  }
  constexpr std::size_t indent = 4;
  const std::string what =
      std::string(info.name) + " breaks " + std::string(sim::name_of(flaw.breaks)) + given;
  std::cout << filled(what, table_width(), indent / 2) << "\n"
            << std::string(indent, ' ') << filled(flaw.why, prose_width(), indent) << "\n";
}

const Info& info_named(const std::string& name) {
  const CatalogedMachine* shared = machine(name);
  return shared != nullptr ? shared->info() : algorithm(name).info();
}

// One algorithm, with its parameters.
void print_one(const Info& info) {
  const std::size_t width = table_width();
  Table about({"", ""});
  const auto row = [&](const char* what, const std::string& text) {
    if (!text.empty()) about.add({what, text});
  };
  row("published", std::string(info.publication));
  row("idea", std::string(info.idea));
  row("assumes no", list_of(info.assumes, all_assumptions));
  row("promises", list_of(info.promises, all_promises));
  row("messages",
      info.kind == Kind::election ? stated_election_costs(info) : stated_messages(info));
  row("problem", std::string(info.problem));
  std::cout << info.title << " (" << info.name << "): " << name_of(info.kind) << "\n\n"
            << about.str(width);
  if (info.is_wrong()) {
    std::cout << "\nWrong on purpose:\n\n";
    print_wrong(info);
  }
  if (info.parameters.empty()) return;
  Table parameters({"parameter", "values", "meaning"});
  for (const Parameter* parameter : info.parameters) {
    parameters.add(
        {"--" + std::string(parameter->name), parameter->range(), described(*parameter)});
  }
  std::cout << "\n" << parameters.str(width);
}

void print_json() {
  boost::json::array all;
  for (const Info* info : by_messages()) all.push_back(json_of(*info));
  for (const Info* info : in_shared_memory()) all.push_back(json_of(*info));
  std::cout << io::json_text(all) << "\n";
}

void print_tables() {
  const std::size_t width = table_width();
  Table messages({"algorithm", "messages per entry", "assumes no", "promises"});
  for (const Info* info : of_kind(Kind::mutual_exclusion)) {
    messages.add({std::string(info->name), stated_messages(*info),
                  list_of(info->assumes, all_assumptions), list_of(info->promises, all_promises)});
  }
  Table shared({"algorithm", "publication", "problem", "promises"});
  for (const Info* info : in_shared_memory()) {
    if (info->is_wrong()) continue;
    shared.add({std::string(info->name), std::string(info->publication), std::string(info->problem),
                list_of(info->promises, all_promises)});
  }
  Table elections({"algorithm", "messages", "assumes no", "promises"});
  for (const Info* info : of_kind(Kind::election)) {
    elections.add({std::string(info->name), stated_election_costs(*info),
                   list_of(info->assumes, all_assumptions), list_of(info->promises, all_promises)});
  }
  Table observers({"algorithm", "idea", "assumes no", "promises"});
  for (const Info* info : of_kind(Kind::observation)) {
    observers.add({std::string(info->name), std::string(info->idea),
                   list_of(info->assumes, all_assumptions), list_of(info->promises, all_promises)});
  }
  std::cout << "Mutual exclusion by messages\n\n"
            << messages.str(width) << "\n"
            << legend_of_locks() << "\nElections\n\n"
            << elections.str(width) << "\n"
            << legend_of_elections();
  if (!observers.empty()) std::cout << "\nObservation\n\n" << observers.str(width);
  std::cout << "\nMutual exclusion in shared memory\n\n"
            << shared.str(width) << "\nWrong on purpose: kept because each fails instructively\n\n";
  for (const auto& infos : {by_messages(), in_shared_memory()}) {
    for (const Info* info : infos) {
      if (info->is_wrong()) print_wrong(*info);
    }
  }
}

}  // namespace

void add_list(Command& app, Action& action) {
  Command& command = app.add_command("list", "List the algorithms with their costs and promises");
  struct Options {
    std::string name;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  command.add_option("ALGORITHM", options->name, "Only this one, with its idea and its parameters");
  command.add_flag("--json", options->json, "Print an array of objects, or one object, as JSON")
      .no_value();
  command.example("baton list").example("baton list majority-voting");
  command.callback([&action, options] {
    action = [options] {
      if (options->name.empty()) {
        options->json ? print_json() : print_tables();
      } else if (options->json) {
        std::cout << io::json_text(json_of(info_named(options->name))) << "\n";
      } else {
        print_one(info_named(options->name));
      }
      return exit_ok;
    };
  });
}

}  // namespace baton::cli
