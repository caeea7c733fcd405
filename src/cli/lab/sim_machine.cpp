#include "cli/lab/sim_machine.h"

#include <algorithm>
#include <boost/json.hpp>
#include <iostream>

#include "cli/common/command.h"
#include "cli/common/output_file.h"
#include "cli/common/terminal.h"
#include "cli/common/text.h"
#include "cli/lab/algorithms.h"
#include "cli/lab/schedule.h"
#include "cli/lab/verdict.h"
#include "io/json_text.h"
#include "lab/sim/plan.h"

namespace baton::cli {

namespace {

constexpr std::size_t most_lines_of_a_violation = 60;
constexpr std::size_t most_lines_on_the_terminal = 1'000;
constexpr std::size_t most_lines_in_a_file = 1'000'000;

struct Broken {
  Promise promise{};
  std::uint64_t step = 0;  // where it shows
  std::string what;
};

class MachineCommand {
 public:
  MachineCommand(const SimOptions& options, const CatalogedMachine& machine)
      : options_(options), machine_(machine), info_(machine.info()) {
    refuse_other_options();
    check_trace_options();
    plan();
    judged_ = info_.promises | options_.demands();
  }

  int run() {
    OutputFile file(options_.output);
    search();
    const Broken* broken = worst();
    if (broken != nullptr || !options_.trace.empty()) keep_schedule(broken);
    if (broken != nullptr && broken->promise == Promise::safety) name_the_two();
    if (file) {
      file.replace([&](std::ostream& out) {
        const std::size_t all = report_.schedule.size();
        out << text_of(report_.schedule, window(0, std::min(all, most_lines_in_a_file)));
      });
    }
    if (options_.json) {
      print_json(broken);
    } else {
      if (!options_.trace.empty() && !file) print_trace(broken);
      print();
      if (broken != nullptr) print_violation(*broken);
    }
    return broken != nullptr ? exit_violation : exit_ok;
  }

 private:
  void refuse_other_options() const {
    const std::vector<std::string> known{
        "ALGORITHM", "--processes", "--seed",  "--seeds", "--entries",         "--demand",
        "--trace",   "--output",    "--ascii", "--json",  "--starvation-bound"};
    for (const std::string& given : options_.given) {
      if (std::find(known.begin(), known.end(), given) != known.end()) continue;
      throw UsageError(given + " cannot be used with " + std::string(info_.name) +
                       ", which works in shared memory under a random scheduler");
    }
  }

  void check_trace_options() const {
    if (options_.trace.empty()) {
      if (!options_.output.empty()) throw UsageError("--output needs --trace");
      return;
    }
    if (options_.trace != "diagram") {
      throw UsageError("a run in shared memory has no messages to export as '" + options_.trace +
                       "'; --trace alone shows its schedule");
    }
    if (options_.json && options_.output.empty()) {
      throw UsageError("--json and --trace would both write to standard output; add -o FILE");
    }
  }

  void plan() {
    constexpr std::int64_t largest_group = 1'000;
    const std::int64_t size = group_size(options_.processes);
    if (size < 2) throw UsageError("a group has at least 2 processes, not " + std::to_string(size));
    if (size > largest_group) {
      throw UsageError("a group in shared memory has at most " + grouped(largest_group) +
                       " processes");
    }
    run_.processes = static_cast<std::uint32_t>(size);
    run_.entries_per_process =
        options_.entries == 0 ? 10 : (options_.entries - 1) / run_.processes + 1;

    // While one process gets in, each of the others polls each of the others: about N² steps.
    const auto squared = static_cast<double>((size + 4) * (size + 4));
    const double steps =
        static_cast<double>(run_.entries_per_process) * static_cast<double>(size) * squared;
    constexpr double most_work = 5e10;  // each step looks at every process
    if (steps * static_cast<double>(size) > most_work) {
      throw UsageError("this run would take about " + grouped(static_cast<std::uint64_t>(steps)) +
                       " steps; take fewer processes or fewer --entries");
    }
    constexpr double patience = 20;
    run_.max_steps = static_cast<std::uint64_t>(patience * steps);
    starvation_bound_ =
        options_.starvation_bound > 0 ? options_.starvation_bound : 100 + 20 * run_.processes;
  }

  // Runs seed after seed until something demanded is broken.
  void search() {
    ProgressLine line;
    for (std::uint64_t i = 0;; ++i) {
      run_.seed = options_.seed + i;
      line.show(std::string(info_.name) + ": seed " + std::to_string(run_.seed));
      report_ = machine_.run(run_);
      seeds_tried_ = i + 1;
      judge();
      if (i + 1 >= options_.seeds || worst() != nullptr) return;
    }
  }

  void judge() {
    broken_.clear();
    if (report_.violated_step) {
      broken_.push_back({Promise::safety, *report_.violated_step, "two processes are inside"});
    }
    if (!report_.finished) {
      broken_.push_back({Promise::deadlock_freedom, report_.steps,
                         "only " + grouped(report_.entries) + " entries in all this time"});
    }
    if (report_.longest_wait_entries > starvation_bound_) {
      broken_.push_back({Promise::starvation_freedom, report_.longest_wait_step,
                         "one process waited while others entered " +
                             grouped(report_.longest_wait_entries) + " times"});
    }
    if (report_.inverted_step) {
      broken_.push_back({Promise::order, *report_.inverted_step,
                         "a process entered ahead of one that waited before it came"});
    }
  }

  const Broken* broken(Promise promise) const {
    const auto found = std::find_if(broken_.begin(), broken_.end(),
                                    [&](const Broken& one) { return one.promise == promise; });
    return found == broken_.end() ? nullptr : &*found;
  }

