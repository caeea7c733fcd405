// Connections of the programs that measure other lock services: one thread and one epoll for all of
// them, as in `baton bench`, so that the server has the other cores for itself.
#pragma once

#include <netdb.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "lock_load.h"

namespace peers {

[[noreturn]] inline void fail_with_errno(std::string_view what) {
  fail(fmt::format("{}: {}", what, std::strerror(errno)));
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  int get() const { return number_; }

 private:
  int number_;
};

// HOST:PORT. Small messages leave at once.
inline Descriptor connect_to(const std::string& endpoint) {
  const auto colon = endpoint.rfind(':');
  if (colon == std::string::npos) fail(fmt::format("'{}' is not HOST:PORT", endpoint));
  addrinfo* found = nullptr;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  if (getaddrinfo(endpoint.substr(0, colon).c_str(), endpoint.substr(colon + 1).c_str(), &hints,
                  &found) != 0) {
    fail(fmt::format("there is no host '{}'", endpoint));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> all(found, freeaddrinfo);
  Descriptor connection(socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (connect(connection.get(), found->ai_addr, found->ai_addrlen) != 0) fail_with_errno(endpoint);
  const int yes = 1;
  setsockopt(connection.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  return connection;
}

// Which of many sockets can be read.
class Readable {
 public:
  Readable() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    if (epoll_.get() < 0) fail_with_errno("epoll_create1");
  }

  void watch(int socket, std::size_t index) {
    epoll_event event{.events = EPOLLIN, .data = {.u64 = index}};
    if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, socket, &event) != 0) fail_with_errno("epoll_ctl");
  }

  void forget(int socket) { epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, socket, nullptr); }

  // Calls read(index) for each; returns when there were some, or when the time has come.
  template <class Read>
  void wait(Clock::time_point until, const Read& read) {
    const std::chrono::nanoseconds left_time = until - Clock::now();
    const auto left_ns = std::max<std::int64_t>(left_time.count(), 0);
    const timespec left{left_ns / 1'000'000'000, left_ns % 1'000'000'000};
    const int count =
        epoll_pwait2(epoll_.get(), ready_.data(), static_cast<int>(ready_.size()), &left, nullptr);
    if (count < 0 && errno != EINTR) fail_with_errno("epoll_pwait2");
    for (int i = 0; i < count; ++i) read(static_cast<std::size_t>(ready_[i].data.u64));
  }

 private:
  Descriptor epoll_;
  std::array<epoll_event, 256> ready_;
};

}  // namespace peers
