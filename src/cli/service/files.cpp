// Small files: put, get, ls and rm.
#include <unistd.h>

#include <boost/json.hpp>
#include <cstdio>
#include <iostream>
#include <memory>

#include "cli/common/arguments.h"
#include "cli/common/terminal.h"
#include "cli/common/text.h"
#include "cli/service/commands.h"
#include "cli/service/connection.h"
#include "cli/service/token.h"
#include "io/json_text.h"
#include "service/http/info_json.h"
#include "service/state/command.h"

namespace baton::cli {

namespace {

struct FileOptions {
  std::string key;
  std::optional<std::string> value;
  std::optional<std::uint64_t> version;
  bool is_new = false;
  bool tied = false;
  std::string tied_to;  // a token
  bool json = false;
  bool in_full = false;
  bool stale = false;
  std::string url;

  std::string checked_key() const {
    if (key.empty()) throw UsageError("say which file");
    return key;
  }
};

std::shared_ptr<FileOptions> add_file_options(Command& command) {
  auto options = std::make_shared<FileOptions>();
  add_url(command, options->url);
  return options;
}

void add_key(Command& command, FileOptions& options) {
  command.add_option("KEY", options.key, "Name of the file, such as jobs/nightly/state")
      .in_usage("KEY");
}

void add_version(Command& command, FileOptions& options) {
  command.add_option("--version", options.version, "Only if the file has this version")
      .whole_number(1)
      .type_name("N");
}

// The session that the file goes with, and its server.
SessionAround owner_of(const FileOptions& options) {
  if (!options.tied_to.empty()) {
    const Token token = Token::parse(options.tied_to);
    return {token.ticket.session, options.url.empty() ? token.url : options.url};
  }
  const auto around = session_around();
  if (!around) {
    throw UsageError(
        "--tied works only in a command that 'baton lock' or 'baton elect' runs; after 'baton "
        "acquire' say --tied-to TOKEN");
  }
  if (!options.url.empty() && options.url != around->url) {
    throw UsageError("--url is " + options.url + ", but the lock around this command is at " +
                     around->url);
  }
  return *around;
}

// No more than it takes to see that it is too much.
std::string standard_input() {
  std::string text(service::largest_file + 1, '\0');
  std::cin.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::cin.gcount()));
  if (text.size() > service::largest_file) {
    throw Refused("standard input has more than " + std::to_string(service::largest_file) +
                      " bytes, the most that a file may have",
                  exit_usage, {Error::too_large});
  }
  return text;
}

int put(const FileOptions& options) {
  if (options.is_new && options.version) throw UsageError("--new and --version exclude each other");
  if (options.tied && !options.tied_to.empty()) {
    throw UsageError("--tied and --tied-to exclude each other");
  }
  PutOptions how{.version = options.version};
  if (options.is_new) how.version = 0;
  std::string url = options.url;
  if (options.tied || !options.tied_to.empty()) {
    const SessionAround owner = owner_of(options);
    how.tied_to = owner.session;
    url = owner.url;
  }
  const std::string key = options.checked_key();
  const bool from_input = !options.value || *options.value == "-";
  const std::string value = from_input ? standard_input() : *options.value;
  Client client = Reach(url).connect();
  const Stored stored = value_of(client.put(key, value, how));
  if (options.json) {
    std::cout << io::json_text(http::json_of(stored)) << "\n";
  }
  return exit_ok;
}

// As it is: a line end is added only for a person.
int get(const FileOptions& options) {
  const std::string key = options.checked_key();
  Client client = Reach(options.url).look(options.stale);
  const File file = value_of(client.get(key));
  if (options.stale) tell_age(client);
  if (options.json) {
    std::cout << io::json_text(http::json_of(file)) << "\n";
    return exit_ok;
  }
  std::cout << file.value;
  if (stdout_is_terminal() && !file.value.ends_with('\n')) std::cout << "\n";
  return exit_ok;
}

int list(const FileOptions& options) {
  Client client = Reach(options.url).look(options.stale);
  const FileList list = value_of(client.list(options.key, !options.json));
  if (options.stale) tell_age(client);
  if (options.json) {
    std::cout << io::json_text(http::json_of(list)) << "\n";
    return exit_ok;
  }
  if (!options.in_full) {
    for (const File& file : list.files) {
      std::cout << (stdout_is_terminal() ? printable(file.key) : file.key) << "\n";
    }
    return exit_ok;
  }
  using Align = Table::Align;
  Table table({"key", "version", "revision", "tied to"},
              {Align::left, Align::right, Align::right, Align::right});
  table.may_shorten({"key"}).may_drop({"revision"});
  for (const File& file : list.files) {
    table.add({file.key, std::to_string(file.version), std::to_string(file.revision),
               file.tied_to == 0 ? "" : "session " + std::to_string(file.tied_to)});
  }
  if (!table.empty()) std::cout << table.str(table_width());
  return exit_ok;
}

int remove(const FileOptions& options) {
  const std::string key = options.checked_key();
  Client client = Reach(options.url).connect();
  value_of(client.remove(key, options.version));
  return exit_ok;
}

}  // namespace

void add_put(Command& app, Action& action) {
  Command& command = app.add_command("put", "Write a small file (up to 64 KiB)");
  command.example("baton put jobs/nightly/state done")
      .example("echo done | baton put jobs/nightly/state")
      .footer("Exit code 75: --version or --new was given, and the file has another version.");
  const auto options = add_file_options(command);
  add_key(command, *options);
  command.add_option("VALUE", options->value, "Contents (default, or -: standard input)");
  add_version(command, *options);
  command.add_flag("--new", options->is_new, "Only if there is no such file");
  command.add_flag("--tied", options->tied,
                   "Remove it with the lock or lead that this command runs under");
  command.add_option("--tied-to", options->tied_to, "Remove it with what 'baton acquire' took")
      .type_name("TOKEN");
  command.add_flag("--json", options->json, "Print version and revision as JSON");
  command.callback([options, &action] {
    action = service_action(
        "put", [options] { return put(*options); }, options->json);
  });
}

void add_get(Command& app, Action& action) {
  Command& command = app.add_command("get", "Print a small file");
  command.example("baton get jobs/nightly/state || echo none")
      .footer("Exit code 1: there is no such file.");
  const auto options = add_file_options(command);
  add_key(command, *options);
  command.add_flag("--json", options->json, "Print it as JSON, with version and revision");
  add_stale(command, options->stale);
  command.callback([options, &action] {
    action = service_action(
        "get", [options] { return get(*options); }, options->json);
  });
}

void add_ls(Command& app, Action& action) {
  Command& command = app.add_command("ls", "List small files");
  command.example("baton ls jobs/");
  const auto options = add_file_options(command);
  command.add_option("PREFIX", options->key, "Only names that begin so");
  command.add_flag("-l,--long", options->in_full, "With versions and sessions");
  command.add_flag("--json", options->json, "Print contents and the revision as JSON");
  add_stale(command, options->stale);
  command.callback([options, &action] {
    action = service_action(
        "ls", [options] { return list(*options); }, options->json);
  });
}

void add_rm(Command& app, Action& action) {
  Command& command = app.add_command("rm", "Remove a small file");
  command.example("baton rm jobs/nightly/state || echo none")
      .footer(
          "Exit codes: 1 there is no such file; 75 it has another version than --version says.");
  const auto options = add_file_options(command);
  add_key(command, *options);
  add_version(command, *options);
  command.callback([options, &action] {
    action = service_action("rm", [options] { return remove(*options); });
  });
}

}  // namespace baton::cli
