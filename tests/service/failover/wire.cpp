#include "service/failover/wire.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace baton::test {

namespace {

constexpr std::size_t most_held_bytes = 4 * 1024 * 1024;  // of one direction
constexpr std::size_t most_read_bytes = 64 * 1024;

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

int bound_socket(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  const sockaddr_in address = loopback(port);
  if (::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    return socket;
  }
  ::close(socket);
  throw std::runtime_error("cannot bind a port of the test's own");
}

void hurry(int socket) {
  const int yes = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

// The other side is told by a reset, not by an end.
void break_off(int& socket) {
  if (socket < 0) return;
  const linger at_once{1, 0};
  ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  ::close(std::exchange(socket, -1));
}

}  // namespace

// --- One wire -----------------------------------------------------------------------------------

Wire::Wire(Network& network, std::uint16_t target)
    : network_(network), target_(target), listener_(bound_socket(port_.number())) {
  listen(true);
}

// A socket that is bound and does not listen keeps its port, and refuses.
void Wire::listen(bool is_listening) {
  if (std::exchange(is_listening_, is_listening) == is_listening) return;
  if (is_listening) {
    ::listen(listener_, 128);
  } else {
    ::shutdown(listener_, SHUT_RD);
  }
}

void Wire::cut(Way way, Whose whose) {
  network_.change([&] {
    cuts_up_ = way != Way::down;
    cuts_down_ = way != Way::up;
    cuts_whose_ = whose;
  });
}

void Wire::heal() {
  network_.change([&] {
    cuts_up_ = cuts_down_ = false;
    delay_ = {};
    stalls_ = 0;
    hangs_up_ = false;
    pieces_until_reset_ = 0;
    listen(true);
  });
}

void Wire::slow(std::chrono::milliseconds delay, int stalls, std::chrono::milliseconds stall) {
  network_.change([&] {
    delay_ = delay;
    stalls_ = stalls;
    stall_ = stall;
  });
}

void Wire::reset(Whose whose) {
  network_.change([&] {
    for (Connection& one : connections_) {
      if (whose == Whose::all || one.whose == whose) one.is_broken = true;
    }
  });
}

void Wire::refuse() {
  network_.change([&] { listen(false); });
}

void Wire::hang_up() {
  network_.change([&] { hangs_up_ = true; });
}

std::size_t Wire::accepted() const {
  const std::lock_guard lock(network_.mutex_);
  return accepted_;
}

void Wire::reset_at(Way way, std::size_t piece) {
  network_.change([&] {
    reset_way_ = way;
    pieces_until_reset_ = piece;
    has_reset_ = false;
  });
}

bool Wire::has_reset() const {
  const std::lock_guard lock(network_.mutex_);
  return has_reset_;
}

bool Wire::is_cut(const Connection& connection, bool is_up) const {
  if (cuts_whose_ != Whose::all && cuts_whose_ != connection.whose) return false;
  return is_up ? cuts_up_ : cuts_down_;
}

void Wire::accept() {
  while (true) {
    const int near = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (near < 0) return;
    ++accepted_;
    Connection connection;
    connection.near = near;
    connection.far = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = loopback(target_);
    hurry(connection.near);
    hurry(connection.far);
    // On loopback this takes no time.
    if (::connect(connection.far, reinterpret_cast<const sockaddr*>(&address), sizeof address) !=
        0) {
      connection.is_broken = true;
    }
    if (hangs_up_) connection.is_broken = true;
    ::fcntl(connection.far, F_SETFL, O_NONBLOCK);
    connections_.push_back(std::move(connection));
  }
}

void Wire::receive(Connection& connection, bool is_up) {
  Flow& flow = is_up ? connection.up : connection.down;
  char buffer[most_read_bytes];
  const ssize_t count = ::recv(is_up ? connection.near : connection.far, buffer, sizeof buffer, 0);
  if (count < 0) {
    if (errno != EAGAIN && errno != EINTR) connection.is_broken = true;
    return;
  }
  if (count == 0) {
    flow.has_ended = true;
    return;
  }
  std::string bytes(buffer, static_cast<std::size_t>(count));
  if (is_up && connection.whose == Whose::all) {
    const bool is_server = bytes.find("baton server") != std::string::npos;
    connection.whose = is_server ? Whose::servers : Whose::clients;
  }
  if (pieces_until_reset_ > 0 && (reset_way_ == Way::both || (reset_way_ == Way::up) == is_up) &&
      connection.whose != Whose::servers && --pieces_until_reset_ == 0) {
    has_reset_ = connection.is_broken = true;
    return;
  }
  Clock::time_point due = Clock::now() + delay_;
  std::uniform_int_distribution<int> hundred(0, 99);
  if (stalls_ > 0 && hundred(network_.random_) < stalls_) due += stall_;
  if (!flow.pieces.empty()) due = std::max(due, flow.pieces.back().due);
  flow.bytes += bytes.size();
  flow.pieces.push_back({due, std::move(bytes)});
}

void Wire::pass_on(Connection& connection, bool is_up, Clock::time_point now) {
  if (is_cut(connection, is_up)) return;
  Flow& flow = is_up ? connection.up : connection.down;
  const int to = is_up ? connection.far : connection.near;
  while (!flow.pieces.empty() && flow.pieces.front().due <= now) {
    std::string& bytes = flow.pieces.front().bytes;
    const ssize_t count = ::send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0) {
      if (errno != EAGAIN && errno != EINTR) connection.is_broken = true;
      return;
    }
    flow.bytes -= static_cast<std::size_t>(count);
    bytes.erase(0, static_cast<std::size_t>(count));
    if (bytes.empty()) flow.pieces.pop_front();
  }
  if (flow.pieces.empty() && flow.has_ended && !std::exchange(flow.is_ended, true)) {
    ::shutdown(to, SHUT_WR);
  }
}

