#include <cstdio>
#include <memory>

#include "cli/common/arguments.h"
#include "cli/common/program.h"
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
    std::fprintf(stderr, "baton %s: %s\n", name.c_str(), printable(outcome.message).c_str());
  }
  process::end_like(outcome);
}

}  // namespace

void add_lock(Command& app, Action& action) {
  Command& command = app.add_command(
      "lock",
      "Run a command while holding a lock.\n\n"
      "The command gets BATON_FENCE, BATON_LOCK and BATON_SESSION (and BATON_SLOT with --slots). "
      "Its\n"
      "exit code is passed through. When the lock is lost, all that it started is stopped before\n"
      "somebody else can have the lock.\n\n"
      "Example: baton lock nightly-backup --try -- sh -c 'echo my fence is $BATON_FENCE'\n"
      "         baton lock printer --slots 2 --wait 10s -- echo 'at most two at a time'\n"
      "         baton lock left right -c 'echo both, or none'");
  const auto options = std::make_shared<HoldOptions>();
  options->add_lock_to(command);
  options->add_waiting_to(command);
  options->add_command_to(command);
  add_url(command, options->url);
  command.footer(
      "Exit codes: the command's own; 75 taken (or --conflict-exit-code), 122 a deadlock was\n"
      "refused, 123 lost, 69 no server, 2 wrong usage, 125 to 127 as of env(1).");
  command.callback([options, &action] {
    action = service_action("lock", [options] { return run_holding("lock", *options); });
  });
}

void add_elect(Command& app, Action& action) {
  Command& command = app.add_command(
      "elect",
      "Run a command while leading an election; wait for that first.\n\n"
      "The command gets BATON_FENCE (the term), BATON_ELECTION and BATON_SESSION. When the lead "
      "is\n"
      "lost, all that it started is stopped before somebody else can lead.\n\n"
      "Example: baton elect scheduler --value host-a:8080 -- sh -c 'baton leader scheduler'");
  const auto options = std::make_shared<HoldOptions>();
  options->is_election = true;
  command.add_option("NAME", options->names, "The election");
  command.add_option("--value", options->value, "What the others are told of this leader")
      .type_name("TEXT");
  options->add_waiting_to(command);
  options->add_command_to(command);
  add_url(command, options->url);
  command.callback([options, &action] {
    action = service_action("elect", [options] { return run_holding("elect", *options); });
  });
}

}  // namespace baton::cli
