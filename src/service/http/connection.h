// One HTTP/1.1 connection: reads requests, one at a time, and writes their answers in order.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "service/http/server.h"

namespace baton::http {

class Connection final : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Server& server, Server::Socket socket);
  ~Connection();

  void wait_for_input();
  // An answer to what is no request, and the end.
  void refuse(unsigned status, Error error, const std::string& message);
  // Reads no more, but still writes the answers that are under way.
  void finish();
  // Closes the socket at once; a waiting request gets no answer.
  void abandon();

  bool is_all_written() const { return out_.empty() || is_closed_; }
  bool is_overdue(std::chrono::steady_clock::time_point now) const;
  // The client was too slow. If it has begun a request, it gets an answer that says so; then the
  // server hangs up.
  void expire();

 private:
  class Answering;
  struct Parsing;  // of a request that has begun to arrive
  using Clock = std::chrono::steady_clock;

  void read(const boost::system::error_code& error);
  void discard_input();
  void take_requests();
  bool parse();
  void begin_exchange();
  void lost();

  void answer(const Response& response, const std::string& route);
  void begin_events(const std::string& route);
  void send_chunk(std::string_view text);
  void end_events();
  void answered(bool is_last);

  void write(std::string_view bytes);
  void flush();
  void written();
  void close();

  Server& server_;
  Server::Socket socket_;
  const std::string peer_;
  std::string in_;  // that is not parsed yet
  std::unique_ptr<Parsing> parsing_;
  std::shared_ptr<Answering> exchange_;  // that is under way
  std::string out_;
  std::size_t out_sent_ = 0;
  Clock::time_point since_;  // it is idle, a request began to arrive, or it was told to go
  bool is_head_ = false;
  bool keeps_alive_ = true;
  bool is_version_1_0_ = false;
  bool is_waiting_for_input_ = false;
  bool is_flush_posted_ = false;
  bool is_waiting_to_write_ = false;
  bool is_going_ = false;
  bool is_closed_ = false;
};

}  // namespace baton::http
