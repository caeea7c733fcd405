#include <boost/json.hpp>
#include <cmath>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cli/common/arguments.h"
#include "cli/common/command.h"
#include "cli/common/terminal.h"
#include "cli/common/text.h"
#include "cli/common/theory.h"
#include "cli/lab/algorithms.h"
#include "cli/lab/compare_election.h"
#include "cli/lab/compare_formulas.h"
#include "cli/lab/compare_layers.h"
#include "cli/lab/compare_network.h"
#include "cli/lab/compare_plot.h"
#include "cli/lab/group_options.h"
#include "io/json_text.h"
#include "lab/sim/measure.h"

namespace baton::cli {

namespace {

using sim::Measurement;

struct Row {
  const Info* info = nullptr;
  std::uint32_t size = 0;
  std::vector<Measurement> measured;

  const Measurement* get(Scenario scenario, Metric metric) const {
    return sim::find(measured, scenario, metric);
  }
  // Entering and leaving alone; for a token that never rests, while all want it.
  const Measurement* per_entry(Metric metric) const {
    return get(info->perpetual ? Scenario::saturated : Scenario::alone, metric);
  }
  const Measurement* client_delay() const { return get(Scenario::alone, Metric::delay); }
  const Measurement* sync_delay() const { return get(Scenario::handover, Metric::delay); }
};

struct Options {
  std::vector<std::string> processes{"10"};
  std::vector<std::string> algorithms;
  std::string kind;  // "": that of the algorithms named
  GroupOptions group;
  PlotOptions plot;
  std::uint64_t seed = 1;
  bool layers = false;
  bool network = false;
  double seconds = 0.5;
  bool narrowed = false;  // to some algorithms or sizes
  bool sized = false;
  std::string of_group;  // an option that describes the group, if one was given
  bool json = false;
  bool ascii = false;
};

class Compare {
 public:
  Compare(Options options, std::vector<const sim::Entry*> chosen, std::vector<Setup> setups)
      : options_(std::move(options)), chosen_(std::move(chosen)), setups_(std::move(setups)) {}

  int run() {
    ComparePlot plot(options_.plot, setups_);
    measure_all();
    if (plot) {
      for (const Row& row : rows_) plot.add(*row.info, row.size, row.per_entry(Metric::messages));
      plot.write();
    }
    if (options_.json) {
      print_json();
    } else if (plot) {
      print_judgement();
    } else {
      print_tables();
    }
    return differences_ > 0 ? exit_violation : exit_ok;
  }

 private:
  void measure_all() {
    ProgressLine line;
    for (const Setup& setup : setups_) {
      for (const sim::Entry* entry : chosen_) {
        line.show("measuring " + std::string(entry->info().name) +
                  ", N = " + std::to_string(setup.size));
        rows_.push_back({&entry->info(), setup.size, sim::measure(*entry, setup, options_.seed)});
        for (const Measurement& one : rows_.back().measured) differences_ += one.agrees() ? 0 : 1;
      }
    }
  }

  // formula, theory, measured with a mark
  void cells(std::vector<std::string>& row, const Measurement* one) const {
    if (one == nullptr) {
      row.insert(row.end(), {"", "", "-"});
      return;
    }
    row.insert(row.end(), {in_characters(one->formula, options_.ascii),
                           one->expected ? text_of(*one->expected) : "",
                           text_of(one->value, one->half_width, options_.ascii) + mark(*one)});
  }

  std::string mark(const Measurement& one) const {
    return one.expected ? mark_of(one.agrees(), options_.ascii) : "";
  }

  void print_tables() const {
    for (std::size_t first = 0; first < rows_.size(); first += chosen_.size()) {
      const std::vector<Row> group(
          rows_.begin() + static_cast<std::ptrdiff_t>(first),
          rows_.begin() + static_cast<std::ptrdiff_t>(first + chosen_.size()));
      print_for(group);
    }
    print_problems();
    print_seed_figures();
    print_judgement();
  }

  void print_judgement() const {
    if (differences_ > 0) {
      std::cout << "\n" << differences_ << " measured value(s) differ from theory:\n\n";
      print_differences();
    } else {
      std::cout << "\nEvery measured value agrees with theory.\n";
    }
  }

