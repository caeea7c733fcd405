#include "service/server/server.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "service/server/connection.h"

namespace baton::server {

namespace {

namespace asio = boost::asio;
constexpr std::size_t bytes_per_read = 256 * 1024;
constexpr std::chrono::milliseconds between_sweeps{1000};

}  // namespace

Server::Server(asio::io_context& io, Engine& engine, SessionFrontend& frontend, ServerLimits limits)
    : io_(io),
      engine_(&engine),
      frontend_(frontend),
      limits_(limits),
      poller_(io),
      buffer_(bytes_per_read),
      sweeper_(io) {}

Server::~Server() {
  const auto all = std::exchange(connections_, {});
  for (const auto& connection : all) connection->close();
}

void Server::listen(const io::Address& address, const io::SocketAccess& access) {
  listeners_.push_back(std::make_unique<io::Listener>(io_, address, access));
}

void Server::adopt(int descriptor) {
  listeners_.push_back(std::make_unique<io::Listener>(io_, descriptor));
}

std::vector<std::string> Server::addresses() const {
  std::vector<std::string> all;
  for (const auto& listener : listeners_) all.push_back(listener->address().url());
  return all;
}

void Server::start() {
  for (const auto& listener : listeners_) {
    listener->accept([this](auto socket) { accepted(socket.release()); });
  }
  poller_.start();
  sweep();
}

void Server::stop_listening() {
  for (const auto& listener : listeners_) listener->close();
}

bool Server::stays_awake() { return poller_.busy_poll().stays(std::chrono::steady_clock::now()); }

bool Server::is_all_written() const {
  return std::all_of(connections_.begin(), connections_.end(),
                     [](const auto& connection) { return connection->is_all_written(); });
}

// --- Connections --------------------------------------------------------------------------------

void Server::accepted(int socket) {
  auto connection = std::make_shared<Connection>(*this, socket);
  connections_.insert(connection);
  connection->start();
  if (connections_.size() > limits_.connections) {
    connection->hang_up(Error::too_many,
                        "the server has reached its limit of connections: try again later");
  }
}

void Server::remove(Connection& connection) { connections_.erase(connection.shared_from_this()); }

void Server::sweep() {
  const auto now = std::chrono::steady_clock::now();
  std::vector<std::shared_ptr<Connection>> overdue;
  for (const auto& connection : connections_) {
    if (connection->is_overdue(now)) overdue.push_back(connection);
  }
  for (const auto& connection : overdue) connection->close();
  sweeper_.expires_after(between_sweeps);
  sweeper_.async_wait([this](const boost::system::error_code& error) {
    if (!error) sweep();
  });
}

// --- Turns --------------------------------------------------------------------------------------

void Server::turn() {
  if (std::exchange(is_turn_posted_, true)) return;
  asio::post(io_, [this] { end_turn(); });
}

void Server::end_turn() {
  is_turn_posted_ = false;
  engine_->flush();
  const auto dirty = std::exchange(dirty_, {});
  for (const auto& connection : dirty) connection->flush();
  resume_reading();
  if (on_turn_) on_turn_();
}

void Server::resume_reading() {
  if (paused_.empty() || engine_->is_congested()) return;
  const auto paused = std::exchange(paused_, {});
  for (const auto& connection : paused) connection->resume_input();
}

}  // namespace baton::server
