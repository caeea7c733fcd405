#include "cli/lab/sim_replay.h"

#include <algorithm>
#include <boost/json.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "cli/common/arguments.h"
#include "cli/common/command.h"
#include "cli/common/terminal.h"
#include "cli/common/text.h"
#include "cli/lab/algorithms.h"
#include "cli/lab/trace_output.h"
#include "core/schedule.h"
#include "core/text.h"
#include "io/json_text.h"
#include "lab/sim/replay.h"
#include "lab/view/schedule_file.h"

namespace baton::cli {

namespace {

// All processes of a replay are there from the beginning, each with what it knows of all others.
constexpr std::uint32_t most_replayed_processes = 1000;

bool is_one_of(const std::string& name, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class ReplayCommand {
 public:
  explicit ReplayCommand(const SimOptions& typed) : typed_(typed) {}

  int run() {
    refuse_other_options();
    const Schedule schedule = read();
    const sim::Replayed replayed = follow(schedule);
    // Nothing is known of a run that could not be followed to its end.
    if (replayed.error) {
      throw about_line(replayed.error->step + 1, replayed.error->message());
    }
    output(schedule, replayed);
    return replayed.found.empty() ? exit_ok : exit_violation;
  }

 private:
  void refuse_other_options() const {
    const std::vector<std::string> known{"ALGORITHM", "--replay", "--trace", "--output",
                                         "--svg",     "--names",  "--ascii", "--json"};
    for (const std::string& given : typed_.given) {
      if (is_one_of(given, known)) continue;
      throw UsageError(given + " cannot be used with --replay: the file describes the whole run");
    }
  }

  // What comes from the file may hold anything.
  UsageError about_line(std::size_t line, const std::string& what) const {
    return UsageError{typed_.replay + ": line " + std::to_string(line) + ": " +
                      text::printable(what, typed_.ascii)};
  }

  Schedule read() const {
    errno = 0;
    std::ifstream file(typed_.replay, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    // A folder can be opened, and only reading it fails.
    if (!file || errno != 0) {
      throw UsageError("cannot read '" + typed_.replay + "': " + std::strerror(errno));
    }
    auto schedule = view::read_schedule(text.view());
    if (const auto* error = std::get_if<view::LineError>(&schedule)) {
      throw about_line(error->line, error->what);
    }
    return std::get<Schedule>(std::move(schedule));
  }

  sim::Replayed follow(const Schedule& schedule) {
    if (!typed_.algorithm.empty() && typed_.algorithm != schedule.algorithm) {
      throw UsageError("the file is a run of " + text::printable(schedule.algorithm, typed_.ascii) +
                       ", not of " + typed_.algorithm);
    }
    const sim::Runnable* subject = nullptr;
    sim::Plan plan;
    SimOptions described;
    try {
      described = options_of(schedule);
      if (group_size(described.processes) > most_replayed_processes) {
        throw UsageError("a replay has at most " + grouped(most_replayed_processes) +
                         " processes, not " + described.processes);
      }
      subject = &algorithm_on_layers(schedule.algorithm, described.layers());
      plan = described.plan(subject->info());
    } catch (const UsageError& error) {
      throw about_line(1, error.what());
    }
    // The names are not the file's; this says what is wrong with them.
    described.names = typed_.names;
    described.plan(subject->info());
    is_judged_ = subject->info().kind != Kind::observation;
    output_.emplace(typed_, plan.setup.size);
    sim::Replayed replayed = subject->replay(plan.setup, {}, schedule);
    replayed.trace.seed = plan.seed;
    replayed.trace.names = typed_.names;
    return replayed;
  }

  // The header's arguments, read as if they had been typed.
  static SimOptions options_of(const Schedule& schedule) {
    Command app("", "");
    app.without_help();
    SimOptions options;
    options.add_to(app);
    try {
      app.parse(schedule.arguments);
    } catch (const ArgumentError& error) {
      const bool is_unknown = error.kind() == ArgumentError::Kind::unexpected;
      throw UsageError(is_unknown ? "unknown argument '" + app.unexpected().front() + "'"
                                  : error.what());
    }
    options.note_given(app);
    for (const Option* option : app.options()) {
      if (option->count() == 0 || describes_a_group(*option)) continue;
      throw UsageError("'" + option->name() + "' is no argument of a schedule");
    }
    options.algorithm = schedule.algorithm;
    options.is_of_a_file = true;
    return options;
  }

  // A file has no say in what is drawn, or where that is written.
  static bool describes_a_group(const Option& option) {
    return is_one_of(option.group(), {"Group", "Layers"}) ||
           is_one_of(option.name(), {"--processes", "--seed", "--timeout"});
  }

  void output(const Schedule& schedule, const sim::Replayed& replayed) {
    output_->write(replayed.trace);
    if (typed_.json) {
      print_json(schedule, replayed);
      return;
    }
    if (!output_->leaves_standard_output()) return;
    if (typed_.trace.empty()) std::cout << output_->diagram(replayed.trace);
    const auto say = [](const std::string& heading, const std::string& text) {
      std::cout << heading << filled(text, table_width(), heading.size()) << "\n";
    };
    std::cout << "\n";
    say("The schedule claims: ",
        schedule.verdict.empty() ? "nothing" : text::printable(schedule.verdict, typed_.ascii));
    say("The replay shows:    ", found_in(replayed));
    if (schedule.loop) say("", about_loop(schedule, replayed));
  }

  // What observers find is drawn, but a replay does not know what they should find.
  std::string found_in(const sim::Replayed& replayed) const {
    if (!replayed.found.empty()) return replayed.found;
    return is_judged_ ? "nothing wrong" : "the run; what observers find is not judged here";
  }

  static std::string about_loop(const Schedule& schedule, const sim::Replayed& replayed) {
    const std::string steps = "Steps " + std::to_string(*schedule.loop + 1) + " to " +
                              std::to_string(schedule.steps.size());
    if (!replayed.loop_repeats) {
      return steps +
             " are said to repeat for ever, but cannot, or only while something that is "
             "due never happens.";
    }
    return steps + (replayed.loop_closes
                        ? " can repeat for ever: they lead back to the same state."
                        : " can repeat for ever, as far as three times show; states differ.");
  }

  void print_json(const Schedule& schedule, const sim::Replayed& replayed) const {
    boost::json::object all;
    all["algorithm"] = schedule.algorithm;
    all["n"] = replayed.trace.size;
    all["steps"] = schedule.steps.size();
    if (schedule.loop) {
      all["loop"] = *schedule.loop + 1;
      all["loop_repeats"] = replayed.loop_repeats;
      all["loop_closes"] = replayed.loop_closes;
    }
    all["claimed"] = schedule.verdict;
    all["found"] = replayed.found;
    all["verdict"] = !replayed.found.empty() ? "broken" : is_judged_ ? "kept" : "not judged";
    std::cout << io::json_text(all) << "\n";
  }

  const SimOptions& typed_;
  std::optional<TraceOutput> output_;
  bool is_judged_ = true;
};

}  // namespace

int sim_replay(const SimOptions& options) { return ReplayCommand(options).run(); }

}  // namespace baton::cli
