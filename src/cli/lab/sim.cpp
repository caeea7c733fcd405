#include <boost/json.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "cli/common/arguments.h"
#include "cli/common/command.h"
#include "cli/common/terminal.h"
#include "cli/common/text.h"
#include "cli/lab/algorithms.h"
#include "cli/lab/sim_election.h"
#include "cli/lab/sim_machine.h"
#include "cli/lab/sim_observation.h"
#include "cli/lab/sim_options.h"
#include "cli/lab/sim_replay.h"
#include "cli/lab/sim_superpeer.h"
#include "cli/lab/trace_output.h"
#include "cli/lab/verdict.h"
#include "io/json_text.h"
#include "lab/sim/plan.h"
#include "lab/sim/resource_oracle.h"
#include "lab/sim/shrink.h"
#include "lab/view/svg.h"

namespace baton::cli {

namespace {

using sim::Plan;
using sim::Report;
using sim::Violation;

// The end of a long run is what shows a violation.
constexpr std::size_t most_rows_of_a_violation = 30;
// A few seconds of simulation are worth a shorter explanation.
constexpr std::uint64_t most_events_of_shrinking = 30'000'000;
// A cut shows where its first process records, long before the pieces are together.
constexpr std::size_t most_rows_of_a_wrong_cut = 80;

class SimCommand {
 public:
  explicit SimCommand(SimOptions options)
      : options_(std::move(options)),
        entry_(algorithm(options_.algorithm)),
        subject_(algorithm_on_layers(options_.algorithm, options_.layers())),
        info_(subject_.info()),
        plan_(options_.plan(info_)),
        run_(with_resources() ? entry_.run_resources : subject_.run),
        judged_((with_resources() ? sim::resource_promises(info_, plan_.setup.acquisition)
                                  : info_.promises) |
                plan_.demands),
        output_(options_, plan_.setup.size) {}

  int run() {
    const Report report = search();
    const Violation* broken = report.broken(judged_);
    if (output_.draws_picture()) refuse_crowded_picture(report);
    if (output_.is_wanted() || broken != nullptr) trace();
    output_.write(trace_);
    if (options_.json) {
      print_json(report, broken);
    } else if (output_.leaves_standard_output()) {
      print(report);
      if (broken != nullptr) print_violation(*broken);
    }
    return broken != nullptr ? exit_violation : exit_ok;
  }

 private:
  bool with_resources() const { return options_.several.are_meant(); }

  // Such a run would only be written down to be refused, and may not even fit in memory.
  static void refuse_crowded_picture(const Report& report) {
    const std::uint64_t events = report.requests + report.messages() + report.deliveries;
    if (events > view::most_svg_events) {
      throw UsageError("--svg draws up to " + grouped(view::most_svg_events) +
                       " events, and this run has more than " + grouped(events - 1) +
                       "; take fewer processes or entries");
    }
  }

  // Runs seed after seed until something demanded is violated.
  Report search() {
    ProgressLine line;
    for (std::uint64_t i = 0;; ++i) {
      plan_.seed = options_.seed + i;
      if (line.is_shown()) {
        plan_.progress = [&](std::uint64_t entries) {
          line.show(std::string(info_.name) + ": " +
                    (options_.seeds > 1 ? "seed " + std::to_string(plan_.seed) + ", " : "") +
                    grouped(entries) + " entries");
        };
      }
      Report report = run_(plan_, nullptr);
      seeds_tried_ = i + 1;
      if (i + 1 >= options_.seeds || report.broken(judged_) != nullptr) {
        return report;
      }
    }
  }

  // The run once more, which is the same run, this time written down.
  void trace() {
    plan_.progress = nullptr;
    trace_.names = options_.names;
    run_(plan_, &trace_);
  }

  void print(const Report& report) const {
    const sim::Layers layers = options_.layers();
    const std::string heading =
        in_characters(info_.title, options_.ascii) +
        (layers == sim::Layers::none ? "" : ", " + std::string(sim::name_of(layers))) + ", " +
        grouped(plan_.setup.size) + " processes, " + several_resources() + "seed " +
        std::to_string(plan_.seed) +
        (seeds_tried_ > 1 ? " (of " + grouped(seeds_tried_) + " tried)" : "");
    std::cout << "\n" << filled(heading, table_width()) << "\n\n";
    Table table({"measured", "", ""});
    const auto row = [&](const std::string& what, const std::string& value,
                         const std::string& remark = "") {
      table.add({what, value, remark});
    };
    if (with_resources()) {
      resource_rows(report, row);
    } else if (info_.kind == Kind::election) {
      add_election_rows(table, report, options_.names, by_type(report));
    } else if (is_observer(info_)) {
      for (auto& cells : observation_rows(report, options_.ascii)) table.add(std::move(cells));
    } else {
      lock_rows(report, row);
    }
    std::cout << table.str(table_width()) << "\n";
    if (report.superpeers) std::cout << superpeer_text(plan_.setup, report, table_width());
    verdicts(report);
  }

