// Backups of the service, and back from them.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>

#include "cli/common/arguments.h"
#include "cli/common/terminal.h"
#include "cli/common/text.h"
#include "cli/service/cluster_options.h"
#include "cli/service/commands.h"
#include "cli/service/connection.h"
#include "cli/service/duration.h"
#include "service/server/backup.h"

namespace baton::cli {

namespace {

struct BackupOptions {
  std::string file;
  std::string url;
  std::string journal;
  server::ClusterOptions cluster;
};

// All of it or nothing, and on the disk when it is there.
void write_file(const std::string& path, const std::string& bytes) {
  const std::string aside = path + ".new";
  const int file = ::open(aside.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
  bool is_written = file >= 0;
  for (std::size_t at = 0; is_written && at < bytes.size();) {
    const ssize_t count = ::write(file, bytes.data() + at, bytes.size() - at);
    is_written = count > 0;
    if (is_written) at += static_cast<std::size_t>(count);
  }
  is_written = is_written && ::fsync(file) == 0;
  const int problem = errno;
  if (file >= 0) ::close(file);
  if (is_written && ::rename(aside.c_str(), path.c_str()) == 0) return;
  ::unlink(aside.c_str());
  throw UsageError("cannot write " + path + ": " + std::strerror(is_written ? errno : problem));
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw UsageError("cannot read " + path + ": " + std::strerror(errno));
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::string describe(const server::BackupInfo& info) {
  return fmt::format("{} {}, epoch {}", grouped(info.files), info.files == 1 ? "file" : "files",
                     info.epoch);
}

int backup(const BackupOptions& options) {
  if (!options.url.empty() && !options.journal.empty()) {
    throw UsageError("--url and --journal exclude each other");
  }
  const std::string bytes = options.journal.empty()
                                ? value_of(Reach(options.url).connect().backup())
                                : server::make_backup(options.journal);
  write_file(options.file, bytes);
  std::cout << fmt::format("{}: {}, {} bytes\n", options.file,
                           describe(server::describe_backup(bytes)), grouped(bytes.size()));
  return exit_ok;
}

int restore(BackupOptions& options) {
  if (options.journal.empty())
    throw UsageError("say which journal to create: --journal sqlite:PATH or etcd://…");
  complete(options.cluster);
  const std::string bytes = read_file(options.file);
  const server::BackupInfo info = server::describe_backup(bytes);
  server::restore(bytes, options.journal, options.cluster);
  std::cout << fmt::format(
      "{}: {}\nNo lock is held in it. Fencing tokens go on above all that the old server gave "
      "out.\n",
      options.journal, describe(info));
  if (info.longest_ttl.value > 0) {
    const std::string most = spoken(std::chrono::microseconds(info.longest_ttl.value));
    std::cout << filled("Clients of the old server may rely on their locks for up to " + most +
                            " after it was stopped. Wait that long before you start the new one.",
                        table_width())
              << "\n";
  }
  return exit_ok;
}

template <class Function>
Action action_of(const std::string& name, const std::shared_ptr<BackupOptions>& options,
                 Function function) {
  return service_action(name, [options, function] {
    try {
      return function(*options);
    } catch (const journal::Unusable& problem) {
      throw Refused(problem.what(), exit_usage);
    }
  });
}

}  // namespace

void add_backup(Command& app, Action& action) {
  Command& command =
      app.add_command("backup", "Write the server's files and its last fencing token to a file");
  command.example("baton backup /var/backups/baton");
  const auto options = std::make_shared<BackupOptions>();
  command.add_option("FILE", options->file, "Where to write; an existing file is replaced")
      .required();
  command
      .add_option("--journal", options->journal,
                  "Read this journal, sqlite:PATH, whose server does not run")
      .type_name("JOURNAL");
  add_url(command, options->url);
  command.callback([options, &action] { action = action_of("backup", options, backup); });
}

void add_restore(Command& app, Action& action) {
  Command& command = app.add_command("restore",
                                     "Create a journal from a backup\n\n"
                                     "No session and no lock is restored. Fencing tokens go on "
                                     "above all that the backup knows of.");
  command.example("baton restore /var/backups/baton --journal sqlite:/var/lib/baton/journal.db")
      .example("baton restore /var/backups/baton --journal etcd://a:2379,b:2379/baton");
  const auto options = std::make_shared<BackupOptions>();
  command.add_option("FILE", options->file, "What 'baton backup' wrote").required();
  command
      .add_option("--journal", options->journal,
                  "The new journal: sqlite:PATH or etcd://HOST:PORT,…/PREFIX")
      .type_name("JOURNAL");
  add_cluster(command, options->cluster);
  command.callback([options, &action] { action = action_of("restore", options, restore); });
}

}  // namespace baton::cli