void Wire::close(Connection& connection) {
  break_off(connection.near);
  break_off(connection.far);
}

// --- All of them --------------------------------------------------------------------------------

Network::Network(std::uint64_t seed) : random_(static_cast<std::minstd_rand::result_type>(seed)) {
  if (::pipe2(wake_, O_CLOEXEC | O_NONBLOCK) != 0) throw std::runtime_error("no pipe");
  thread_ = std::thread([this] { run(); });
}

Network::~Network() {
  change([this] { is_over_ = true; });
  thread_.join();
  for (Wire& wire : wires_) {
    for (auto& connection : wire.connections_) Wire::close(connection);
    ::close(wire.listener_);
  }
  for (const int end : wake_) ::close(end);
}

Wire& Network::add(std::uint16_t target) {
  Wire* added = nullptr;
  change([&] { added = &wires_.emplace_back(*this, target); });
  return *added;
}

void Network::change(const std::function<void()>& what) {
  const std::lock_guard lock(mutex_);
  what();
  [[maybe_unused]] const auto written = ::write(wake_[1], "", 1);
}

void Network::run() {
  while (true) {
    std::vector<pollfd> polled;
    auto next = Wire::Clock::time_point::max();
    {
      const std::lock_guard lock(mutex_);
      if (is_over_) return;
      polled.push_back({wake_[0], POLLIN, 0});
      const auto now = Wire::Clock::now();
      for (Wire& wire : wires_) {
        serve(wire, now);
        if (wire.is_listening_) polled.push_back({wire.listener_, POLLIN, 0});
        for (const auto& connection : wire.connections_) {
          for (const bool is_up : {true, false}) {
            const auto& flow = is_up ? connection.up : connection.down;
            const int from = is_up ? connection.near : connection.far;
            const int to = is_up ? connection.far : connection.near;
            const bool is_cut = wire.is_cut(connection, is_up);
            if (!is_cut && !flow.has_ended && flow.bytes < most_held_bytes) {
              polled.push_back({from, POLLIN, 0});
            }
            if (is_cut || flow.pieces.empty()) continue;
            if (flow.pieces.front().due <= now) {
              polled.push_back({to, POLLOUT, 0});
            } else {
              next = std::min(next, flow.pieces.front().due);
            }
          }
        }
      }
    }
    int timeout_ms = 1000;
    if (next != Wire::Clock::time_point::max()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - Wire::Clock::now());
      timeout_ms = static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1000));
    }
    ::poll(polled.data(), polled.size(), timeout_ms);
    char ignored[64];
    while (::read(wake_[0], ignored, sizeof ignored) > 0) {
    }
  }
}

// What can be done at once. A connection that is cut does not even learn that the other side is
// gone.
void Network::serve(Wire& wire, Wire::Clock::time_point now) {
  if (wire.is_listening_) wire.accept();
  for (auto& connection : wire.connections_) {
    for (const bool is_up : {true, false}) {
      auto& flow = is_up ? connection.up : connection.down;
      if (connection.is_broken || wire.is_cut(connection, is_up)) continue;
      if (!flow.has_ended && flow.bytes < most_held_bytes) wire.receive(connection, is_up);
      if (!connection.is_broken) wire.pass_on(connection, is_up, now);
    }
    if (connection.up.is_ended && connection.down.is_ended) connection.is_broken = true;
    if (connection.is_broken) Wire::close(connection);
  }
  wire.connections_.remove_if([](const auto& connection) { return connection.near < 0; });
}

}  // namespace baton::test
