#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <cmath>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cli/algorithms.h"
#include "cli/command.h"
#include "cli/compare_formulas.h"
#include "cli/compare_plot.h"
#include "cli/group_options.h"
#include "cli/numbers.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "sim/measure.h"

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
  std::string kind;
  GroupOptions group;
  PlotOptions plot;
  std::uint64_t seed = 1;
  bool json = false;
  bool ascii = false;
};

std::string text_of(const Expected& expected) {
  if (expected.low == expected.high) return number(expected.low);
  return number(expected.low) + ".." + (std::isinf(expected.high) ? "inf" : number(expected.high));
}

class Compare {
 public:
  explicit Compare(Options options) : options_(std::move(options)) {
    for (const std::string& name : options_.algorithms) {
      chosen_.push_back(&algorithm(name));
      if (chosen_.back()->info().kind == Kind::observation) {
        throw UsageError("'" + name + "' observes, and has no costs to compare; 'baton sim " +
                         name + "' runs it");
      }
    }
    if (chosen_.empty()) {
      for (const sim::Entry& entry : sim::catalog()) {
        const Info& info = entry.info();
        if (info.kind == Kind::mutual_exclusion && !info.is_wrong()) chosen_.push_back(&entry);
      }
    }
    for (const std::int64_t size : sizes(options_.processes)) {
      setups_.push_back(options_.group.setup(size));
    }
  }

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
    std::string measured = number(one->value);
    if (one->half_width > 0) measured += (options_.ascii ? " +-" : " ±") + number(one->half_width);
    row.insert(row.end(), {in_characters(one->formula, options_.ascii),
                           one->expected ? text_of(*one->expected) : "", measured + mark(*one)});
  }

  std::string mark(const Measurement& one) const {
    if (!one.expected) return "";
    if (one.agrees()) return options_.ascii ? " ok" : " ✓";
    return options_.ascii ? " DIFFERS" : " ✗";
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

  // Long formulas and reasons are broken to fit a terminal. A file may be wider, though not without
  // end: people read those too.
  static std::size_t width() { return stdout_is_terminal() ? terminal_width() : 150; }

  void print_for(const std::vector<Row>& group) const {
    using enum Table::Align;
    const std::string n = std::to_string(group.front().size);
    Table messages({"N = " + n, "enter + exit", "theory", "measured", "enter", "theory", "measured",
                    "exit", "theory", "measured"},
                   {left, left, right, right, left, right, right, left, right, right});
    Table delays({"N = " + n, "client delay", "theory", "measured", "serialised",
                  "mean in sequence", "theory", "measured", "sync delay", "theory", "measured"},
                 {left, left, right, right, right, left, right, right, left, right, right});
    Table multicasts({"N = " + n, "with multicast", "theory", "measured"},
                     {left, left, right, right});
    Table load({"N = " + n, "again", "theory", "measured", "everyone at once", "theory", "measured",
                "in sequence", "theory", "measured"},
               {left, left, right, right, left, right, right, left, right, right});
    for (const Row& row : group) {
      std::vector<std::string> cell{std::string(row.info->name)};
      cells(cell, row.per_entry(Metric::messages));
      cells(cell, row.per_entry(Metric::enter));
      cells(cell, row.per_entry(Metric::exit));
      messages.add(cell);

      cell = {std::string(row.info->name)};
      cells(cell, row.client_delay());
      const Measurement* enter = row.get(Scenario::alone, Metric::enter);
      cell.push_back(enter == nullptr ? "-" : number(enter->value));
      cells(cell, row.get(Scenario::sequential, Metric::delay));
      cells(cell, row.sync_delay());
      delays.add(cell);

      cell = {std::string(row.info->name)};
      cells(cell, row.per_entry(Metric::multicast));
      if (row.per_entry(Metric::multicast) != nullptr) multicasts.add(cell);

      cell = {std::string(row.info->name)};
      cells(cell, row.get(Scenario::again, Metric::messages));
      cells(cell, row.get(Scenario::everyone, Metric::messages));
      cells(cell, row.get(Scenario::sequential, Metric::messages));
      load.add(cell);
    }
    std::cout
        << "\nMessages per entry (000, 002), when one process enters and leaves alone; for a "
           "circulating token, when all want it\n\n"
        << messages.str(width())
        << "\nDelays in message times (002, 004): every hop takes 1 and sends of one step go "
           "in parallel;\n'serialised' is 002's model, in which they go one after the "
           "other; 'in sequence' uniformly drawn processes take turns\n\n"
        << delays.str(width())
        << "\nMessages per entry in other situations: the same process again, all at the same "
           "instant,\nuniformly drawn processes one after the other\n\n"
        << load.str(width())
        << "\nTransmissions per entry on a network that can multicast (004)\n\n"
        << multicasts.str(width());
  }

  void print_problems() const {
    Table table({"algorithm", "problem (000, 002)"});
    for (const sim::Entry* entry : chosen_) {
      table.add(
          {std::string(entry->info().name), in_characters(entry->info().problem, options_.ascii)});
    }
    std::cout << "\nWhat each suffers from\n\n" << table.str(width());
  }

  void print_seed_figures() const {
    Table table({"algorithm", "lecture", "quantity", "figure there", "why Baton's differs"});
    for (const sim::Entry* entry : chosen_) {
      for (const SeedFigure& figure : entry->info().seeds) {
        if (figure.reason.empty()) continue;
        table.add({std::string(entry->info().name), std::string(figure.document),
                   in_characters(figure.quantity, options_.ascii),
                   in_characters(figure.figure, options_.ascii),
                   in_characters(figure.reason, options_.ascii)});
      }
    }
    if (!table.empty())
      std::cout << "\nWhere the lectures count differently\n\n" << table.str(width());
  }

  void print_differences() const {
    Table table({"algorithm", "N", "scenario", "quantity", "formula", "theory", "measured"});
    for (const Row& row : rows_) {
      for (const Measurement& one : row.measured) {
        if (one.agrees()) continue;
        table.add({std::string(row.info->name), std::to_string(row.size),
                   std::string(sim::name_of(one.scenario)), std::string(sim::name_of(one.metric)),
                   std::string(one.formula), text_of(*one.expected), number(one.value)});
      }
    }
    std::cout << table.str(width());
  }

  static boost::json::value json_of(const std::optional<Expected>& expected) {
    if (!expected) return nullptr;
    if (expected->low == expected->high) return expected->low;
    return {{"low", expected->low},
            {"high", std::isinf(expected->high) ? boost::json::value(nullptr)
                                                : boost::json::value(expected->high)}};
  }
  static boost::json::value json_of(double value) {
    return std::isnan(value) ? boost::json::value(nullptr) : boost::json::value(value);
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
        one["expected_" + key] = m == nullptr ? boost::json::value(nullptr) : json_of(m->expected);
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
                            {"expected", json_of(m.expected)},
                            {"agrees", m.agrees()}});
      }
      one["agrees"] = agrees;
      one["measurements"] = std::move(measured);
      all.push_back(std::move(one));
    }
    std::cout << boost::json::serialize(all) << "\n";
  }

  Options options_;
  std::vector<const sim::Entry*> chosen_;
  std::vector<Setup> setups_;
  std::vector<Row> rows_;
  std::size_t differences_ = 0;
};

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  auto* command =
      app.add_subcommand("compare", "The field's comparison tables, measured against theory");
  auto options = std::make_shared<Options>();
  command->add_option("algorithms", options->algorithms, "Only these (default: all)");
  command->add_option("-n,--processes", options->processes, "Group sizes: 5 or 2..50; may repeat")
      ->allow_extra_args(false)
      ->capture_default_str();
  command->add_option("--kind", options->kind, "mutual-exclusion (default), formulas");
  command->add_option("--seed", options->seed, "Seed of what is drawn at random")
      ->check(whole_number());
  command->add_flag("--json", options->json, "An array of objects, for programs")
      ->disable_flag_override();
  command->add_flag("--ascii", options->ascii, "7-bit characters only")->disable_flag_override();
  options->plot.add_to(*command);
  options->group.add_to(*command);
  command->footer(
      "Examples:\n  baton compare -n 10\n  baton compare maekawa raymond -n 2..9 --tree binary\n"
      "  baton compare --svg messages.svg\n"
      "  baton compare --kind formulas\n"
      "Exit code 1: a measured value differs from theory.");
  command->callback([&action, command, options] {
    const bool narrowed = command->count("algorithms") + command->count("--processes") > 0;
    options->plot.settle(*command, options->processes);
    action = [options, narrowed] {
      if (options->kind == "formulas") {
        if (narrowed) throw UsageError("--kind formulas takes neither algorithms nor -n");
        return compare_formulas(options->seed, options->json, options->ascii);
      }
      if (!options->kind.empty() && options->kind != "mutual-exclusion") {
        throw UsageError("--kind is mutual-exclusion or formulas, not '" + options->kind + "'" +
                         did_you_mean(options->kind, {"mutual-exclusion", "formulas"}));
      }
      return Compare(*options).run();
    };
  });
}

}  // namespace baton::cli
