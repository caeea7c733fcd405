#include <memory>

#include "cli/common/arguments.h"
#include "cli/common/program.h"
#include "cli/common/terminal.h"
#include "cli/common/text.h"
#include "cli/service/commands.h"
#include "cli/service/connection.h"
#include "cli/service/hold_options.h"
#include "cli/service/service_holder.h"
#include "service/process/supervise.h"

namespace baton::cli {

namespace {

std::string command_line(const HoldOptions& options) {
  if (!options.shell_line.empty()) return options.shell_line;
  std::string text;
  for (const std::string& word : words_after_dashes()) text += (text.empty() ? "" : " ") + word;
  return text;
}

// While the lock, or the lead, is held.
int run_holding(const std::string& name, HoldOptions& options) {
  options.check_command();
  if (options.asked.label.empty())
    options.asked.label = beginning_of(printable(command_line(options)), 100);
  ServiceHolder holder(options, Reach(options.url));
  const process::Outcome outcome = process::run_supervised(options.supervision(), holder);
  if (!outcome.message.empty()) {
    tell("baton " + name + ": " + printable(outcome.message));
  }
  process::end_like(outcome);
}

}  // namespace

void add_lock(Command& app, Action& action) {
  Command& command = app.add_command(
      "lock",
      "Run a command while holding a lock\n\n"
      "Baton waits for the lock, runs the command, releases the lock and exits with the command's "
      "exit code. If the lock is lost meanwhile, Baton stops the command and everything that the "
      "command started, before another client can get the lock.\n\n"
      "The command finds in its environment: BATON_FENCE, its fencing token; BATON_LOCK, the names "
      "of the locks; BATON_SESSION; and with --slots BATON_SLOT.");
  command.runs_a_command()
      .example("baton lock nightly-backup --try -- sh -c 'echo my fence is $BATON_FENCE'")
      .example("baton lock printer --slots 2 --wait 10s -- echo 'at most two at a time'")
      .example("baton lock left right -c 'echo both, or none'");
  const auto options = std::make_shared<HoldOptions>();
  options->add_lock_to(command);
  options->add_waiting_to(command);
  options->add_command_to(command);
  add_url(command, options->url);
  command.footer(
      "Exit codes: the command's own, and\n"
      "  75          another client holds the lock (--conflict-exit-code changes it)\n"
      "  122         waiting would be a deadlock\n"
      "  123         the lock was lost\n"
      "  69          no server answers\n"
      "  2           wrong usage\n"
      "  125         Baton itself failed\n"
      "  126, 127    the command cannot be run, or does not exist");
  command.callback([options, &action] {
    action = service_action("lock", [options] { return run_holding("lock", *options); });
  });
}

void add_elect(Command& app, Action& action) {
  Command& command = app.add_command(
      "elect",
      "Run a command while leading an election\n\n"
      "Baton waits until it leads, runs the command, resigns and exits with the command's exit "
      "code. If the lead is lost meanwhile, Baton stops the command and everything that the "
      "command started, before another client can lead.\n\n"
      "The command finds in its environment: BATON_FENCE, the term, which is a fencing token; "
      "BATON_ELECTION, the name; and BATON_SESSION.");
  command.runs_a_command().example(
      "baton elect scheduler --value host-a:8080 -- sh -c 'baton leader scheduler'");
  const auto options = std::make_shared<HoldOptions>();
  options->is_election = true;
  command.add_option("NAME", options->names, "The election").in_usage("NAME");
  command.add_option("--value", options->value, "What 'baton leader' prints of this leader")
      .type_name("TEXT");
  options->add_waiting_to(command);
  options->add_command_to(command);
  add_url(command, options->url);
  command.footer("Exit codes are those of 'baton lock'.");
  command.callback([options, &action] {
    action = service_action("elect", [options] { return run_holding("elect", *options); });
  });
}

}  // namespace baton::cli
