#include "service/server/supervisor.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace baton::server {

namespace {

constexpr int first_passed = 3;

int number_in(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? 0 : std::atoi(text);
}

}  // namespace

void notify_supervisor(const std::string& message) {
  const char* path = std::getenv("NOTIFY_SOCKET");
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  if (path == nullptr || *path == '\0' || std::strlen(path) >= sizeof to.sun_path) return;
  std::strcpy(to.sun_path, path);
  // '@' stands for the zero of an abstract name.
  if (*path == '@') to.sun_path[0] = '\0';
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + std::strlen(path));
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return;
  ::sendto(socket, message.data(), message.size(), MSG_NOSIGNAL, reinterpret_cast<sockaddr*>(&to),
           length);
  ::close(socket);
}

std::vector<int> take_passed_sockets() {
  std::vector<int> all;
  if (number_in("LISTEN_PID") == ::getpid()) {
    for (int i = 0; i < number_in("LISTEN_FDS"); ++i) {
      ::fcntl(first_passed + i, F_SETFD, FD_CLOEXEC);
      all.push_back(first_passed + i);
    }
  }
  for (const char* name : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"}) ::unsetenv(name);
  return all;
}

}  // namespace baton::server
