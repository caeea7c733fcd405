#include <fmt/format.h>

#include <array>
#include <boost/json.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cli/common/arguments.h"
#include "cli/common/command.h"
#include "cli/common/output_file.h"
#include "cli/common/terminal.h"
#include "cli/common/text.h"
#include "cli/lab/algorithms.h"
#include "cli/lab/check_options.h"
#include "cli/lab/check_registry.h"
#include "cli/lab/check_text.h"
#include "cli/lab/search_interrupt.h"
#include "cli/lab/trace_output.h"
#include "io/json_text.h"
#include "lab/check/catalog.h"
#include "lab/check/lease_rules.h"
#include "lab/sim/replay.h"
#include "lab/view/schedule_file.h"

namespace baton::cli {

namespace {

using check::Finding;
using check::Report;

class CheckCommand {
 public:
  explicit CheckCommand(const CheckCommandOptions& options)
      : options_(options), saved_(options.save) {}

  int run() {
    if (!options_.save.empty() && sim::find(options_.algorithm) == nullptr) {
      chosen();  // says what is wrong, if there is no such algorithm
      throw UsageError("--save cannot be used with '" + options_.algorithm +
                       "', which 'baton sim' cannot run");
    }
    const SearchInterrupt interrupt;
    int code = exit_ok;
    for (const check::Checkable* subject : chosen()) {
      const int one = SearchInterrupt::has_come() ? exit_undecided : run(*subject);
      if (code != exit_violation && one != exit_ok) code = one;
    }
    return code;
  }

 private:
  int run(const check::Checkable& subject) {
    const check::Bounds bounds = options_.bounds(subject);
    TraceOutput output(options_.drawing, bounds.setup.size);
    warn_if_large(subject, bounds);
    const Report report = search(subject, bounds);
    const Finding* broken = report.broken();
    if (options_.json) {
      std::cout << io::json_text(json_of(subject.info(), bounds, report)) << "\n";
    } else if (output.leaves_standard_output()) {
      std::cout << text_of(subject.info(), bounds, report, options_.drawing.ascii);
    }
    if (broken != nullptr) show(subject, *broken, output);
    return exit_code(report);
  }

  // Of most there is one.
  std::vector<const check::Checkable*> chosen() const {
    if (options_.algorithm == check::membership().info().name) return {&check::membership()};
    if (options_.algorithm == check::lease().info().name) return chosen_leases();
    for (const check::Checkable& machine : check::machines()) {
      if (machine.info().name == options_.algorithm) return {&machine};
    }
    const check::Entry* entry = check::find(options_.algorithm);
    if (entry == nullptr) algorithm(options_.algorithm);  // says what is wrong
    const check::Checkable& found = entry->with(options_.layers());
    if (found.check == nullptr) algorithm_on_layers(options_.algorithm, options_.layers());
    return {&found};
  }
  std::vector<const check::Checkable*> chosen_leases() const {
    if (options_.servers == 1) return {&check::lease()};
    if (options_.servers == 2) return {&check::lease_takeover()};
    if (!options_.omission.empty()) return {&check::lease_without(options_.lease_rule())};
    return {&check::lease(), &check::lease_takeover()};
  }

  // A large group may be too large. How many states it has can be guessed from smaller ones.
  void warn_if_large(const check::Checkable& subject, const check::Bounds& bounds) const {
    const bool is_guessed = bounds.setup.size > 3 && &subject != &check::lease_takeover();
    if (!is_guessed || options_.json) return;
    check::CheckOptions probe = options_.search(subject.info());
    const std::uint64_t memory = probe.explore.memory;
    probe.liveness = false;
    probe.explore.interrupted = SearchInterrupt::flag();
    probe.explore.most_states = 200'000;
    std::array<double, 2> states{};
    for (std::uint32_t i = 0; i < states.size(); ++i) {
      try {
        const Report small = subject.check(options_.bounds(subject, i + 2), probe);
        states[i] = static_cast<double>(small.safety.distinct);
      } catch (const UsageError&) {
        return;  // there is no smaller group like it
      }
    }
    // Each process more multiplies the states, and by more than the one before.
    double guess = states[1];
    double factor = states[1] / states[0];
    for (std::uint32_t size = 4; size <= bounds.setup.size; ++size) guess *= factor *= 1.5;
    constexpr double bytes_per_state = 50;
    if (guess * bytes_per_state < static_cast<double>(memory)) return;
    tell(
        fmt::format("baton check: expect about {:.0e} states, since 3 processes have {}{:.0f}; "
                    "memory is enough "
                    "for {:.0e}, where the search will end",
                    guess, states[1] > 200'000 ? "over " : "", states[1],
                    static_cast<double>(memory) / bytes_per_state));
  }

