#include "cli/network/raw_sockets.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "cli/network/process_group.h"
#include "io/descriptor.h"

namespace baton::cli {

namespace {

using io::Descriptor;

// About what a message of an algorithm takes with its headers.
using Message = std::array<char, 48>;

// A connection from one process to the next.
struct Hop {
  Descriptor sender;
  Descriptor receiver;
};

Hop connect_on_loopback() {
  const Descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  Hop hop{Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), Descriptor()};
  if (::bind(listener.get(), generic, size) != 0 || ::listen(listener.get(), 1) != 0 ||
      ::getsockname(listener.get(), generic, &size) != 0 ||
      ::connect(hop.sender.get(), generic, size) != 0) {
    throw ProcessGroupError("there is no connection on loopback");
  }
  hop.receiver = Descriptor(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  const int at_once = 1;
  ::setsockopt(hop.sender.get(), IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
  return hop;
}

bool send_message(const Hop& hop) {
  const Message message{};
  const ssize_t sent = ::send(hop.sender.get(), message.data(), message.size(), MSG_NOSIGNAL);
  return sent == static_cast<ssize_t>(message.size());
}

bool receive_message(const Hop& hop) {
  Message message{};
  const ssize_t size = ::recv(hop.receiver.get(), message.data(), message.size(), MSG_WAITALL);
  return size == static_cast<ssize_t>(message.size());
}

// A process of the ring, until the one before it is gone.
pid_t start_passing_on(std::vector<Hop>& ring, std::uint32_t self) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const Hop before{Descriptor(), std::move(ring[self - 1].receiver)};
  const Hop next{std::move(ring[self].sender), Descriptor()};
  ring.clear();
  while (receive_message(before) && send_message(next)) {
  }
  ::_exit(0);
}

}  // namespace

double message_time_us(const RawSockets& options) {
  using Clock = std::chrono::steady_clock;
  std::vector<Hop> ring(options.processes);
  for (Hop& hop : ring) hop = connect_on_loopback();
  std::vector<pid_t> children;
  for (std::uint32_t i = 1; i < options.processes; ++i) {
    children.push_back(start_passing_on(ring, i));
    if (children.back() < 0) throw ProcessGroupError("cannot start a process");
  }
  // This process is the ring's first.
  for (std::uint32_t i = 0; i < options.under_way; ++i) send_message(ring.front());
  const auto began = Clock::now();
  const auto end = began + options.length;
  std::uint64_t rounds = 0;
  auto now = began;
  for (; now < end && receive_message(ring.back()) && send_message(ring.front()); ++rounds) {
    now = Clock::now();
  }
  ring.clear();
  for (const pid_t child : children) ::waitpid(child, nullptr, 0);
  if (rounds == 0) throw ProcessGroupError("nothing comes around a ring of sockets");
  return std::chrono::duration<double, std::micro>(now - began).count() /
         static_cast<double>(rounds * options.processes);
}

RawTimes raw_times(std::uint32_t processes) {
  const double many = message_time_us({.processes = processes, .under_way = processes});
  const double one = message_time_us({.processes = processes, .under_way = 1});
  return {std::min(many, one), std::max(many, one)};
}

}  // namespace baton::cli
