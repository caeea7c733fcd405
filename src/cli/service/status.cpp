#include <fmt/format.h>

#include <algorithm>
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

struct StatusOptions {
  std::string url;
  bool json = false;
  bool stale = false;
};

std::string_view word_of(local::Scope scope) {
  return scope == local::Scope::user ? "user" : scope == local::Scope::host ? "host" : "chosen";
}

bool is_in_cluster(const StatusInfo& status) {
  return !status.servers.empty() || !status.etcd.empty();
}

// As HTTP has it, and how this server came to be asked.
boost::json::object json_of(const local::ServerChoice& choice, const StatusInfo& status) {
  boost::json::object object = http::json_of(status);
  object["choice"] = {{"scope", word_of(choice.scope)}, {"url", choice.url}};
  return object;
}

std::string text_of_cluster(const StatusInfo& status) {
  using Align = Table::Align;
  Table servers({"server", "state", "records behind", "program"},
                {Align::left, Align::left, Align::right, Align::left});
  servers.may_shorten({"server"}).may_drop({"program"});
  std::uint64_t newest = status.position;
  for (const ServerInfo& server : status.servers) newest = std::max(newest, server.position);
  for (const ServerInfo& server : status.servers) {
    const bool leads = server.name == status.leader;
    servers.add({server.url, leads ? "leads" : "standby",
                 leads ? "" : grouped(newest - server.position), server.program});
  }
  Table etcd({"etcd", "state", "version", "stored", "problem"},
             {Align::left, Align::left, Align::left, Align::right, Align::left});
  etcd.may_shorten({"etcd"});
  for (const EtcdInfo& member : status.etcd) {
    // One that answers has said its version, whatever else is wrong.
    etcd.add({member.endpoint,
              member.version.empty() ? "cannot be reached"
              : member.leads         ? "leads"
              : member.is_healthy    ? "follows"
                                     : "in trouble",
              member.version,
              fmt::format("{:.1f} MiB", static_cast<double>(member.bytes) / 1048576),
              member.problem});
  }
  return "\n" + servers.str(table_width()) + "\n" + etcd.str(table_width());
}

std::string text_of(const PeerGroupInfo& group) {
  Table members({"member", "address", "state", "problem"});
  for (const PeerMemberInfo& one : group.members) {
    std::string state = one.belongs        ? "in the group"
                        : one.is_connected ? "connected, not in the group"
                                           : "cannot be reached";
    if (one.id == group.self) state += ", this member";
    if (one.is_arbiter) state += ", arbitrates elections";
    members.add({one.id, one.address, state, one.problem});
  }
  return "\n" + members.str(table_width());
}

std::string text_of(const local::ServerChoice& choice, const StatusInfo& status) {
  std::string text;
  constexpr std::size_t column = 12;
  const auto line = [&](std::string_view name, const std::string& value) {
    text +=
        fmt::format("{:<{}}{}\n", name, column, filled(printable(value), table_width(), column));
  };
  line("scope", choice.describe());
  line("url", choice.url);
  line("server", fmt::format("{}, {}, process {}", status.server, status.program, status.process));
  if (status.group) {
    line("group", fmt::format("{}, locks by {}, elections by {}", status.group->name,
                              status.group->algorithm, status.group->election));
    line("epoch", std::to_string(status.group->epoch));
  } else if (status.follows) {
    line("follows", fmt::format("{}, epoch {}",
                                status.leader.empty() ? "nobody: no server leads" : status.leader,
                                status.epoch));
  } else {
    line("leads", fmt::format("for {}, epoch {}", spoken(status.leads_for), status.epoch));
  }
  if (!status.trouble.empty()) line("trouble", status.trouble);
  if (!status.group) {
    line("journal", fmt::format("{}, {} records", status.journal, grouped(status.position)));
  }
  line("in use", fmt::format("{} sessions, {} locks held or waited for, {} waiting, {} files",
                             grouped(status.sessions), grouped(status.locks),
                             grouped(status.waiters), grouped(status.files)));
  if (status.group) {
    line("entries", fmt::format("{}, with {} messages sent from here",
                                grouped(status.group->grants), grouped(status.group->messages)));
  } else {
    line("last fence", std::to_string(status.last_fence));
  }
  for (const std::string& url : status.http) line("http", url);
  if (!status.waits_for_reports_of.empty()) {
    line("recovering",
         fmt::format("no lock is granted until {} sessions have reported what they hold",
                     status.waits_for_reports_of.size()));
  }
  if (is_in_cluster(status)) text += text_of_cluster(status);
  if (status.group) text += text_of(*status.group);
  if (choice.scope != local::Scope::given) {
    text += "\n" +
            filled(
                "Clients of another server do not see these locks: another user, another machine, "
                "another URL.",
                prose_width()) +
            "\n";
  }
  return text;
}

// At the server that leads; if none does, at any.
Client look_at(const Reach& reach, bool stale) {
  if (stale) return reach.look(true);
  try {
    return reach.look();
  } catch (const Refused& refused) {
    if (refused.code() != process::exit_code::unavailable) throw;
    try {
      return reach.look(true);
    } catch (const Refused&) {
      throw refused;
    }
  }
}

int status(const StatusOptions& options) {
  const Reach reach(options.url);
  Client client = look_at(reach, options.stale);
  const StatusInfo info = value_of(client.status());
  if (options.json) {
    std::cout << io::json_text(json_of(reach.choice(), info)) << "\n";
  } else {
    std::cout << text_of(reach.choice(), info);
  }
  return exit_ok;
}

}  // namespace

void add_status(Command& app, Action& action) {
  Command& command = app.add_command("status", "Show which server is used, and its state");
  command.example("baton status");
  const auto options = std::make_shared<StatusOptions>();
  command.add_flag("--json", options->json, "Print it as JSON");
  command.add_flag("--stale", options->stale, "Ask any server of a cluster, not only the leader");
  add_url(command, options->url);
  command.callback([options, &action] {
    action = service_action(
        "status", [options] { return status(*options); }, options->json);
  });
}

}  // namespace baton::cli
