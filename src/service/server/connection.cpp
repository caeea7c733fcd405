#include "service/server/connection.h"

#include <sys/socket.h>
#include <unistd.h>

#include "io/socket.h"

namespace baton::server {

namespace {

constexpr std::size_t room_kept = 64 * 1024;

}  // namespace

Connection::Connection(Server& server, int socket)
    : server_(server), socket_(socket), since_(std::chrono::steady_clock::now()) {
  io::send_at_once(socket_);
}

Connection::~Connection() {
  if (socket_ >= 0) ::close(socket_);
}

void Connection::start() {
  server_.frontend_.arrive(*this);
  watch();
}

void Connection::watch() {
  if (!server_.poller_.watch(socket_, *this, !is_paused_, is_waiting_to_write_)) close();
}

void Connection::resume_input() {
  if (is_closed_) return;
  is_paused_ = false;
  watch();
}

void Connection::ready(bool can_read, bool can_write) {
  const auto self = shared_from_this();
  if (can_write && is_waiting_to_write_) {
    is_waiting_to_write_ = false;
    flush();
    if (!is_closed_) watch();
  }
  if (can_read && !is_closed_) read();
}

void Connection::read() {
  if (is_going_) return discard_input();
  server_.frontend_.wake();
  const ssize_t count =
      ::recv(socket_, server_.buffer_.data(), server_.buffer_.size(), MSG_DONTWAIT);
  if (count < 0 && io::is_for_later()) return;
  if (count <= 0) return close();
  take({server_.buffer_.data(), static_cast<std::size_t>(count)});
  server_.turn();
  if (is_closed_ || is_going_ || !server_.engine_->is_congested()) return;
  is_paused_ = true;
  server_.paused_.push_back(shared_from_this());
  watch();
}

void Connection::take(std::string_view bytes) {
  const std::size_t before = cutter_.half_arrived();
  const auto outcome = cutter_.feed(bytes, [this](std::string_view frame) {
    server_.frontend_.receive(*this, frame);
    return !is_going_ && !is_closed_;
  });
  server_.half_arrived_bytes_ += cutter_.half_arrived() - before;
  if (outcome == io::FrameCutter::Outcome::overlong) {
    hang_up(Error::too_large,
            "a frame is longer than " + std::to_string(io::largest_frame) + " bytes");
  } else if (server_.half_arrived_bytes_ > server_.limits_.half_arrived_bytes &&
             cutter_.half_arrived() > 0) {
    hang_up(Error::too_many, "the server holds too many incomplete frames: try again later");
  }
}

// The server has sent Goodbye. It reads on and drops the bytes, because closing the socket now
// could discard the Goodbye before the client reads it.
void Connection::discard_input() {
  const ssize_t count =
      ::recv(socket_, server_.buffer_.data(), server_.buffer_.size(), MSG_DONTWAIT);
  if (count == 0 || (count < 0 && !io::is_for_later())) close();
}

void Connection::send(const proto::ServerMessage& message) {
  if (is_going_ || is_closed_ || is_overfull_) return;
  io::append_frame(out_, message);
  is_overfull_ = out_.size() - out_sent_ > server_.limits_.unsent_bytes + room_;
  if (is_dirty_) return;
  is_dirty_ = true;
  server_.dirty_.push_back(shared_from_this());
  server_.turn();
}

// Makes room for one large answer at a time.
void Connection::make_room(std::size_t bytes) {
  if (room_ == 0) room_ = bytes;
}

void Connection::hang_up(Error error, const std::string& text) {
  if (is_going_ || is_closed_) return;
  proto::ServerMessage message;
  message.mutable_goodbye()->set_error(static_cast<std::uint32_t>(error));
  message.mutable_goodbye()->set_message(text);
  send(message);
  is_going_ = true;
  since_ = std::chrono::steady_clock::now();
  server_.frontend_.leave(*this);
}

void Connection::flush() {
  is_dirty_ = false;
  if (is_closed_) return;
  if (is_overfull_) return close();
  if (is_waiting_to_write_) return;
  switch (io::write(socket_, out_, out_sent_)) {
    case io::Written::all:
      return written();
    case io::Written::some:
      is_waiting_to_write_ = true;
      return watch();
    case io::Written::failed:
      return close();
  }
}

void Connection::written() {
  out_sent_ = 0;
  room_ = 0;
  if (out_.capacity() > room_kept) {
    std::string().swap(out_);
  } else {
    out_.clear();
  }
  if (is_going_) ::shutdown(socket_, SHUT_WR);
}

void Connection::close() {
  if (is_closed_) return;
  is_closed_ = true;
  server_.half_arrived_bytes_ -= cutter_.half_arrived();
  server_.poller_.watch(socket_, *this, false, false);
  ::close(std::exchange(socket_, -1));
  if (!is_going_) server_.frontend_.leave(*this);
  server_.remove(*this);
}

bool Connection::is_overdue(std::chrono::steady_clock::time_point now) const {
  if (is_going_) return now - since_ > server_.limits_.time_to_go;
  return !has_greeted() && now - since_ > server_.limits_.time_to_greet;
}

}  // namespace baton::server
