#include <fmt/format.h>

#include <boost/json.hpp>
#include <iostream>
#include <map>
#include <memory>

#include "cli/common/arguments.h"
#include "cli/common/terminal.h"
#include "cli/common/text.h"
#include "cli/service/commands.h"
#include "cli/service/connection.h"
#include "cli/service/duration.h"
#include "cli/service/interrupt.h"
#include "cli/service/who.h"
#include "io/json_text.h"
#include "service/http/info_json.h"

namespace baton::cli {

namespace {

using namespace std::chrono_literals;
namespace json = boost::json;

struct LocksOptions {
  std::string name;
  std::string prefix;
  std::string url;
  bool elections = false;
  bool watch = false;
  bool json = false;
  bool stale = false;
};

// --- For programs -------------------------------------------------------------------------------

// As it is, apart from how much time went by.
LocksInfo without_times(LocksInfo info) {
  for (LockInfo& lock : info.locks) {
    for (HolderInfo& holder : lock.holders) holder.held_for = {};
    for (WaiterInfo& waiter : lock.waiters) waiter.waited_for = {};
    lock.closed_for = {};
  }
  info.revision = 0;  // counts changes elsewhere, too
  return info;
}

// --- For people ---------------------------------------------------------------------------------

std::string how(const LockInfo& lock, const HolderInfo& holder) {
  std::string text = lock.election ? "leads" : holder.shared ? "shares" : "holds";
  if (lock.slots > 1) text += fmt::format(" slot {} of {}", holder.slot, lock.slots);
  if (holder.ending) text += ", must stop";
  return text;
}

std::string how(const WaiterInfo& waiter, std::size_t position) {
  std::string text = fmt::format("waits, {}.", position);
  if (waiter.shared) text += " (to share)";
  if (waiter.names.size() > 1) text += fmt::format(" (for {} locks)", waiter.names.size());
  return text;
}

std::string table_of(const LocksInfo& info) {
  using Align = Table::Align;
  Table table({"name", "state", "who", "process", "session", "fence", "for", "label"},
              {Align::left, Align::left, Align::left, Align::right, Align::right, Align::right,
               Align::right, Align::left});
  table.may_shorten({"name", "who", "label"}).may_drop({"fence", "process"});
  for (const LockInfo& lock : info.locks) {
    if (lock.closed_for.count() > 0) {
      table.add({lock.name, "closed", "", "", "", "", spoken(lock.closed_for),
                 "lock delay after a session that expired"});
    }
    for (const HolderInfo& holder : lock.holders) {
      table.add({lock.name, how(lock, holder), place_of(holder.who), process_of(holder.who),
                 std::to_string(holder.session), std::to_string(holder.fence),
                 spoken(holder.held_for), lock.election ? holder.value : holder.label});
    }
    std::size_t position = 0;
    for (const WaiterInfo& waiter : lock.waiters) {
      table.add({lock.name, how(waiter, ++position), place_of(waiter.who), process_of(waiter.who),
                 std::to_string(waiter.session), "", spoken(waiter.waited_for), waiter.label});
    }
  }
  return table.str(table_width());
}

// Sessions with their processes or addresses, where these are known from the list.
std::map<std::uint64_t, std::string> names_of_sessions(const LocksInfo& info) {
  std::map<std::uint64_t, std::string> names;
  const auto note = [&](std::uint64_t session, const Who& who) {
    const std::string process = process_of(who);
    names[session] = fmt::format("session {} ({})", session,
                                 process.empty() ? printable(place_of(who)) : "process " + process);
  };
  for (const LockInfo& lock : info.locks) {
    for (const HolderInfo& holder : lock.holders) note(holder.session, holder.who);
    for (const WaiterInfo& waiter : lock.waiters) note(waiter.session, waiter.who);
  }
  return names;
}

std::string graph_of(const LocksInfo& info) {
  const auto names = names_of_sessions(info);
  const auto name_of = [&](std::uint64_t session) {
    const auto found = names.find(session);
    return found != names.end() ? found->second : fmt::format("session {}", session);
  };
  std::string text;
  for (const WaitEdge& edge : info.edges) {
    const std::string what = printable(edge.name);
    const std::string why = what.empty() ? ", which runs within it"
                            : edge.by_queue
                                ? fmt::format(", which waits ahead of it for '{}'", what)
                                : fmt::format(", which holds '{}'", what);
    text += filled(fmt::format("{} waits for {}{}", name_of(edge.from_session),
                               name_of(edge.to_session), why),
                   table_width(), 2) +
            "\n";
  }
  return text;
}

std::string text_of(const LocksInfo& info, bool elections) {
  if (info.locks.empty()) return elections ? "nobody leads or campaigns\n" : "no lock is held\n";
  std::string text = table_of(info);
  if (!info.edges.empty()) text += "\n" + graph_of(info);
  return text;
}

// --- The command --------------------------------------------------------------------------------

LockQuery query_of(const LocksOptions& options) {
  LockQuery query{.elections = options.elections, .prefix = options.prefix};
  if (!options.name.empty()) query.name = options.name;
  return query;
}

// Where the list is drawn over the one before.
bool is_screen() { return wants_colour(); }

void print(const LocksInfo& info, const LocksOptions& options) {
  if (options.json) {
    std::cout << io::json_text(http::json_of(info)) << std::endl;
  } else {
    if (options.watch && is_screen()) std::cout << "\x1b[H\x1b[2J";
    std::cout << text_of(info, options.elections) << std::flush;
    for (const std::string& member : info.silent) {
      tell("baton: member " + printable(member) +
           " does not answer, so its clients are missing here");
    }
  }
}

// Prints what has changed, apart from the time that goes by; on a terminal that too.
int watch(Client& client, const LocksOptions& options) {
  json::object before;
  const bool is_clock = is_screen() && !options.json;
  do {
    const LocksInfo info = value_of(client.locks(query_of(options)));
    json::object now = http::json_of(without_times(info));
    if (is_clock || now != before) {
      if (!before.empty() && !is_clock && !options.json) std::cout << "\n";
      print(info, options);
    }
    before = std::move(now);
    if (!std::cout) return exit_usage;
  } while (!interrupted_within(500ms));
  return exit_ok;
}

int locks(const LocksOptions& options) {
  if (options.watch && options.stale) throw UsageError("--watch and --stale exclude each other");
  if (options.watch) take_interrupts();
  const Reach reach(options.url);
  Client client = options.watch ? reach.connect() : reach.look(options.stale);
  if (options.watch) return watch(client, options);
  print(value_of(client.locks(query_of(options))), options);
  if (options.stale) tell_age(client);
  return exit_ok;
}

}  // namespace

void add_locks(Command& app, Action& action) {
  Command& command = app.add_command("locks", "Show who holds locks, who waits, and for whom");
  command.example("baton locks").example("baton locks nightly-backup --json");
  const auto options = std::make_shared<LocksOptions>();
  command.add_option("NAME", options->name, "Only this lock");
  command.add_option("--prefix", options->prefix, "Only names that begin so").type_name("TEXT");
  command.add_flag("--elections", options->elections, "Show elections instead of locks");
  command.add_flag("--watch", options->watch, "Show them again at every change, until Ctrl-C");
  command.add_flag("--json", options->json,
                   "Print holders, waiters and who waits for whom as JSON");
  add_stale(command, options->stale);
  add_url(command, options->url);
  command.callback([options, &action] {
    action = service_action(
        "locks", [options] { return locks(*options); }, options->json);
  });
}

}  // namespace baton::cli
