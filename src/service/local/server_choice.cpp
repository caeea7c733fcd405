#include "service/local/server_choice.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>

#include "io/descriptor.h"
#include "service/process/detached.h"

namespace baton::local {

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::chrono::seconds start_patience{30};
constexpr milliseconds between_looks_at_start{10};

// The program itself, also if it has been replaced by a newer one since.
std::string this_program() {
  std::error_code problem;
  const fs::path path = fs::read_symlink("/proc/self/exe", problem);
  if (!problem && access(path.c_str(), X_OK) == 0) return path.string();
  return "/proc/self/exe";
}

std::string contents(const fs::path& path) {
  std::ifstream file(path);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

io::Descriptor open_lock(const fs::path& path) {
  io::Descriptor file(open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
  if (!file) throw Unavailable("cannot open " + path.string() + ": " + std::strerror(errno));
  return file;
}

// Starts the server; the caller holds start.lock. Returns when the server listens.
void start(const StateDirectory& state_directory, steady_clock::time_point deadline) {
  const fs::path failure = state_directory.directory / "failure";
  fs::remove(failure);
  const int error = process::start_detached({{this_program(), "local-server"}, {}});
  if (error != 0) {
    throw Unavailable(std::string("cannot start a local server: ") + std::strerror(error));
  }
  while (!is_served(state_directory.socket)) {
    if (fs::exists(failure)) throw Unavailable(contents(failure));
    if (steady_clock::now() > deadline) {
      throw Unavailable("the local server does not start; see " +
                        (state_directory.directory / "server.log").string());
    }
    std::this_thread::sleep_for(between_looks_at_start);
  }
}

void make_sure_of_users() {
  const auto deadline = steady_clock::now() + start_patience;
  for (;;) {
    const StateDirectory state_directory = state_directory_of_user();
    if (is_served(state_directory.socket)) return;
    const io::Descriptor lock = open_lock(state_directory.directory / "start.lock");
    if (flock(lock.get(), LOCK_EX | LOCK_NB) == 0) {
      if (!is_served(state_directory.socket)) start(state_directory, deadline);
      return;
    }
    if (steady_clock::now() > deadline) {
      throw Unavailable("another process has been starting a local server for too long: " +
                        (state_directory.directory / "start.lock").string() + " is locked");
    }
    std::this_thread::sleep_for(between_looks_at_start);
  }
}

}  // namespace

std::string ServerChoice::describe() const {
  switch (scope) {
    case Scope::host:
      return "host (all users of this machine who may use its server)";
    case Scope::user:
      return "user (this user's commands on this machine)";
    case Scope::given:
      break;
  }
  return "chosen (everybody who uses the same URL)";
}

ServerChoice choose(const std::string& url) {
  if (!url.empty()) return {Scope::given, url};
  const char* variable = std::getenv("BATON_URL");
  if (variable != nullptr && *variable != '\0') return {Scope::given, variable};
  if (const fs::path socket = socket_of_host(); !socket.empty()) {
    return {Scope::host, "unix:" + socket.string()};
  }
  return {Scope::user, state_directory_of_user().url()};
}

void make_sure(const ServerChoice& choice) {
  if (choice.scope == Scope::user) make_sure_of_users();
}

}  // namespace baton::local
