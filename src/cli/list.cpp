#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cli/algorithms.h"
#include "cli/command.h"
#include "cli/text.h"
#include "sim/plan.h"

namespace baton::cli {

const sim::Entry& algorithm(const std::string& typed) {
  if (const sim::Entry* entry = sim::find(typed)) return *entry;
  std::vector<std::string> names;
  for (const sim::Entry& entry : sim::catalog()) names.emplace_back(entry.info().name);
  throw UsageError("there is no algorithm '" + typed + "'." + did_you_mean(typed, names) +
                   " 'baton list' shows them all");
}

std::string list_of(Assumptions assumptions) {
  std::string text;
  for (const Assumption one : all_assumptions) {
    if (!assumptions.has(one)) continue;
    text += (text.empty() ? "no " : ", no ") + std::string(sim::name_of_breaking(one));
  }
  return text.empty() ? "nothing" : text;
}

std::string list_of(Promises promises) {
  std::string text;
  for (const Promise one : all_promises) {
    if (promises.has(one)) text += (text.empty() ? "" : ", ") + std::string(sim::name_of(one));
  }
  return text;
}

std::string stated_messages(const Info& info) {
  for (const Scenario scenario : {Scenario::alone, Scenario::everyone, Scenario::sequential}) {
    for (const Cost& cost : info.costs) {
      if (cost.scenario == scenario && cost.metric == Metric::messages) {
        return std::string(cost.formula);
      }
    }
  }
  return "";
}

namespace {

void print_json() {
  boost::json::array all;
  for (const sim::Entry& entry : sim::catalog()) {
    const Info& info = entry.info();
    boost::json::object one;
    one["name"] = info.name;
    one["title"] = info.title;
    one["publication"] = info.publication;
    one["idea"] = info.idea;
    one["kind"] = "mutual exclusion";
    boost::json::array assumes;
    for (const Assumption a : all_assumptions) {
      if (info.assumes.has(a)) assumes.emplace_back(sim::describe(a));
    }
    one["assumes"] = std::move(assumes);
    boost::json::array promises;
    for (const Promise p : all_promises) {
      if (info.promises.has(p)) promises.emplace_back(sim::name_of(p));
    }
    one["promises"] = std::move(promises);
    one["wrong"] = info.is_wrong();
    if (info.is_wrong()) {
      one["breaks"] = sim::name_of(info.flaws.front().breaks);
      one["why"] = info.flaws.front().why;
    }
    all.push_back(std::move(one));
  }
  std::cout << boost::json::serialize(all) << "\n";
}

void print_tables() {
  Table right({"algorithm", "messages per entry", "assumes", "promises"});
  Table wrong({"wrong variant", "claims", "breaks", "why"});
  for (const sim::Entry& entry : sim::catalog()) {
    const Info& info = entry.info();
    if (info.is_wrong()) {
      wrong.add({std::string(info.name), list_of(info.promises),
                 std::string(sim::name_of(info.flaws.front().breaks)),
                 std::string(info.flaws.front().why)});
    } else {
      right.add({std::string(info.name), stated_messages(info), list_of(info.assumes),
                 list_of(info.promises)});
    }
  }
  std::cout << "Mutual exclusion by messages\n\n" << right.str();
  if (!wrong.empty()) {
    std::cout << "\nWrong on purpose: kept because each fails instructively\n\n" << wrong.str();
  }
}

}  // namespace

void add_list(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("list", "The algorithms: assumptions, promises, costs");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "An array of objects, for programs");
  command->footer("Example: baton list");
  command->callback([&action, json] {
    action = [json] {
      *json ? print_json() : print_tables();
      return exit_ok;
    };
  });
}

}  // namespace baton::cli