  void print_for(const std::vector<Row>& group) const {
    std::cout << "\n"
              << explained(
                     "Messages per entry (Cardellini, Canonical Problems), when one process enters "
                     "and leaves alone; of a "
                     "circulating token, when all want it")
              << "\n"
              << messages(group) << "\n"
              << explained(
                     "Delays in message times (Canonical Problems, the Chubby Slides): every hop "
                     "takes 1, and the sends of one "
                     "step go in parallel. 'Serialised' is the model of Canonical Problems, in "
                     "which they go one after "
                     "the other. 'In sequence': processes drawn at random take turns")
              << "\n"
              << delays(group) << "\n"
              << explained(
                     "Messages per entry in other situations: the same process again, all at the "
                     "same instant, processes drawn at random one after the other")
              << "\n"
              << load(group) << "\n"
              << explained(
                     "Transmissions per entry on a network that can multicast (the Chubby Slides)")
              << "\n"
              << multicasts(group);
  }

  static std::string heading(const std::vector<Row>& group) {
    return "N = " + std::to_string(group.front().size);
  }

  std::string messages(const std::vector<Row>& group) const {
    using enum Table::Align;
    Table table({heading(group), "enter + exit", "theory", "measured", "enter", "theory",
                 "measured", "exit", "theory", "measured"},
                {left, left, right, right, left, right, right, left, right, right});
    table.may_fold_before({1, 4, 7});
    for (const Row& row : group) {
      std::vector<std::string> cell{std::string(row.info->name)};
      cells(cell, row.per_entry(Metric::messages));
      cells(cell, row.per_entry(Metric::enter));
      cells(cell, row.per_entry(Metric::exit));
      table.add(cell);
    }
    return table.str(table_width());
  }

  std::string delays(const std::vector<Row>& group) const {
    using enum Table::Align;
    Table table({heading(group), "client delay", "theory", "measured", "serialised",
                 "mean in sequence", "theory", "measured", "sync delay", "theory", "measured"},
                {left, left, right, right, right, left, right, right, left, right, right});
    table.may_fold_before({1, 5, 8});
    for (const Row& row : group) {
      std::vector<std::string> cell{std::string(row.info->name)};
      cells(cell, row.client_delay());
      const Measurement* enter = row.get(Scenario::alone, Metric::enter);
      cell.push_back(enter == nullptr ? "-" : number(enter->value));
      cells(cell, row.get(Scenario::sequential, Metric::delay));
      cells(cell, row.sync_delay());
      table.add(cell);
    }
    return table.str(table_width());
  }

  std::string load(const std::vector<Row>& group) const {
    using enum Table::Align;
    Table table({heading(group), "again", "theory", "measured", "everyone at once", "theory",
                 "measured", "in sequence", "theory", "measured"},
                {left, left, right, right, left, right, right, left, right, right});
    table.may_fold_before({1, 4, 7});
    for (const Row& row : group) {
      std::vector<std::string> cell{std::string(row.info->name)};
      cells(cell, row.get(Scenario::again, Metric::messages));
      cells(cell, row.get(Scenario::everyone, Metric::messages));
      cells(cell, row.get(Scenario::sequential, Metric::messages));
      table.add(cell);
    }
    return table.str(table_width());
  }

  std::string multicasts(const std::vector<Row>& group) const {
    using enum Table::Align;
    Table table({heading(group), "with multicast", "theory", "measured"},
                {left, left, right, right});
    for (const Row& row : group) {
      if (row.per_entry(Metric::multicast) == nullptr) continue;
      std::vector<std::string> cell{std::string(row.info->name)};
      cells(cell, row.per_entry(Metric::multicast));
      table.add(cell);
    }
    return table.str(table_width());
  }

  void print_problems() const {
    Table table({"algorithm", "problem (Cardellini, Canonical Problems)"});
    for (const sim::Entry* entry : chosen_) {
      table.add(
          {std::string(entry->info().name), in_characters(entry->info().problem, options_.ascii)});
    }
    std::cout << "\nWhat each suffers from\n\n" << table.str(table_width());
  }