  Report search(const check::Checkable& subject, const check::Bounds& bounds) const {
    check::CheckOptions search = options_.search(subject.info());
    search.explore.interrupted = SearchInterrupt::flag();
    ProgressLine line;
    if (line.is_shown()) {
      search.explore.progress = [&](const check::Progress& progress) {
        line.show(progress_of(progress));
      };
    }
    return subject.check(bounds, search);
  }

  // The run itself, drawn, or told where no host can follow it.
  void show(const check::Checkable& subject, const Finding& broken, TraceOutput& output) {
    const Info& info = subject.info();
    const bool is_membership = info.name == check::membership().info().name;
    if (!is_membership && sim::find(options_.algorithm) == nullptr) {
      if (!options_.json) std::cout << "\n" << steps_of(broken) << "\n" << verdict_of(broken);
      return;
    }
    Schedule schedule;
    schedule.algorithm = options_.algorithm;
    schedule.arguments = options_.arguments(info);
    schedule.verdict = broken.property + ": " + broken.what;
    schedule.steps = broken.steps;
    schedule.loop = broken.loop;
    if (saved_) {
      saved_.replace([&](std::ostream& out) { out << view::write_schedule(schedule); });
    }
    const Setup setup = options_.bounds(subject).setup;
    sim::Replayed replayed = is_membership
                                 ? sim::replay_membership(setup, schedule)
                                 : algorithm_on_layers(options_.algorithm, options_.layers())
                                       .replay(setup, {}, schedule);
    replayed.trace.names = options_.drawing.names;
    output.write(replayed.trace);
    if (options_.json || !output.leaves_standard_output()) return;
    if (options_.drawing.trace.empty()) {
      std::cout << "\n" << output.diagram(replayed.trace);
      std::cout << "\n" << verdict_of(broken);
      if (replayed.error) {
        std::cout << filled("The simulator could not follow it: " + replayed.error->message(),
                            table_width(), 2)
                  << "\n";
      }
    }
    if (saved_) std::cout << "Again: baton sim --replay " << options_.save << "\n";
  }

  static std::string verdict_of(const Finding& broken) {
    std::string text = broken.property + " is broken: " + broken.what;
    if (broken.length() > 0) text += ", after " + std::to_string(broken.length()) + " steps";
    text = filled(text + ".", table_width()) + "\n";
    if (broken.loop) {
      text += "Steps " + std::to_string(*broken.loop + 1) + " to " +
              std::to_string(broken.length()) + " can repeat for ever.\n";
    }
    return text;
  }

  const CheckCommandOptions& options_;
  OutputFile saved_;
};

}  // namespace

void add_check(Command& app, Action& action) {
  Command& command = app.add_command(
      "check",
      "Check every state that a small group can reach\n\n"
      "Without ALGORITHM: check all algorithms, which takes minutes. Ctrl-C ends the "
      "search and prints what was found until then.");
  command.example("baton check ricart-agrawala")
      .example("baton check maekawa --demand deadlock-freedom --save run.jsonl")
      .example("baton check lease --omit leader-proof")
      .footer(
          "Exit codes: 1 a property is broken; 3 nothing is broken in what was searched, and that "
          "was not all.\n\n"
          "--demand takes " +
          listed(promise_names()) +
          ".\n\n"
          "--omit takes one of the rules of the resilient layer, " +
          listed(omission_names()) + "; and with lease one of the rules of leases, " +
          listed(lease_rule_names()) +
          ".\n\n"
          "--compact needs less memory, and misses states with a small probability that the "
          "result says.");
  const auto options = std::make_shared<CheckCommandOptions>();
  options->add_to(command);
  command.callback([&command, options, &action] {
    options->note_given(command);
    action = [options] {
      if (options->algorithm.empty()) return check_registry(*options);
      return CheckCommand(*options).run();
    };
  });
}

}  // namespace baton::cli
