#include "service/client/proxy.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace baton::test {

namespace {

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  return address;
}

bool send_all(int to, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t count = send(to, bytes, size, MSG_NOSIGNAL);
    if (count <= 0) return false;
    bytes += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace

Proxy::Proxy(const std::string& path, const std::string& server) : path_(path), server_(server) {
  listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address = address_of(path);
  if (bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(listener_, 8) != 0 || pipe(wake_) != 0)
    throw std::runtime_error("cannot listen on " + path);
  thread_ = std::thread([this] { run(); });
}

Proxy::~Proxy() {
  is_ending_ = true;
  (void)!write(wake_[1], "x", 1);
  thread_.join();
  for (const int descriptor : {listener_, wake_[0], wake_[1]}) close(descriptor);
}

void Proxy::cut_after(Direction direction, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  has_cut_ = false;
  passed_[0] = passed_[1] = 0;
  is_to_cut_ = true;
  cut_direction_ = direction;
  left_ = bytes;
}

void Proxy::run() {
  while (!is_ending_) {
    pollfd waits[2] = {{listener_, POLLIN, 0}, {wake_[0], POLLIN, 0}};
    poll(waits, 2, -1);
    if ((waits[0].revents & POLLIN) == 0) continue;
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    const int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_un address = address_of(server_);
    if (connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
      carry(client, server);
    close(client);
    close(server);
  }
}

void Proxy::carry(int client, int server) {
  while (!is_ending_) {
    pollfd waits[3] = {{client, POLLIN, 0}, {server, POLLIN, 0}, {wake_[0], POLLIN, 0}};
    poll(waits, 3, -1);
    if (waits[0].revents != 0 && !pass(client, server, Direction::to_server)) return;
    if (waits[1].revents != 0 && !pass(server, client, Direction::to_client)) return;
  }
}

bool Proxy::pass(int from, int to, Direction direction) {
  char bytes[4096];
  const ssize_t count = recv(from, bytes, sizeof bytes, 0);
  if (count <= 0) return false;
  auto size = static_cast<std::size_t>(count);
  bool cuts = false;
  {
    const std::lock_guard lock(mutex_);
    if (is_to_cut_ && direction == cut_direction_) {
      cuts = size >= left_;
      size = std::min(size, left_);
      left_ -= size;
      is_to_cut_ = !cuts;
    }
  }
  passed_[static_cast<int>(direction)] += size;
  const bool is_sent = send_all(to, bytes, size);
  has_cut_ = has_cut_ || cuts;
  return is_sent && !cuts;
}

}  // namespace baton::test