  void print_seed_figures() const {
    Table table({"algorithm", "lecture", "quantity", "figure there", "why Baton's differs"});
    table.may_raise_first();
    for (const sim::Entry* entry : chosen_) {
      for (const LectureFigure& figure : entry->info().seeds) {
        if (figure.reason.empty()) continue;
        table.add({std::string(entry->info().name), std::string(figure.document),
                   in_characters(figure.quantity, options_.ascii),
                   in_characters(figure.figure, options_.ascii),
                   in_characters(figure.reason, options_.ascii)});
      }
    }
    if (!table.empty())
      std::cout << "\nWhere the lectures count differently\n\n" << table.str(table_width());
  }

  void print_differences() const {
    Table table({"algorithm", "N", "scenario", "quantity", "formula", "theory", "measured"});
    table.may_raise_first();
    for (const Row& row : rows_) {
      for (const Measurement& one : row.measured) {
        if (one.agrees()) continue;
        table.add({std::string(row.info->name), std::to_string(row.size),
                   std::string(sim::name_of(one.scenario)), std::string(sim::name_of(one.metric)),
                   std::string(one.formula), text_of(*one.expected), number(one.value)});
      }
    }
    std::cout << table.str(table_width());
  }

  static boost::json::value expected_json(const Measurement& one) {
    return one.expected ? json_of(*one.expected) : boost::json::value(nullptr);
  }

  void print_json() const {
    boost::json::array all;
    for (const Row& row : rows_) {
      boost::json::object one;
      one["algorithm"] = row.info->name;
      one["n"] = row.size;
      bool agrees = true;
      const auto put = [&](const std::string& key, const Measurement* m) {
        one[key] = m == nullptr ? boost::json::value(nullptr) : json_of(m->value);
        one["expected_" + key] = m == nullptr ? boost::json::value(nullptr) : expected_json(*m);
      };
      put("messages_per_entry", row.per_entry(Metric::messages));
      put("messages_enter", row.per_entry(Metric::enter));
      put("messages_exit", row.per_entry(Metric::exit));
      put("client_delay", row.client_delay());
      put("sync_delay", row.sync_delay());
      boost::json::array measured;
      for (const Measurement& m : row.measured) {
        agrees = agrees && m.agrees();
        measured.push_back({{"scenario", sim::name_of(m.scenario)},
                            {"quantity", sim::name_of(m.metric)},
                            {"measured", json_of(m.value)},
                            {"half_width", m.half_width},
                            {"formula", m.formula},
                            {"expected", expected_json(m)},
                            {"agrees", m.agrees()}});
      }
      one["agrees"] = agrees;
      one["measurements"] = std::move(measured);
      all.push_back(std::move(one));
    }
    std::cout << io::json_text(all) << "\n";
  }

