// Sockets: listens on Unix and TCP addresses, and carries frames between connections and the
// frontend.
//
// Everything runs on one io_context and its one thread. A connection is read whenever something has
// come, as much as there is, and all its messages are handled at once; what is to be sent is
// gathered and written once per turn of the loop. Numbers and sizes are bounded (ServerLimits): a
// connection that does not read what it is sent is ended, and nobody is read from while the journal
// is far behind.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "io/listener.h"
#include "io/poller.h"
#include "service/server/session_frontend.h"

namespace baton::server {

struct ServerLimits {
  std::size_t connections = 20'000;
  std::size_t unsent_bytes = 32 * 1024 * 1024;         // of one connection
  std::size_t half_arrived_bytes = 256 * 1024 * 1024;  // of frames, over all connections
  std::chrono::milliseconds time_to_greet{10'000};
  std::chrono::milliseconds time_to_go{2'000};  // after Goodbye
};

class Connection;

class Server {
 public:
  Server(boost::asio::io_context& io, Engine& engine, SessionFrontend& frontend,
         ServerLimits limits);
  ~Server();

  // Another engine takes the place of the one that it had.
  void attach(Engine& engine) { engine_ = &engine; }

  // Throws io::ListenError. Nobody is accepted before start().
  void listen(const io::Address& address, const io::SocketAccess& access = {});
  // A socket that somebody else has made, such as systemd, and that listens.
  void adopt(int descriptor);
  void start();
  // What it listens on, with the ports that were found.
  std::vector<std::string> addresses() const;

  // No new connections.
  void stop_listening();
  std::size_t connections() const { return connections_.size(); }

  // Something was submitted or is to be sent: see to it at the end of this turn.
  void turn();
  // Is called after each turn.
  void on_turn(std::function<void()> what) { on_turn_ = std::move(what); }
  // Nothing is to be done now: whether to look again at once, as somebody is about to ask.
  bool stays_awake();
  // All that was said is on its way.
  bool is_all_written() const;

 private:
  friend class Connection;
  void accepted(int socket);
  void end_turn();
  void sweep();
  void resume_reading();
  void remove(Connection& connection);

  boost::asio::io_context& io_;
  Engine* engine_;
  SessionFrontend& frontend_;
  ServerLimits limits_;
  io::Poller poller_;
  std::vector<std::unique_ptr<io::Listener>> listeners_;
  std::unordered_set<std::shared_ptr<Connection>> connections_;
  std::vector<std::shared_ptr<Connection>> dirty_;   // have something to send
  std::vector<std::shared_ptr<Connection>> paused_;  // are not read from for now
  std::vector<char> buffer_;                         // that all connections are read into
  std::size_t half_arrived_bytes_ = 0;
  bool is_turn_posted_ = false;
  std::function<void()> on_turn_;
  boost::asio::steady_timer sweeper_;
};

}  // namespace baton::server
