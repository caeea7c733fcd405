// Writing to a socket that must not wait.
#pragma once

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace baton::io {

// Whether the call that failed may be made again, now or later.
inline bool is_for_later() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

// Small messages are not held back for others to join them.
inline void send_at_once(int socket) {
  const int yes = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

enum class Written : std::uint8_t { all, some, failed };

// Writes what is behind the first `sent` bytes, as far as the kernel takes it now, and counts it.
// Failed: errno says why.
inline Written write(int socket, std::string_view bytes, std::size_t& sent) {
  while (sent < bytes.size()) {
    const ssize_t count =
        ::send(socket, bytes.data() + sent, bytes.size() - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count >= 0) {
      sent += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return Written::some;
    } else if (errno != EINTR) {
      return Written::failed;
    }
  }
  return Written::all;
}

}  // namespace baton::io
