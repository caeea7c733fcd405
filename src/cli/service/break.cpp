#include <iostream>
#include <memory>

#include "cli/common/arguments.h"
#include "cli/common/terminal.h"
#include "cli/service/commands.h"
#include "cli/service/connection.h"

namespace baton::cli {

namespace {

struct BreakOptions {
  std::string name;
  std::uint64_t session = 0;
  bool election = false;
  bool force = false;
  std::string url;
};

void say(const std::string& what) { std::cout << filled(what, table_width()) << "\n"; }

int break_it(const BreakOptions& options) {
  if (options.name.empty() == (options.session == 0)) {
    throw UsageError("say which lock, or which --session, not both");
  }
  Client client = Reach(options.url).connect();
  if (options.session != 0) {
    value_of(client.break_session(options.session, options.force));
  } else if (options.election) {
    value_of(client.break_election(options.name, options.force));
  } else {
    value_of(client.break_lock(options.name, options.force));
  }
  if (options.force) {
    say("broken by force; the old holder may still work, and only its fencing token can stop it");
  } else {
    say("the server has told the holder; the next client gets it when the holder has stopped, or "
        "when its lease expires");
  }
  return exit_ok;
}

}  // namespace

void add_break(Command& app, Action& action) {
  Command& command = app.add_command(
      "break",
      "Take a lock, or all that a session holds, away from its holder\n\n"
      "The server tells the holder, which stops its work. The next client gets the lock when the "
      "holder has stopped, or when its lease expires. With --force it gets the lock at once, and "
      "two may work at the same time. Exit code 1: nobody held it.");
  command.example("baton break nightly-backup || echo nobody held it");
  const auto options = std::make_shared<BreakOptions>();
  command.add_option("NAME", options->name, "The lock");
  command.add_flag("--election", options->election, "NAME is an election, not a lock");
  command
      .add_option("--session", options->session,
                  "All that this session holds; 'baton sessions' shows numbers")
      .whole_number(1)
      .type_name("ID");
  command.add_flag("--force", options->force, "Do not wait for the holder");
  add_url(command, options->url);
  command.callback([options, &action] {
    action = service_action("break", [options] { return break_it(*options); });
  });
}

}  // namespace baton::cli
