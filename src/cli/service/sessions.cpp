#include <boost/json.hpp>
#include <iostream>
#include <memory>

#include "cli/common/arguments.h"
#include "cli/common/terminal.h"
#include "cli/common/text.h"
#include "cli/service/commands.h"
#include "cli/service/connection.h"
#include "cli/service/duration.h"
#include "cli/service/who.h"
#include "io/json_text.h"
#include "service/http/info_json.h"

namespace baton::cli {

namespace {

struct SessionsOptions {
  std::string url;
  bool json = false;
  bool stale = false;
};

std::string table_of(const std::vector<SessionInfo>& sessions) {
  using Align = Table::Align;
  Table table(
      {"session", "who", "process", "holds", "waits", "ttl", "left", "open", "state", "label"},
      {Align::right, Align::left, Align::right, Align::right, Align::right, Align::right,
       Align::right, Align::right, Align::left, Align::left});
  table.may_shorten({"who", "label"}).may_drop({"open", "ttl", "process", "left"});
  for (const SessionInfo& session : sessions) {
    std::string state = session.connected ? "connected" : "away";
    if (session.within != 0) state += ", within " + std::to_string(session.within);
    table.add({std::to_string(session.session), place_of(session.who), process_of(session.who),
               std::to_string(session.holds), std::to_string(session.waits), spoken(session.ttl),
               spoken(session.lease_left), spoken(session.open_for), state, session.who.label});
  }
  return table.str(table_width());
}

int sessions(const SessionsOptions& options) {
  Client client = Reach(options.url).look(options.stale);
  const std::vector<SessionInfo> all = value_of(client.sessions());
  if (options.stale) tell_age(client);
  if (options.json) {
    std::cout << io::json_text(http::json_of(all)) << "\n";
  } else {
    std::cout << (all.empty() ? "there is no session\n" : table_of(all));
  }
  return exit_ok;
}

}  // namespace

void add_sessions(Command& app, Action& action) {
  Command& command = app.add_command("sessions", "Show the clients of the server and their leases");
  command.example("baton sessions");
  const auto options = std::make_shared<SessionsOptions>();
  command.add_flag("--json", options->json, "Print them as JSON");
  add_stale(command, options->stale);
  add_url(command, options->url);
  command.callback([options, &action] {
    action = service_action(
        "sessions", [options] { return sessions(*options); }, options->json);
  });
}

}  // namespace baton::cli
