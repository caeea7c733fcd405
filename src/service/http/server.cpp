#include "service/http/server.h"

#include <algorithm>
#include <utility>

#include "service/http/connection.h"

namespace baton::http {

namespace {

namespace asio = boost::asio;
constexpr std::size_t bytes_per_read = 64 * 1024;
constexpr std::chrono::milliseconds between_pulses{200};
constexpr std::chrono::milliseconds between_sweeps{200};
constexpr std::string_view scheme = "http://";

io::Address address_of(std::string text) {
  if (text.starts_with(scheme)) text.erase(0, scheme.size());
  return io::parse_address(text);
}

std::string url_of(const io::Address& address) {
  return address.is_unix() ? address.url() : std::string(scheme) + address.host_and_port();
}

}  // namespace

server::MakeSideServer side_server(Options options) {
  return [options = std::move(options)](server::Host& host) {
    return std::make_unique<Server>(host, options);
  };
}

Server::Server(server::Host& host, const Options& options)
    : host_(host),
      limits_(options.limits),
      api_(host, counters_),
      buffer_(bytes_per_read),
      sweeper_(host.io()),
      pulse_(host.io()),
      last_beat_(std::chrono::steady_clock::now()) {
  counters_.started_s =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  for (const std::string& text : options.listen) {
    const io::Address address = address_of(text);
    if (!address.is_loopback()) {
      host.log()->warn(
          "http on {} can be reached from other machines, and there is no "
          "authentication yet",
          text);
    }
    listeners_.push_back(std::make_unique<io::Listener>(host.io(), address));
  }
  for (const auto& listener : listeners_) {
    listener->accept([this](Socket socket) { accepted(std::move(socket)); });
  }
  sweep();
  pulse();
}

Server::~Server() {
  const auto all = std::exchange(connections_, {});
  for (const auto& connection : all) connection->abandon();
}

std::vector<std::string> Server::addresses() const {
  std::vector<std::string> all;
  for (const auto& listener : listeners_) all.push_back(url_of(listener->address()));
  return all;
}

void Server::stop_listening() {
  for (const auto& listener : listeners_) listener->close();
}

// The frontend has already answered every waiting request. This closes the connections that are
// left.
void Server::dismiss(Error, const std::string&) {
  const auto all = connections_;
  for (const auto& connection : all) connection->finish();
}

bool Server::is_all_written() const {
  return std::all_of(connections_.begin(), connections_.end(),
                     [](const auto& connection) { return connection->is_all_written(); });
}

void Server::accepted(Socket socket) {
  const auto connection = std::make_shared<Connection>(*this, std::move(socket));
  connections_.insert(connection);
  counters_.connections = connections_.size();
  if (connections_.size() > limits_.connections) {
    connection->refuse(503, Error::too_many,
                       "the server has reached its limit of connections: try again later");
  }
  connection->wait_for_input();
}

void Server::remove(Connection& connection) {
  connections_.erase(connection.shared_from_this());
  counters_.connections = connections_.size();
}

void Server::count(const std::string& route, unsigned status) {
  ++counters_.answered[{route, status}];
}

void Server::sweep() {
  const auto now = std::chrono::steady_clock::now();
  std::vector<std::shared_ptr<Connection>> overdue;
  for (const auto& connection : connections_) {
    if (connection->is_overdue(now)) overdue.push_back(connection);
  }
  for (const auto& connection : overdue) connection->expire();
  sweeper_.expires_after(between_sweeps);
  sweeper_.async_wait([this](const boost::system::error_code& error) {
    if (!error) sweep();
  });
}

void Server::pulse() {
  api_.pulse();
  const auto now = std::chrono::steady_clock::now();
  if (now - last_beat_ >= limits_.between_beats) {
    last_beat_ = now;
    api_.beat();
  }
  pulse_.expires_after(between_pulses);
  pulse_.async_wait([this](const boost::system::error_code& error) {
    if (!error) pulse();
  });
}

}  // namespace baton::http
