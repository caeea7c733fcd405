// Sockets: listens on Unix and TCP addresses, and carries frames between connections and the
// frontend.
//
// Everything runs on one io_context and its one thread. The server reads a connection when bytes
// have arrived, as many as there are, and handles all its messages at once. It gathers replies and
// writes them once per turn of the loop. Numbers and sizes are bounded (ServerLimits): the server
// ends a connection whose client does not read, and stops reading from all clients while the
// journal is far behind.
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

  // Replaces the engine.
  void attach(Engine& engine) { engine_ = &engine; }

  // Throws io::ListenError. The server accepts no connection before start().
  void listen(const io::Address& address, const io::SocketAccess& access = {});
  // Takes over a listening socket that another program has made, such as systemd.
  void adopt(int descriptor);
  void start();
  // The addresses on which it listens, with the ports that the system chose.
  std::vector<std::string> addresses() const;

  // No new connections.
  void stop_listening();
  std::size_t connections() const { return connections_.size(); }

  // Ends the current turn of the loop soon: the engine flushes and connections write.
  void turn();
  // Is called after each turn.
  void on_turn(std::function<void()> what) { on_turn_ = std::move(what); }
  // The loop has nothing to do. True if it should look again at once instead of sleeping, because a
  // client will probably send a request.
  bool stays_awake();
  // All messages are written to their sockets.
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
