// A client's connection over a socket: reads frames for the frontend and writes its replies.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "io/frames.h"
#include "service/server/client_port.h"
#include "service/server/server.h"

namespace baton::server {

class Connection final : public ClientPort,
                         private io::Poller::Watched,
                         public std::enable_shared_from_this<Connection> {
 public:
  // The socket is the connection's from now on.
  Connection(Server& server, int socket);
  ~Connection() override;

  void start();
  void send(const proto::ServerMessage& message) override;
  void make_room(std::size_t bytes) override;
  void hang_up(Error error, const std::string& message) override;

  // Writes as much as the other side takes.
  void flush();
  // Reads again, after a pause while the journal was far behind.
  void resume_input();
  bool is_all_written() const { return out_.empty(); }
  // Closes the socket at once, without a Goodbye.
  void close();
  // The client has sent no Hello in time, or has not left in time after a Goodbye.
  bool is_overdue(std::chrono::steady_clock::time_point now) const;

 private:
  void ready(bool can_read, bool can_write) override;
  void read();
  void take(std::string_view bytes);
  void discard_input();
  void watch();
  void written();

  Server& server_;
  int socket_;
  io::FrameCutter cutter_;
  std::string out_;
  std::size_t out_sent_ = 0;
  std::size_t room_ = 0;                         // beyond the limit, until all is written
  std::chrono::steady_clock::time_point since_;  // it began, or was told to go
  bool is_dirty_ = false;
  bool is_waiting_to_write_ = false;
  bool is_paused_ = false;
  bool is_going_ = false;
  bool is_overfull_ = false;
  bool is_closed_ = false;
};

}  // namespace baton::server
