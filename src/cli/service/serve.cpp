#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "cli/common/arguments.h"
#include "cli/common/command.h"
#include "cli/service/cluster_options.h"
#include "cli/service/serve.h"
#include "service/http/server.h"
#include "service/server/serve.h"

namespace baton::cli {

namespace {

struct Settings {
  server::ServeOptions serve;
  std::vector<std::string> http;
  std::string config;
  std::string log = "text";
  std::string socket_mode;
};

std::string default_journal() {
  const std::filesystem::path directory =
      state_directory("say where the journal is: --journal PATH");
  std::error_code problem;
  std::filesystem::create_directories(directory, problem);
  if (problem) {
    throw UsageError("cannot create " + directory.string() +
                     " for the journal: " + problem.message() + "; say --journal PATH");
  }
  return (directory / "journal.db").string();
}

// "0660": octal digits, as chmod takes them. Its owner may always use it.
unsigned mode_of(const std::string& text) {
  unsigned mode = 0;
  const char* end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, mode, 8);
  if (error != std::errc() || read != end || mode > 0777 || (mode & 0600) != 0600) {
    throw UsageError(
        "--socket-mode must be octal, such as 0660, and let the owner read and write; '" + text +
        "' does not");
  }
  return mode;
}

io::SocketAccess access_of(const Settings& settings) {
  io::SocketAccess access = settings.serve.access;
  if (!access.group.empty()) access.mode = 0660;
  if (!settings.socket_mode.empty()) access.mode = mode_of(settings.socket_mode);
  return access;
}

int run(Command& command, Settings& settings) {
  if (!settings.config.empty()) {
    std::ifstream file(settings.config);
    if (!file)
      throw UsageError("cannot read the configuration " + settings.config + ": " +
                       std::strerror(errno));
    read_config(command, file, settings.config);
  }
  settings.serve.access = access_of(settings);
  if (settings.serve.journal.empty()) settings.serve.journal = default_journal();
  complete(settings.serve.cluster);
  settings.serve.log_as_json = settings.log == "json";
  if (!settings.http.empty())
    settings.serve.side_server = http::side_server({.listen = settings.http});
  return server::serve(settings.serve);
}

}  // namespace

std::filesystem::path state_directory(const std::string& otherwise) {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  if (const auto given = variable("STATE_DIRECTORY"); !given.empty()) return given;
  if (const auto given = variable("XDG_STATE_HOME"); !given.empty()) {
    return std::filesystem::path(given) / "baton";
  }
  if (const auto home = variable("HOME"); !home.empty()) {
    return std::filesystem::path(home) / ".local/state/baton";
  }
  throw UsageError(otherwise);
}

void read_config(Command& command, std::istream& from, const std::string& path) {
  std::vector<Setting> settings;
  try {
    settings = settings_in(from);
  } catch (const std::exception&) {
    throw UsageError(path + " is not a configuration of lines 'name = value'");
  }
  for (const Setting& setting : settings) {
    Option* option = command.find_option("--" + setting.name);
    if (option == nullptr || setting.name == "config") {
      throw UsageError(path + ": there is no option '" + setting.name + "'");
    }
    if (option->count() > 0) continue;
    try {
      option->take(setting.values);
    } catch (const ArgumentError& problem) {
      throw UsageError(path + ": " + problem.what());
    }
  }
}

namespace {

void add_sockets(Command& command, Settings& settings) {
  server::ServeOptions& serve = settings.serve;
  command
      .add_option("--listen", serve.listen,
                  "unix:PATH or HOST:PORT; may be repeated (without HOST: only this machine)")
      .variable("BATON_LISTEN")
      .type_name("ADDRESS");
  command
      .add_option("--socket-mode", settings.socket_mode,
                  "Mode of Unix sockets (default: 0700, with a group 0660)")
      .variable("BATON_SOCKET_MODE")
      .type_name("MODE");
  command.add_option("--socket-group", serve.access.group, "Group of Unix sockets")
      .variable("BATON_SOCKET_GROUP")
      .type_name("GROUP");
  command
      .add_option("--http", settings.http,
                  "Serve HTTP (metrics, health, JSON) here; may be repeated")
      .variable("BATON_HTTP")
      .type_name("ADDRESS");
}

void add_state(Command& command, server::ServeOptions& serve) {
  command
      .add_option("--journal", serve.journal,
                  "Where the state is kept: sqlite:PATH, etcd://HOST:PORT,…/PREFIX or memory: "
                  "(default: journal.db in the state directory)")
      .variable("BATON_JOURNAL")
      .type_name("JOURNAL");
  command.add_flag("--accept-loss", serve.accept_loss,
                   "Start although the journal has lost records");
  command.add_option("--name", serve.name, "Name of this server, for people")
      .variable("BATON_NAME");
  command.add_option("--scope", serve.scope, "Who should use this server, for people")
      .variable("BATON_SCOPE");
  command
      .add_option("--idle-stop", serve.idle_stop_s,
                  "Stop after so many seconds without clients (0: never)")
      .variable("BATON_IDLE_STOP");
  command.add_option("--connections", serve.limits.connections, "Most connections at once")
      .variable("BATON_CONNECTIONS")
      .show_default();
}

void add_configuration(Command& command, Settings& settings) {
  command.add_option("--config", settings.config, "File with these options: name = value")
      .variable("BATON_CONFIG")
      .type_name("FILE");
  command.add_option("--log", settings.log, "Form of the log on standard error")
      .variable("BATON_LOG")
      .one_of({"text", "json"})
      .show_default();
  command.add_option("--log-level", settings.serve.log_level, "Least level that is logged")
      .variable("BATON_LOG_LEVEL")
      .one_of({"debug", "info", "warning", "error", "critical", "off"})
      .show_default();
}

}  // namespace

void add_serve(Command& app, Action& action) {
  Command& command = app.add_command("serve", "Run a server for locks and elections");
  const auto settings = std::make_shared<Settings>();
  add_sockets(command, *settings);
  add_state(command, settings->serve);
  add_configuration(command, *settings);
  add_cluster(command, settings->serve.cluster);
  command.footer(
      "All options but --accept-loss can also be set in the environment, --socket-mode by "
      "BATON_SOCKET_MODE and so on, and in the file of --config. The command line comes before "
      "the environment, and the environment before the file.\n\n"
      "There is no authentication yet: whoever reaches a port or a socket may take and break "
      "locks.");
  command.example("baton serve --listen unix:/run/baton/socket --journal sqlite:/var/lib/baton.db");
  command.callback([&action, &command, settings] {
    action = [&command, settings] { return run(command, *settings); };
  });
}

}  // namespace baton::cli