  template <class Row>
  void lock_rows(const Report& report, const Row& row) const {
    row("entries", grouped(report.entries), "of " + grouped(report.requests) + " requests");
    row("messages", grouped(report.messages()), by_type(report));
    row("messages per entry", number(report.per_entry(report.messages())),
        number(report.per_entry(report.messages_enter)) + " to enter, " +
            number(report.per_entry(report.messages_exit)) + " to exit; " +
            number(report.per_entry(report.transmissions)) + " with multicast");
    row("bytes per entry", number(report.per_entry(report.bytes)), "");
    if (report.upkeep > 0) {
      row("upkeep", grouped(report.upkeep), "messages of the layers, counted apart");
    }
    if (info_.survives_crashes) {
      row("taken away", grouped(report.losses), "times, from a process that was inside");
      row("fenced accesses", grouped(report.accesses),
          grouped(report.refused) + " refused for an outdated fencing token");
    }
    if (info_.survives_crashes && report.zombies > 0) {
      row("zombies", grouped(report.zombies),
          "entries while a paused process believed that it was inside");
    }
    if (report.lost + report.duplicated > 0) {
      row("lost, duplicated", grouped(report.lost) + ", " + grouped(report.duplicated), "");
    }
    const auto delay = [&](const std::string& what, const sim::Summary& summary,
                           const std::string& meaning) {
      if (summary.count == 0) return;
      row(what, number(summary.mean()),
          "message times (" + number(summary.min) + " to " + number(summary.max) + ") " + meaning);
    };
    delay("client delay", report.client_delay, "to enter when nobody else wants to");
    delay("synchronisation delay", report.sync_delay, "from an exit to the next entry");
    delay("waiting", report.waiting, "from request to entry");
    row("throughput", number(report.throughput()), "entries per message time");
    row("load", number(report.mean_load) + " mean",
        grouped(report.busiest_load) + " at the busiest, process " +
            std::to_string(report.busiest.value));
    row("most bypassed", grouped(report.most_bypassed), "entries of others during one wait");
    row("order inversions", report.order_judged ? grouped(report.inversions) : "not judged",
        report.order_judged ? "entries ahead of a request that happened before"
                            : "group too large");
  }

  std::string several_resources() const {
    if (!with_resources()) return "";
    return grouped(plan_.setup.resources) + " resources acquired by strategy " +
           std::string(name_of(plan_.setup.acquisition)) + ", ";
  }

  template <class Row>
  void resource_rows(const Report& report, const Row& row) const {
    row("entries", grouped(report.entries),
        "with all that was wanted, of " + grouped(report.requests) + " requests");
    row("messages", grouped(report.messages()), by_type(report));
    row("messages per entry", number(report.per_entry(report.messages())));
    if (report.waiting.count > 0) {
      row("waiting", number(report.waiting.mean()),
          "message times (" + number(report.waiting.min) + " to " + number(report.waiting.max) +
              ") from request to entry");
    }
    row("throughput", number(report.throughput()), "entries per message time");
    row("most at once", grouped(report.most_inside), "processes that held all they wanted");
    if (plan_.setup.acquisition == Acquisition::detect) {
      row("refused", grouped(report.refusals), "requests that would have closed a cycle");
    }
    row("most bypassed", grouped(report.most_bypassed), "entries of others during one wait");
  }

  std::string by_type(const Report& report) const {
    std::string text;
    for (const sim::MessageType& type : report.by_type) {
      if (type.count == 0) continue;
      text += (text.empty() ? "" : ", ") + grouped(type.count) + " " + std::string(type.name);
    }
    return text;
  }