  Options options_;
  std::vector<const sim::Entry*> chosen_;
  std::vector<Setup> setups_;
  std::vector<Row> rows_;
  std::size_t differences_ = 0;
};

Kind kind_named(const std::string& typed) {
  if (typed == "mutual-exclusion") return Kind::mutual_exclusion;
  if (typed == "election") return Kind::election;
  throw UsageError("--kind takes mutual-exclusion, election, formulas or layers, not '" + typed +
                   "'" +
                   did_you_mean(typed, {"mutual-exclusion", "election", "formulas", "layers"}));
}

// The algorithms named, or all right ones of the kind.
std::vector<const sim::Entry*> chosen_by(const Options& options, Kind& kind) {
  kind = options.kind.empty() ? Kind::mutual_exclusion : kind_named(options.kind);
  std::vector<const sim::Entry*> chosen;
  for (const std::string& name : options.algorithms) chosen.push_back(&algorithm(name));
  if (!chosen.empty() && options.kind.empty()) kind = chosen.front()->info().kind;
  for (const sim::Entry* entry : chosen) {
    if (entry->info().kind == kind) continue;
    throw UsageError("'" + std::string(entry->info().name) + "' is of the kind " +
                     std::string(name_of(entry->info().kind)) +
                     ", and the others are of the kind " + std::string(name_of(kind)) +
                     "; compare one kind at a time");
  }
  if (!chosen.empty()) return chosen;
  for (const sim::Entry& entry : sim::catalog()) {
    if (entry.info().kind == kind && !entry.info().is_wrong()) chosen.push_back(&entry);
  }
  return chosen;
}

int compare_on_network(const Options& options) {
  if (options.layers || !options.kind.empty() || options.plot.given) {
    throw UsageError("--network excludes --kind, --layers and --svg");
  }
  if (!options.of_group.empty()) {
    throw UsageError(
        options.of_group +
        " cannot be used with --network, which measures groups with the usual parameters");
  }
  return compare_network({options.algorithms,
                          options.sized ? sizes(options.processes) : std::vector<std::int64_t>{3},
                          options.seconds, options.seed, options.json, options.ascii});
}

int compare(const Options& options) {
  if (options.network) return compare_on_network(options);
  if (options.kind == "formulas") {
    if (options.narrowed) throw UsageError("--kind formulas takes neither algorithms nor -n");
    return compare_formulas(options.seed, options.json, options.ascii);
  }
  if (options.layers || options.kind == "layers") {
    return compare_layers({options.algorithms,
                           options.sized ? sizes(options.processes) : std::vector<std::int64_t>{5},
                           options.seed, options.json, options.ascii});
  }
  Kind kind{};
  std::vector<const sim::Entry*> chosen = chosen_by(options, kind);
  std::vector<Setup> setups;
  std::vector<const Info*> infos;
  for (const sim::Entry* entry : chosen) infos.push_back(&entry->info());
  for (const std::int64_t size : sizes(options.processes)) {
    setups.push_back(options.group.setup(size));
    options.group.parameters.apply_to(setups.back(), infos);
  }
  if (kind == Kind::mutual_exclusion) {
    return Compare(options, std::move(chosen), std::move(setups)).run();
  }
  if (kind != Kind::election) {
    const std::string name(chosen.front()->info().name);
    throw UsageError("'" + name +
                     "' observes other algorithms, and has no cost to compare; 'baton "
                     "sim " +
                     name + "' runs it");
  }
  if (!options.group.identities.empty()) {
    throw UsageError(
        "--ids cannot be used with compare, whose situations have identities of their own; "
        "'baton sim' takes it");
  }
  return compare_elections(
      {std::move(chosen), std::move(setups), options.seed, options.json, options.ascii});
}

}  // namespace

void add_compare(Command& app, Action& action) {
  Command& command = app.add_command("compare", "Measure what algorithms cost, beside theory");
  auto options = std::make_shared<Options>();
  command.add_option("ALGORITHMS", options->algorithms, "Only these (default: all)");
  command.add_option("--kind", options->kind,
                     "mutual-exclusion, election, formulas or layers (default: mutual-exclusion)");
  command
      .add_flag("--layers", options->layers,
                "Measure the layers: their cost, and how soon they recover")
      .no_value();
  const Option& network =
      command
          .add_flag("--network", options->network,
                    "Measure real processes on this machine, beside the simulator")
          .no_value();
  command.add_option("--seconds", options->seconds, "--network: how long all ask again and again")
      .between(0.01, 3600.0)
      .needs(network)
      .show_default();
  command
      .add_option("-n,--processes", options->processes,
                  "Size of the group, such as 5 or 2..50; may be repeated")
      .one_value_each()
      .type_name("N|N..M")
      .show_default("10; --network 3, --layers 5");
  command.add_option("--seed", options->seed, "Seed of all random numbers").whole_number();
  command.add_flag("--json", options->json, "Print an array of objects as JSON").no_value();
  command.add_flag("--ascii", options->ascii, "Print 7-bit characters only").no_value();
  options->plot.add_to(command);
  options->group.add_to(command);
  command.example("baton compare -n 10")
      .example("baton compare maekawa raymond -n 2..9 --tree binary")
      .example("baton compare --svg messages.svg")
      .example("baton compare --kind election -n 8")
      .example("baton compare --kind formulas")
      .example("baton compare --layers")
      .example("baton compare --network -n 5 ricart-agrawala suzuki-kasami")
      .footer(
          "Exit code 1: a measured value differs from theory, or a count on the network from the "
          "simulator's.");
  command.callback([&action, &command, options] {
    options->narrowed = command.count("ALGORITHMS") + command.count("--processes") > 0;
    options->sized = command.count("--processes") > 0;
    for (const Option* option : command.options()) {
      if (option->count() > 0 && option->group() == "Group") {
        options->of_group = option->name();
      }
    }
    options->plot.settle(command, options->processes);
    action = [options] { return compare(*options); };
  });
}

}  // namespace baton::cli
