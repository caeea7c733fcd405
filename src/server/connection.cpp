#include "server/connection.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <utility>

namespace baton::server {

namespace {

namespace asio = boost::asio;
constexpr std::size_t room_kept = 64 * 1024;

}  // namespace

Connection::Connection(Server& server, Server::Socket socket)
    : server_(server), socket_(std::move(socket)), since_(std::chrono::steady_clock::now()) {
  boost::system::error_code ignored;
  socket_.non_blocking(true, ignored);
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
}

void Connection::start() {
  server_.desk_.arrive(*this);
  wait_for_input();
}

void Connection::wait_for_input() {
  socket_.async_wait(
      Server::Socket::wait_read,
      [self = shared_from_this()](const boost::system::error_code& error) { self->read(error); });
}

void Connection::read(const boost::system::error_code& waited) {
  if (is_closed_) return;
  if (is_going_) return discard_input();
  server_.desk_.wake();
  boost::system::error_code error = waited;
  std::size_t count = 0;
  if (!error) count = socket_.read_some(asio::buffer(server_.buffer_), error);
  if (error == asio::error::would_block || error == asio::error::interrupted) {
    return wait_for_input();
  }
  if (error) return close();
  take({server_.buffer_.data(), count});
  server_.turn();
  if (is_closed_) return;
  if (server_.engine_->is_congested() && !is_going_) {
    server_.paused_.push_back(shared_from_this());
  } else {
    wait_for_input();
  }
}

void Connection::take(std::string_view bytes) {
  const std::size_t before = cutter_.half_arrived();
  const auto outcome = cutter_.feed(bytes, [this](std::string_view frame) {
    server_.desk_.receive(*this, frame);
    return !is_going_ && !is_closed_;
  });
  server_.half_arrived_bytes_ += cutter_.half_arrived() - before;
  if (outcome == FrameCutter::Outcome::overlong) {
    hang_up(Error::too_large, "a frame is longer than " + std::to_string(largest_frame) + " bytes");
  } else if (server_.half_arrived_bytes_ > server_.limits_.half_arrived_bytes &&
             cutter_.half_arrived() > 0) {
    hang_up(Error::too_many, "too many frames are half arrived");
  }
}

// It was told to go. Reading on lets it see why before the socket is closed.
void Connection::discard_input() {
  boost::system::error_code error;
  socket_.read_some(asio::buffer(server_.buffer_), error);
  if (error && error != asio::error::would_block) return close();
  wait_for_input();
}

void Connection::send(const proto::ServerMessage& message) {
  if (is_going_ || is_closed_ || is_overfull_) return;
  append_frame(out_, message);
  is_overfull_ = out_.size() - out_sent_ > server_.limits_.unsent_bytes;
  if (is_dirty_) return;
  is_dirty_ = true;
  server_.dirty_.push_back(shared_from_this());
  server_.turn();
}

void Connection::hang_up(Error error, const std::string& text) {
  if (is_going_ || is_closed_) return;
  proto::ServerMessage message;
  message.mutable_goodbye()->set_error(static_cast<std::uint32_t>(error));
  message.mutable_goodbye()->set_message(text);
  send(message);
  is_going_ = true;
  since_ = std::chrono::steady_clock::now();
  server_.desk_.leave(*this);
}

void Connection::flush() {
  is_dirty_ = false;
  if (is_closed_) return;
  if (is_overfull_) return close();
  if (is_waiting_to_write_) return;
  boost::system::error_code error;
  while (out_sent_ < out_.size()) {
    const auto rest = asio::buffer(out_.data() + out_sent_, out_.size() - out_sent_);
    out_sent_ += socket_.write_some(rest, error);
    if (error == asio::error::interrupted) continue;
    if (error == asio::error::would_block) return wait_until_writable();
    if (error) return close();
  }
  written();
}

void Connection::wait_until_writable() {
  is_waiting_to_write_ = true;
  socket_.async_wait(Server::Socket::wait_write,
                     [self = shared_from_this()](const boost::system::error_code&) {
                       self->is_waiting_to_write_ = false;
                       self->flush();
                     });
}

void Connection::written() {
  out_sent_ = 0;
  if (out_.capacity() > room_kept) {
    std::string().swap(out_);
  } else {
    out_.clear();
  }
  boost::system::error_code ignored;
  if (is_going_) socket_.shutdown(Server::Socket::shutdown_send, ignored);
}

void Connection::close() {
  if (is_closed_) return;
  is_closed_ = true;
  server_.half_arrived_bytes_ -= cutter_.half_arrived();
  boost::system::error_code ignored;
  socket_.close(ignored);
  if (!is_going_) server_.desk_.leave(*this);
  server_.remove(*this);
}

bool Connection::is_overdue(std::chrono::steady_clock::time_point now) const {
  if (is_going_) return now - since_ > server_.limits_.time_to_go;
  return !has_greeted() && now - since_ > server_.limits_.time_to_greet;
}

}  // namespace baton::server