  // The first of the broken promises that matters.
  const Broken* worst() const {
    for (const Promise promise : all_promises) {
      if (judged_.has(promise) && broken(promise) != nullptr) return broken(promise);
    }
    return nullptr;
  }

  // The run once more, which is the same run, this time written down: up to what it shows.
  void keep_schedule(const Broken* broken) {
    MachineRun again = run_;
    again.keep_schedule = true;
    again.max_steps = std::min<std::uint64_t>(report_.steps, most_lines_in_a_file);
    if (broken != nullptr) again.max_steps = broken->step;
    report_.schedule = machine_.run(again).schedule;
  }

  void name_the_two() {
    for (Broken& one : broken_) {
      if (one.promise != Promise::safety) continue;
      std::vector<Section> sections(run_.processes, Section::outside);
      const NodeId entering = report_.schedule.back().process;
      for (const MachineStep& step : report_.schedule) sections[step.process.value] = step.then;
      for (std::uint32_t i = 0; i < run_.processes; ++i) {
        if (NodeId{i} != entering && sections[i] == Section::inside) {
          one.what = std::to_string(entering.value) + " entered while " + std::to_string(i) +
                     " was inside";
        }
      }
    }
  }

  ScheduleView window(std::size_t first, std::size_t last) const {
    return {run_.processes, first, last, diagram_width(), options_.ascii};
  }

  ScheduleView on_screen(std::size_t first, std::size_t last) const {
    ScheduleView view = window(first, last);
    view.longest_line = table_width();
    return view;
  }

  // A violation is at the end of its schedule; otherwise the beginning is as good as any part.
  void print_trace(const Broken* broken) const {
    const std::size_t all = report_.schedule.size();
    const std::size_t shown = std::min(all, most_lines_on_the_terminal);
    if (broken != nullptr) {
      print_end(shown);
      return;
    }
    std::cout << text_of(report_.schedule, on_screen(0, shown));
    if (shown < report_.steps) {
      std::cout << "the first " << grouped(shown) << " of " << grouped(report_.steps)
                << " steps; add -o FILE for more\n";
    }
  }

  void print_end(std::size_t lines) const {
    const std::size_t all = report_.schedule.size();
    const std::size_t first = all > lines ? all - lines : 0;
    if (first > 0) {
      std::cout << grouped(first) << " steps before; add --trace -o FILE for all\n";
    }
    std::cout << text_of(report_.schedule, on_screen(first, all));
  }

  void print() const {
    std::cout << "\n"
              << in_characters(info_.title, options_.ascii) << ", " << grouped(run_.processes)
              << " processes, seed " << run_.seed
              << (seeds_tried_ > 1 ? " (of " + grouped(seeds_tried_) + " tried)" : "") << "\n\n";
    Table table({"measured", "", ""});
    table.add({"entries", grouped(report_.entries),
               grouped(run_.entries_per_process) + " asked of each process"});
    table.add({"steps", grouped(report_.steps), "each at most one access to a shared register"});
    table.add({"steps per entry", number(report_.steps_per_entry())});
    table.add({"longest wait", grouped(report_.longest_wait_entries),
               "entries of others while one process waited"});
    table.add({"order inversions", grouped(report_.inversions),
               "entries ahead of one that waited before they came"});
    std::cout << table.str(table_width()) << "\n";
    for (const Promise promise : all_promises) {
      const Broken* one = broken(promise);
      std::cout << line_of(
          {.promise = promise,
           .judged = judged_.has(promise),
           .broken = one == nullptr ? "" : "at step " + grouped(one->step) + ": " + one->what},
          options_.ascii);
    }
  }

  void print_violation(const Broken& broken) const {
    if (options_.trace.empty()) {
      std::cout << "\nHow it came about:\n\n";
      print_end(most_lines_of_a_violation);
    }
    const std::string seed = std::to_string(run_.seed);
    std::cout << "\n"
              << filled(std::string(sim::name_of(broken.promise)) + " is broken with seed " + seed +
                            "; add --seed " + seed + " --trace -o FILE for the whole schedule",
                        table_width())
              << "\n";
  }

  void print_json(const Broken* worst) const {
    boost::json::object all;
    all["algorithm"] = info_.name;
    all["n"] = run_.processes;
    all["seed"] = run_.seed;
    all["seeds_tried"] = seeds_tried_;
    all["entries"] = report_.entries;
    all["steps"] = report_.steps;
    all["steps_per_entry"] = report_.steps_per_entry();
    all["longest_wait_entries"] = report_.longest_wait_entries;
    all["inversions"] = report_.inversions;
    boost::json::array violations;
    for (const Broken& one : broken_) {
      violations.push_back({{"promise", sim::name_of(one.promise)},
                            {"promised", info_.promises.has(one.promise)},
                            {"at_step", one.step},
                            {"what", one.what}});
    }
    all["violations"] = std::move(violations);
    all["verdict"] = worst == nullptr ? "kept" : "broken";
    std::cout << io::json_text(all) << "\n";
  }

  const SimOptions& options_;
  const CatalogedMachine& machine_;
  const Info& info_;
  MachineRun run_;
  Promises judged_;
  std::uint64_t starvation_bound_ = 0;
  MachineReport report_;
  std::vector<Broken> broken_;
  std::uint64_t seeds_tried_ = 0;
};

}  // namespace

int sim_machine(const SimOptions& options, const CatalogedMachine& machine) {
  return MachineCommand(options, machine).run();
}

}  // namespace baton::cli
