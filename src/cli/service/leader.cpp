#include <atomic>
#include <boost/json.hpp>
#include <iostream>
#include <memory>
#include <mutex>

#include "cli/common/arguments.h"
#include "cli/common/text.h"
#include "cli/service/commands.h"
#include "cli/service/connection.h"
#include "cli/service/interrupt.h"
#include "io/json_text.h"
#include "service/http/info_json.h"

namespace baton::cli {

namespace {

using namespace std::chrono_literals;

struct LeaderOptions {
  std::string name;
  std::string url;
  bool watch = false;
  bool json = false;
  bool stale = false;
};

std::string_view word_of(LeaderChange::Kind kind) {
  switch (kind) {
    case LeaderChange::Kind::elected:
      return "elected";
    case LeaderChange::Kind::proclaimed:
      return "proclaimed";
    case LeaderChange::Kind::resigned:
      break;
  }
  return "resigned";
}

void print(const std::string& election, const LeaderChange& change, bool as_json) {
  if (as_json) {
    std::cout << io::json_text(http::json_of(election, change)) << std::endl;
  } else {
    std::cout << word_of(change.kind) << "  term " << change.leader.term << "  session "
              << change.leader.session << "  " << printable(change.leader.value) << std::endl;
  }
}

int watch(Election election, const LeaderOptions& options) {
  std::atomic<bool> has_ended = false;
  Failure why;
  const Watch watch = value_of(election.observe(
      [&](const LeaderChange& change) { print(options.name, change, options.json); },
      [&](const Failure& failure) {
        why = failure;
        has_ended = true;
      }));
  while (!interrupted_within(200ms)) {
    if (has_ended) throw Refused(why);
    if (!std::cout) return exit_usage;
  }
  return exit_ok;
}

int print_as_json(Client& client, const LeaderOptions& options) {
  const LocksInfo info = value_of(client.locks({.elections = true, .name = options.name}));
  if (options.stale) tell_age(client);
  std::cout << io::json_text(http::json_of_leader(options.name, info)) << "\n";
  return http::has_leader(info) ? exit_ok : exit_nothing;
}

int leader(const LeaderOptions& options) {
  if (options.name.empty()) throw UsageError("say which election");
  if (options.watch && options.stale) throw UsageError("--watch and --stale exclude each other");
  if (options.watch) take_interrupts();
  const Reach reach(options.url);
  Client client = options.watch ? reach.connect() : reach.look(options.stale);
  Election election = client.election(options.name);
  if (options.watch) return watch(election, options);
  if (options.json) return print_as_json(client, options);
  const std::optional<Leader> leads = value_of(election.leader());
  if (options.stale) tell_age(client);
  if (!leads) throw Refused("nobody leads '" + options.name + "'", exit_nothing);
  std::cout << leads->value << "\n";
  return exit_ok;
}

}  // namespace

void add_leader(Command& app, Action& action) {
  Command& command = app.add_command("leader",
                                     "Show who leads an election\n\n"
                                     "Prints the leader's value. Exit code 1: nobody leads.");
  command.example("baton leader scheduler || echo nobody yet");
  const auto options = std::make_shared<LeaderOptions>();
  command.add_option("NAME", options->name, "The election").in_usage("NAME");
  command.add_flag("--watch", options->watch, "Print every change, until Ctrl-C");
  command.add_flag("--json", options->json, "Print who leads as JSON, or an error if nobody does");
  add_stale(command, options->stale);
  add_url(command, options->url);
  command.callback([options, &action] {
    action = service_action(
        "leader", [options] { return leader(*options); }, options->json);
  });
}

}  // namespace baton::cli
