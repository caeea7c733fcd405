#include "service/local/server.h"

#include <fcntl.h>
#include <pwd.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>

#include "io/descriptor.h"
#include "service/local/state_directory.h"
#include "service/server/host.h"

namespace baton::local {

namespace {

namespace fs = std::filesystem;
namespace asio = boost::asio;
using std::chrono::steady_clock;

constexpr std::chrono::seconds patience{25};
constexpr std::chrono::milliseconds between_looks{10};
constexpr std::chrono::seconds between_checks{1};
constexpr std::size_t most_log_bytes = 1024 * 1024;
constexpr std::size_t idle_stop_s = 600;

std::size_t idle_stop_from_environment() {
  const char* given = std::getenv("BATON_IDLE_STOP");
  if (given == nullptr) return idle_stop_s;
  const long typed = std::atol(given);
  return typed > 0 ? static_cast<std::size_t>(typed) : idle_stop_s;
}

// Whether the file of this name is still the one that is open: somebody may have cleared away the
// whole directory.
bool is_same(const io::Descriptor& file, const fs::path& path) {
  struct stat open_one {};
  struct stat named {};
  return fstat(file.get(), &open_one) == 0 && stat(path.c_str(), &named) == 0 &&
         open_one.st_dev == named.st_dev && open_one.st_ino == named.st_ino;
}

// Locks server.lock. Returns nothing if another server listens. If another server has the lock but
// does not listen, it is about to end, and this waits for it.
io::Descriptor lock_server(const StateDirectory& state_directory) {
  const fs::path path = state_directory.directory / "server.lock";
  const auto deadline = steady_clock::now() + patience;
  while (steady_clock::now() < deadline) {
    io::Descriptor file(open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
    if (!file) throw Unavailable("cannot open " + path.string() + ": " + std::strerror(errno));
    if (flock(file.get(), LOCK_EX | LOCK_NB) == 0 && is_same(file, path)) return file;
    if (is_served(state_directory.socket)) return {};
    std::this_thread::sleep_for(between_looks);
  }
  throw Unavailable("another server has " + path.string() +
                    " locked but does not listen: stop that process");
}

void write_down_who(const io::Descriptor& file) {
  const std::string text = "process " + std::to_string(getpid()) + "\n";
  [[maybe_unused]] const int cut = ftruncate(file.get(), 0);
  [[maybe_unused]] const ssize_t written = pwrite(file.get(), text.data(), text.size(), 0);
}

// Reports why the server failed: on standard error, for a user who started it by hand, and in a
// file, for the command that started it. The file appears whole, by a rename.
void report_failure(const StateDirectory& state_directory, const std::string& why) {
  std::fprintf(stderr, "baton local-server: %s\n", why.c_str());
  const fs::path path = state_directory.directory / "failure";
  const fs::path aside = state_directory.directory / "failure.new";
  std::ofstream(aside) << why << "\n";
  std::error_code ignored;
  fs::rename(aside, path, ignored);
}

std::string name_of_user() {
  const passwd* entry = getpwuid(geteuid());
  return entry != nullptr ? entry->pw_name : std::to_string(geteuid());
}

server::HostOptions options_of(const StateDirectory& state_directory, bool accept_loss,
                               std::shared_ptr<spdlog::logger> log) {
  server::HostOptions options;
  options.accept_loss = accept_loss;
  options.listen = {state_directory.url()};
  options.journal = state_directory.journal();
  options.scope = "user " + name_of_user();
  options.idle_stop_s = idle_stop_from_environment();
  options.log = std::move(log);
  return options;
}

class LocalServer {
 public:
  LocalServer(const StateDirectory& state_directory, const io::Descriptor& lock, bool accept_loss)
      : state_directory_(state_directory),
        lock_(lock),
        log_(std::make_shared<spdlog::logger>(
            "", std::make_shared<spdlog::sinks::rotating_file_sink_mt>(
                    (state_directory.directory / "server.log").string(), most_log_bytes, 1))),
        host_(options_of(state_directory, accept_loss, log_)),
        signals_(host_.io(), SIGTERM, SIGINT),
        timer_(host_.io()) {
    log_->flush_on(spdlog::level::info);
  }

  std::optional<std::string> run() {
    signals_.async_wait([this](const boost::system::error_code& error, int) {
      if (!error) host_.stop();
    });
    check();
    return host_.run();
  }

 private:
  // If somebody removed its files, commands cannot find this server and may start another one. So
  // it stops.
  void check() {
    if (!is_same(lock_, state_directory_.directory / "server.lock") ||
        !fs::exists(state_directory_.socket)) {
      log_->error("somebody removed or replaced files in {}: stopping",
                  state_directory_.directory.string());
      host_.stop();
      return;
    }
    timer_.expires_after(between_checks);
    timer_.async_wait([this](const boost::system::error_code& error) {
      if (!error) check();
    });
  }

  const StateDirectory& state_directory_;
  const io::Descriptor& lock_;
  std::shared_ptr<spdlog::logger> log_;
  server::Host host_;
  asio::signal_set signals_;
  asio::steady_timer timer_;
};

}  // namespace

int serve_user(bool accept_loss) {
  umask(0077);
  [[maybe_unused]] const int there = chdir("/");
  const StateDirectory state_directory = state_directory_of_user();
  try {
    const io::Descriptor lock = lock_server(state_directory);
    if (!lock) return 0;
    write_down_who(lock);
    const auto problem = LocalServer(state_directory, lock, accept_loss).run();
    if (!problem) return 0;
    report_failure(state_directory, "the local server ended: " + *problem);
  } catch (const std::exception& error) {
    std::string why = error.what();
    if (why.find("--accept-loss") != why.npos) why += " (here: baton local-server --accept-loss)";
    report_failure(state_directory, "the local server cannot start: " + why);
  }
  return 1;
}

}  // namespace baton::local
