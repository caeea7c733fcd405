#include "service/local/state_directory.h"

#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <system_error>
#include <vector>

#include "core/fnv.h"
#include "io/descriptor.h"

namespace baton::local {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_socket = sizeof(sockaddr_un::sun_path) - 1;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

fs::path home_of_password_entry() {
  passwd entry{};
  passwd* found = nullptr;
  std::vector<char> room(16 * 1024);
  getpwuid_r(geteuid(), &entry, room.data(), room.size(), &found);
  if (found == nullptr || found->pw_dir == nullptr || found->pw_dir[0] != '/') {
    throw Unavailable("user " + std::to_string(geteuid()) +
                      " has no home directory for a local server; set XDG_STATE_HOME or BATON_URL");
  }
  return found->pw_dir;
}

// Relative paths in XDG variables are to be ignored.
fs::path state_home() {
  const std::string given = variable("XDG_STATE_HOME");
  if (given.starts_with('/')) return given;
  return home_of_password_entry() / ".local" / "state";
}

std::string name_of_machine() {
  std::ifstream file("/etc/machine-id");
  std::string id;
  if (file >> id && id.size() == 32) return id.substr(0, 12);
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name[0] == '\0' || std::strchr(name, '/') != nullptr ? "machine" : name;
}

// For this user alone, as there is no other protection of the socket in it.
void make_private(const fs::path& directory) {
  std::error_code problem;
  fs::create_directories(directory.parent_path(), problem);
  if (!problem && mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) {
    problem = {errno, std::generic_category()};
  }
  if (problem) {
    throw Unavailable("cannot make " + directory.string() + " for a local server: " +
                      problem.message() + "; set XDG_STATE_HOME or BATON_URL");
  }
  struct stat is {};
  if (lstat(directory.c_str(), &is) != 0 || !S_ISDIR(is.st_mode) || is.st_uid != geteuid()) {
    throw Unavailable(directory.string() + " is not a directory of this user");
  }
  if ((is.st_mode & 0077) != 0 && chmod(directory.c_str(), 0700) != 0) {
    throw Unavailable(directory.string() + " is open to others: " + std::strerror(errno));
  }
}

// The same for everybody who has the same directory.
std::string short_name_of(const fs::path& directory) {
  return "baton-" + std::to_string(geteuid()) + "-" + std::to_string(fnv1a(directory.string()));
}

}  // namespace

StateDirectory state_directory_of_user() {
  StateDirectory state_directory;
  state_directory.directory = state_home() / "baton" / name_of_machine();
  make_private(state_directory.directory);
  state_directory.socket = state_directory.directory / "socket";
  if (state_directory.socket.string().size() > longest_socket) {
    const fs::path other = fs::path("/tmp") / short_name_of(state_directory.directory);
    make_private(other);
    state_directory.socket = other / "socket";
  }
  return state_directory;
}

bool is_served(const fs::path& socket) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  const std::string path = socket.string();
  if (path.size() > longest_socket) return false;
  std::memcpy(name.sun_path, path.data(), path.size());
  const io::Descriptor here(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (connect(here.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0) return true;
  if (errno == EAGAIN || errno == EINPROGRESS) return true;  // there is a queue: somebody is there
  if (errno == EACCES || errno == EPERM) {
    throw Unavailable("this user may not connect to the server at " + path);
  }
  return false;
}

fs::path socket_of_host() {
  const std::string given = variable("BATON_RUN_DIRECTORY");
  const fs::path directory = given.empty() ? "/run/baton" : given;
  const fs::path socket = directory / "socket";
  std::error_code ignored;
  if (fs::exists(socket, ignored)) return access(socket.c_str(), W_OK) == 0 ? socket : fs::path();
  const fs::path lock = directory / "socket.lock";
  return fs::exists(lock, ignored) && access(lock.c_str(), W_OK) == 0 ? socket : fs::path();
}

}  // namespace baton::local
