#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <iostream>
#include <memory>

#include "cli/service/commands.h"
#include "cli/service/connection.h"
#include "cli/service/duration.h"
#include "cli/service/who.h"
#include "cli/text.h"

namespace baton::cli {

namespace {

struct StatusOptions {
  std::string url;
  bool json = false;
};

std::string_view word_of(local::Scope scope) {
  return scope == local::Scope::user ? "user" : scope == local::Scope::host ? "host" : "chosen";
}

boost::json::object json_of(const local::Meeting& meeting, const StatusInfo& status) {
  return {{"scope", word_of(meeting.scope)},
          {"url", meeting.url},
          {"server", status.server},
          {"server_scope", status.scope},
          {"program", status.program},
          {"process", status.process},
          {"epoch", status.epoch},
          {"leads_s", seconds_of(status.leads_for)},
          {"journal", status.journal},
          {"position", status.position},
          {"sessions", status.sessions},
          {"locks", status.locks},
          {"waiters", status.waiters},
          {"files", status.files},
          {"revision", status.revision},
          {"connections", status.connections},
          {"http", boost::json::array(status.http.begin(), status.http.end())},
          {"last_fence", status.last_fence},
          {"waits_for_reports_of", boost::json::array(status.waits_for_reports_of.begin(),
                                                      status.waits_for_reports_of.end())}};
}

std::string text_of(const local::Meeting& meeting, const StatusInfo& status) {
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{:<12}{}\n", name, value);
  };
  line("scope", meeting.describe());
  line("url", meeting.url);
  line("server", fmt::format("{}, {}, process {}", status.server, status.program, status.process));
  line("leads", fmt::format("for {}, epoch {}", spoken(status.leads_for), status.epoch));
  line("journal", fmt::format("{}, {} records", status.journal, grouped(status.position)));
  line("in use", fmt::format("{} sessions, {} locks held or waited for, {} waiting, {} files",
                             grouped(status.sessions), grouped(status.locks),
                             grouped(status.waiters), grouped(status.files)));
  line("last fence", std::to_string(status.last_fence));
  for (const std::string& url : status.http) line("http", url);
  if (!status.waits_for_reports_of.empty()) {
    line("recovering", fmt::format("{} sessions have yet to say what they hold; until then nothing "
                                   "is granted",
                                   status.waits_for_reports_of.size()));
  }
  if (meeting.scope != local::Scope::given) {
    text += "\nLocks of another scope (another user, another machine, another URL) are others.\n";
  }
  return text;
}

int status(const StatusOptions& options) {
  const Reach reach(options.url);
  Client client = reach.look();
  const StatusInfo info = value_of(client.status());
  if (options.json) {
    std::cout << boost::json::serialize(json_of(reach.meeting(), info)) << "\n";
  } else {
    std::cout << text_of(reach.meeting(), info);
  }
  return exit_ok;
}

}  // namespace

void add_status(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand("status",
                                          "Which server is used, for whom it is, and how it is.\n\n"
                                          "Example: baton status");
  const auto options = std::make_shared<StatusOptions>();
  command.add_flag("--json", options->json, "For programs");
  add_url(command, options->url);
  command.callback([options, &action] {
    action = service_action("status", [options] { return status(*options); });
  });
}

}  // namespace baton::cli