  void verdicts(const Report& report) const {
    if (report.stalled) {
      std::cout << filled(
                       (options_.ascii ? "note    " : "• ") +
                           std::string("those who wait cannot reach a majority of the ") +
                           std::to_string(plan_.setup.size) +
                           " configured processes, or not all of it: they stop rather than guess",
                       table_width(), 2)
                << "\n";
    }
    for (const Promise promise : all_promises) {
      Verdict verdict{.promise = promise, .judged = judged_.has(promise)};
      if (const Violation* violation = report.violated(promise)) {
        verdict.broken = "at " + number(in_message_times(violation->at)) + ": " + violation->what;
      }
      if (promise == Promise::order && !report.order_judged) {
        verdict.unseen = "the group is too large";
      }
      std::cout << line_of(verdict, options_.ascii);
    }
  }

  void print_violation(const Violation& broken) {
    if (options_.trace.empty()) {
      const std::size_t most_rows =
          is_observer(info_) ? most_rows_of_a_wrong_cut : most_rows_of_a_violation;
      if (options_.seeds > 1 && !with_resources()) {
        print_shrunk(broken.promise, most_rows);
      } else {
        std::cout << "\nHow it came about:\n\n" << output_.diagram(trace_, most_rows);
      }
    }
    const std::string seed = std::to_string(plan_.seed);
    std::cout << "\n"
              << filled(std::string(sim::name_of(broken.promise)) + " is broken with seed " + seed +
                            "; add --seed " + seed + " --trace json -o FILE for the whole trace",
                        table_width())
              << "\n";
  }

  // What was found by searching may be long; a shorter run that fails alike explains more.
  void print_shrunk(Promise promise, std::size_t most_rows) {
    const bool keep_size =
        options_.group.parameters.depend_on_size(info_) ||
        std::any_of(options_.given.begin(), options_.given.end(), [](const std::string& option) {
          for (const char* fixed : {"--voting", "--ids", "--graph", "--capacities", "--names"}) {
            if (option == fixed) return true;
          }
          return false;
        });
    Plan quiet = plan_;
    quiet.progress = nullptr;
    std::uint64_t events_left = most_events_of_shrinking;
    const auto fails = [&](const Plan& plan) {
      if (events_left == 0) return false;
      const Report report = run_(plan, nullptr);
      events_left -= std::min(events_left, report.events);
      return report.violated(promise) != nullptr;
    };
    const Plan shortest = sim::shrink(quiet, info_, fails, keep_size);
    trace_ = {};
    trace_.names = options_.names;
    run_(shortest, &trace_);
    std::cout << "\nHow it came about, in the shortest run found that fails alike:\n\n"
              << output_.diagram(trace_, most_rows) << "\nbaton sim " << options_.algorithm << " "
              << sim::options_of(shortest, info_, options_.layers());
    for (const std::string& option : options_.given) {
      if (option == "--omit") std::cout << " --omit " << options_.omission;
      if (option == "--voting") std::cout << " --voting " << options_.group.voting;
    }
    std::cout << options_.group.parameters.text() << "\n";
  }

  static boost::json::array nodes_or_null(const std::vector<NodeId>& nodes) {
    boost::json::array all;
    for (const NodeId node : nodes) {
      all.push_back(node == nobody ? boost::json::value(nullptr) : boost::json::value(node.value));
    }
    return all;
  }

  void print_json(const Report& report, const Violation* broken) const {
    boost::json::object all;
    all["algorithm"] = info_.name;
    all["n"] = plan_.setup.size;
    all["seed"] = plan_.seed;
    all["seeds_tried"] = seeds_tried_;
    add_messages(all, report);
    add_times(all, report);
    if (with_resources()) {
      all["resources"] = plan_.setup.resources;
      all["strategy"] = name_of(plan_.setup.acquisition);
      all["refusals"] = report.refusals;
      all["most_inside"] = report.most_inside;
    }
    if (info_.kind == Kind::election) {
      all["leaders"] = nodes_or_null(report.leaders);
      all["returned"] = report.returned;
      if (!report.parents.empty()) all["parents"] = nodes_or_null(report.parents);
      if (report.superpeers) {
        all["superpeers"] = superpeer_json(*report.superpeers);
        all["superpeers_before"] = superpeer_json(*report.superpeers_before);
      }
    }
    if (is_observer(info_)) add_observation(all, report);
    all["ended"] = in_message_times(report.ended);
    boost::json::array violations;
    for (const Violation& violation : report.violations) {
      violations.push_back({{"promise", sim::name_of(violation.promise)},
                            {"promised", info_.promises.has(violation.promise)},
                            {"at", in_message_times(violation.at)},
                            {"what", violation.what}});
    }
    all["violations"] = std::move(violations);
    all["verdict"] = broken == nullptr ? "kept" : "broken";
    std::cout << io::json_text(all) << "\n";
  }

