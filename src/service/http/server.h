// The HTTP server, on the same loop and thread as the client protocol: listens, and carries
// requests between connections and the API.
//
// Everything is bounded (Limits). A connection has one request under way; further requests wait,
// and the server stops reading when they are large. The server hangs up on a client that sends a
// request too slowly, sends nothing for a long time, or does not read its answers.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "io/listener.h"
#include "service/http/api.h"
#include "service/http/counters.h"
#include "service/server/host.h"
#include "service/server/side_server.h"

namespace baton::http {

struct Limits {
  std::size_t connections = 4096;
  std::uint32_t header_bytes = 8 * 1024;
  std::size_t body_bytes = 128 * 1024;
  std::size_t unsent_bytes = 32 * 1024 * 1024;      // of one connection
  std::chrono::milliseconds time_to_ask{10'000};    // from the first byte of a request to its last
  std::chrono::milliseconds idle_time{120'000};     // between requests
  std::chrono::milliseconds time_to_go{2'000};      // after the last answer
  std::chrono::milliseconds between_beats{15'000};  // of a stream
};

struct Options {
  std::vector<std::string> listen;  // HOST:PORT (port 0: any that is free) or unix:PATH
  Limits limits;
};

// For server::HostOptions and server::ServeOptions.
server::MakeSideServer side_server(Options options);

class Connection;

class Server final : public server::SideServer {
 public:
  using Socket = io::Listener::Socket;

  // Throws io::AddressError, io::ListenError.
  Server(server::Host& host, const Options& options);
  ~Server() override;

  void open() override { api_.open(); }
  std::vector<std::string> addresses() const override;
  std::size_t connections() const override { return connections_.size(); }
  void stop_listening() override;
  void dismiss(Error error, const std::string& message) override;
  bool is_all_written() const override;

 private:
  friend class Connection;
  void accepted(Socket socket);
  void remove(Connection& connection);
  void count(const std::string& route, unsigned status);
  void sweep();
  void pulse();

  server::Host& host_;
  Limits limits_;
  Counters counters_;
  Api api_;
  std::vector<std::unique_ptr<io::Listener>> listeners_;
  std::unordered_set<std::shared_ptr<Connection>> connections_;
  std::vector<char> buffer_;  // that all connections are read into
  boost::asio::steady_timer sweeper_;
  boost::asio::steady_timer pulse_;
  std::chrono::steady_clock::time_point last_beat_;
};

}  // namespace baton::http
