#include <iostream>
#include <memory>

#include "cli/common/arguments.h"
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

int break_it(const BreakOptions& options) {
  if (options.name.empty() == (options.session == 0)) {
    throw UsageError("say which lock, or which --session");
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
    std::cout << "broken by force: whoever held it may not have noticed yet; only its fence stops "
                 "it\n";
  } else {
    std::cout
        << "the holder has been told: it is free once that has stopped, or its lease is over\n";
  }
  return exit_ok;
}

}  // namespace

void add_break(Command& app, Action& action) {
  Command& command = app.add_command(
      "break",
      "Take a lock, or everything that a session has, away from its holder.\n\n"
      "The holder is told, and stops what it does; then, or when its lease is over, the next one\n"
      "gets it. With --force the next one gets it at once, and two may work at the same time.\n\n"
      "Example: baton break nightly-backup || echo nobody held it");
  const auto options = std::make_shared<BreakOptions>();
  command.add_option("NAME", options->name, "The lock");
  command.add_flag("--election", options->election, "NAME is an election");
  command.add_option("--session", options->session, "A session, by its number")
      .whole_number(1)
      .type_name("ID");
  command.add_flag("--force", options->force, "Do not wait for the holder");
  add_url(command, options->url);
  command.callback([options, &action] {
    action = service_action("break", [options] { return break_it(*options); });
  });
}

}  // namespace baton::cli