  void add_messages(boost::json::object& all, const Report& report) const {
    all["requests"] = report.requests;
    all["entries"] = report.entries;
    all["messages"] = report.messages();
    all["messages_per_entry"] = report.per_entry(report.messages());
    all["messages_enter"] = report.per_entry(report.messages_enter);
    all["messages_exit"] = report.per_entry(report.messages_exit);
    all["transmissions_per_entry"] = report.per_entry(report.transmissions);
    boost::json::object types;
    for (const sim::MessageType& type : report.by_type) types[type.name] = type.count;
    all["by_type"] = std::move(types);
    all["bytes_per_entry"] = report.per_entry(report.bytes);
    all["deliveries"] = report.deliveries;
    all["lost"] = report.lost;
    all["upkeep"] = report.upkeep;
    if (info_.survives_crashes) {
      all["taken_away"] = report.losses;
      all["accesses"] = report.accesses;
      all["refused"] = report.refused;
      all["zombies"] = report.zombies;
      all["stalled"] = report.stalled;
    }
    all["duplicated"] = report.duplicated;
  }

  static void add_times(boost::json::object& all, const Report& report) {
    const auto summary = [](const sim::Summary& s) -> boost::json::value {
      if (s.count == 0) return nullptr;
      return {{"mean", s.mean()}, {"min", s.min}, {"max", s.max}, {"count", s.count}};
    };
    all["client_delay"] = summary(report.client_delay);
    all["sync_delay"] = summary(report.sync_delay);
    all["waiting"] = summary(report.waiting);
    all["throughput"] = report.throughput();
    all["load_mean"] = report.mean_load;
    all["load_busiest"] = report.busiest_load;
    all["busiest"] = report.busiest.value;
    all["most_bypassed"] = report.most_bypassed;
    all["inversions"] =
        report.order_judged ? boost::json::value(report.inversions) : boost::json::value(nullptr);
    all["processes_touched"] = report.processes_touched;
  }

  SimOptions options_;
  const sim::Entry& entry_;
  const sim::Runnable& subject_;
  const Info& info_;
  Plan plan_;
  Report (*run_)(const Plan&, Trace*);
  Promises judged_;  // promised or demanded
  TraceOutput output_;
  Trace trace_;
  std::uint64_t seeds_tried_ = 0;
};

}  // namespace

void add_sim(Command& app, Action& action) {
  Command& command = app.add_command("sim", "Simulate an algorithm: figures, verdicts, a diagram");
  auto options = std::make_shared<SimOptions>();
  options->add_to(command);
  for (const char* line :
       {"baton sim ricart-agrawala -n 3 --trace",
        "baton sim maekawa -n 3 --demand deadlock-freedom",
        "baton sim lamport --delay exponential --reorder --allow reordering --seeds 100",
        "baton sim bakery -n 2 --entries 2 --trace", "baton sim chandy-lamport -n 3 --trace",
        "baton sim bully -n 5 --first 0 --crash 4@0 --trace",
        "baton sim token-ring --resilient --crash 2@40 --recover 2@90 --loss 0.2",
        "baton sim wireless -n 4 --first 0 --graph 0-1,1-2,2-3,3-0 --capacities 4,7,1,9",
        "baton sim superpeer -n 100 --superpeers 8 --cap 15 --places corner --first 0",
        "baton sim ricart-agrawala -n 2 --resources 2 --strategy naive",
        "baton sim --replay counterexample.jsonl"}) {
    command.example(line);
  }
  command.footer(
      "Times are in message times: a message takes 1, unless --delay says otherwise.\n\n"
      "Exit code 1: a promise was broken.\n\n"
      "--allow takes " +
      listed(breakable_assumption_names()) +
      ".\n\n"
      "--demand takes " +
      listed(promise_names()) +
      ".\n\n"
      "--omit takes " +
      listed(omission_names()) + "; docs/layers.md shows what each rule is for.");
  command.callback([&action, &command, options] {
    options->note_given(command);
    action = [options] {
      if (options->was_given("--replay")) return sim_replay(*options);
      if (options->algorithm.empty()) {
        throw UsageError("say which algorithm; 'baton list' shows them all");
      }
      const CatalogedMachine* in_shared_memory = machine(options->algorithm);
      return in_shared_memory != nullptr ? sim_machine(*options, *in_shared_memory)
                                         : SimCommand(*options).run();
    };
  });
}

}  // namespace baton::cli
