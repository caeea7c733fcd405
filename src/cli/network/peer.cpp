#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/common/arguments.h"
#include "cli/common/output_file.h"
#include "cli/network/commands.h"
#include "cli/service/serve.h"
#include "lab/view/json_lines.h"
#include "peers/member/member.h"
#include "peers/net/catalog.h"
#include "service/http/server.h"
#include "service/server/serve.h"

namespace baton::cli {

namespace {

struct Settings {
  std::string self;
  std::string group;
  std::string algorithm;
  std::string election;
  std::string socket;
  std::string state;
  std::string trace;
  std::string log = "text";
  std::vector<std::string> http;
  server::ServeOptions serve;
  bool list = false;
};

int list_algorithms() {
  for (const AnyClass* one : net::catalog()) {
    const std::string objection = net::objection_to(*one);
    const bool is_election = one->info().kind == Kind::election;
    std::printf("%-26s %s%s\n", std::string(one->info().name).c_str(),
                is_election ? "election" : "lock",
                objection.empty() ? "" : (", but " + objection).c_str());
  }
  return exit_ok;
}

// Written while the member runs, so that what it saw outlives it.
class TraceFile {
 public:
  TraceFile(std::string path, Trace heading)
      : checked_(path), path_(std::move(path)), heading_(std::move(heading)) {}

  explicit operator bool() const { return static_cast<bool>(checked_); }

  // Opened when there is something to write: until then another process may be this member.
  void append(const TraceEvent& event) {
    if (!file_.is_open()) begin();
    view::append_json_line(event, file_);
    file_.flush();
  }
  void finish() {
    if (!file_.is_open()) begin();
    file_.close();
    if (!file_) throw std::runtime_error("writing to '" + path_ + "' failed");
  }

 private:
  void begin() {
    file_.open(path_, std::ios::binary);
    view::begin_json_lines(heading_, file_);
  }

  OutputFile checked_;
  std::string path_;
  Trace heading_;
  std::ofstream file_;
};

int run(Settings& settings) {
  if (settings.list) return list_algorithms();
  if (settings.group.empty() || settings.self.empty()) {
    throw UsageError("say which group, and which of its members: --group FILE --self ID");
  }
  net::PeerOptions options;
  try {
    options.group = net::read_group(settings.group);
    if (!settings.algorithm.empty()) options.group.algorithm = settings.algorithm;
    if (!settings.election.empty()) options.group.election = settings.election;
    net::check_algorithms(options.group);
  } catch (const net::GroupFileError& problem) {
    throw UsageError(problem.what());
  }
  options.self = options.group.find(settings.self);
  if (options.self == nobody) {
    std::string known;
    for (const auto& member : options.group.members) known += " " + member.id;
    throw UsageError(settings.group + " has no member '" + settings.self + "', only" + known);
  }
  const std::filesystem::path folder =
      settings.state.empty() ? state_directory("say where to keep promises: --state FOLDER") /
                                   "peers" / options.group.group
                             : std::filesystem::path(settings.state);
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) throw UsageError("cannot create " + folder.string() + ": " + problem.message());
  options.promises = (folder / (settings.self + ".promises")).string();
  const std::string socket =
      settings.socket.empty() ? (folder / (settings.self + ".socket")).string() : settings.socket;
  const bool has_prefix = socket.starts_with("unix:");
  settings.serve.listen.push_back(has_prefix ? socket : "unix:" + socket);
  settings.serve.journal = "memory:";
  settings.serve.log_as_json = settings.log == "json";
  settings.serve.name = options.group.group + "/" + settings.self;
  settings.serve.scope = "the group of peers " + options.group.group;
  if (!settings.http.empty())
    settings.serve.side_server = http::side_server({.listen = settings.http});

  TraceFile file(settings.trace, net::trace_of(options.group));
  if (file) {
    options.record = [&file](const TraceEvent& event) { file.append(event); };
  }
  std::optional<peer::Member> made;
  try {
    made.emplace(std::move(options));
  } catch (const net::GroupFileError& refusal) {
    throw UsageError(settings.group + ": " + refusal.what());
  }
  peer::Member& member = *made;
  settings.serve.gate = &member;
  settings.serve.attend = [&member](server::Host& host) {
    member.attend(host);
    return std::shared_ptr<void>(&member, [&member](void*) { member.leave_host(); });
  };
  const int code = server::serve(settings.serve);
  if (file) file.finish();
  return code;
}

}  // namespace

void add_peer(Command& app, Action& action) {
  Command& command =
      app.add_command("peer", "Join a group of processes that share locks without a server");
  auto settings = std::make_shared<Settings>();
  command.add_option("--self", settings->self, "The member that this process is").type_name("ID");
  command.add_option("--group", settings->group, "The group's file, the same for all members")
      .type_name("FILE");
  command
      .add_option("--algorithm", settings->algorithm,
                  "Algorithm of locks, the same for all (default: the file's)")
      .type_name("NAME");
  command.add_option("--election", settings->election, "Algorithm of elections, likewise")
      .type_name("NAME");
  command
      .add_option("--socket", settings->socket, "Where local clients connect (default: in --state)")
      .type_name("PATH");
  command
      .add_option("--state", settings->state,
                  "Where it keeps its promises (default: the state directory)")
      .type_name("FOLDER");
  command
      .add_option("--http", settings->http,
                  "Serve HTTP (metrics, health, JSON) here; may be repeated")
      .type_name("HOST:PORT");
  command
      .add_option("--trace", settings->trace,
                  "Write what happens to this file, for 'baton trace merge'")
      .type_name("FILE");
  command.add_option("--log", settings->log, "Form of the log on standard error")
      .one_of({"text", "json"})
      .show_default();
  command.add_option("--log-level", settings->serve.log_level, "Least level that is logged")
      .one_of({"debug", "info", "warning", "error", "critical", "off"})
      .show_default();
  command.add_flag("--algorithms", settings->list, "List the algorithms that can be named");
  command.footer(
      "The group's file looks like this:\n"
      "  group = tellers\n"
      "  algorithm = naimi-trehel\n"
      "  member 1 = 10.0.0.1:7001\n"
      "  member 2 = 10.0.0.2:7001\n"
      "  member 3 = 10.0.0.3:7001");
  command.example("baton peer --group tellers.group --self 1 --socket /run/tellers.socket")
      .example("baton lock --url unix:/run/tellers.socket till -- ./count-the-cash.sh");
  command.callback([&action, settings] { action = [settings] { return run(*settings); }; });
}

}  // namespace baton::cli
