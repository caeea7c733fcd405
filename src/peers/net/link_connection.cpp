#include "peers/net/link_connection.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <cstring>
#include <utility>

#include "io/socket.h"
#include "peers/net/hello.h"
#include "peers/net/links.h"

namespace baton::net {

namespace {

constexpr std::size_t out_room_kept = 64 * 1024;
constexpr int most_writes_per_turn = 16;
constexpr std::chrono::milliseconds time_to_go{2000};
constexpr char first_of_tls = 0x16;

}  // namespace

LinkConnection::LinkConnection(Links& links, int socket, NodeId dialled)
    : links_(links), socket_(socket), dialled_(dialled), since_(std::chrono::steady_clock::now()) {
  io::send_at_once(socket_);
  ::fcntl(socket_, F_SETFD, FD_CLOEXEC);
  cutter_.limit(largest_hello);
  if (links_.tls() != nullptr)
    tls_ = std::make_unique<io::TlsStream>(*links_.tls(), dialled != nobody);
}

LinkConnection::~LinkConnection() {
  if (socket_ >= 0) ::close(socket_);
}

void LinkConnection::start() {
  watch();
  if (!is_closed_) write_soon();
}

void LinkConnection::watch() {
  if (links_.poller().watch(socket_, *this, true, is_blocked_)) return;
  close("the system cannot watch another socket");
}

std::string LinkConnection::address() const {
  boost::asio::ip::tcp::endpoint endpoint;
  auto length = static_cast<socklen_t>(endpoint.capacity());
  if (::getpeername(socket_, endpoint.data(), &length) != 0) return "unknown";
  endpoint.resize(length);
  return endpoint.address().to_string();
}

bool LinkConnection::is_overdue(std::chrono::steady_clock::time_point now) const {
  if (is_leaving_) return now - since_ > time_to_go;
  return link_ == nullptr && now - since_ > links_.options().time_to_greet;
}

// --- Reading ------------------------------------------------------------------------------------

void LinkConnection::ready(bool can_read, bool can_write) {
  const auto self = shared_from_this();
  if (can_write && is_blocked_) {
    is_blocked_ = false;
    flush();
    if (!is_closed_) watch();
  }
  if (can_read && !is_closed_) read();
}

void LinkConnection::read() {
  std::vector<char>& buffer = links_.buffer();
  const ssize_t count = ::recv(socket_, buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (count < 0 && io::is_for_later()) return;
  if (count < 0) return close(std::strerror(errno));
  if (count == 0) return close("the other end has closed the connection");
  silent_ticks_ = 0;
  if (is_leaving_) return;
  if (link_ != nullptr) link_->count_read(static_cast<std::size_t>(count));
  take({buffer.data(), static_cast<std::size_t>(count)});
}

void LinkConnection::take(std::string_view wire) {
  if (!std::exchange(has_begun_, true) && !begin(wire.front())) return;
  if (!tls_) return take_plain(wire);
  std::string plain;
  const bool is_fine = tls_->take(wire, plain);
  write_soon();
  if (!plain.empty()) take_plain(plain);
  if (is_fine || is_closed_ || is_leaving_) return;
  if (link_ != nullptr) return close(tls_->problem());
  links_.tell_refused(*this, tls_->problem());
  leave();
}

// The first byte shows whether the other end uses TLS: a Hello is too short for its length to begin
// with that byte.
bool LinkConnection::begin(char first) {
  if (tls_ && first == 0) {
    tls_.reset();
    must_be_refusal_ = true;
    if (dialled_ != nobody) return true;
    links_.refuse(*this, "this group uses TLS, and the connection came without");
    return false;
  }
  if (tls_ || first != first_of_tls) return true;
  links_.refuse(*this, "the connection came with TLS, but this group does not use TLS");
  return false;
}

void LinkConnection::take_plain(std::string_view bytes) {
  const auto outcome = cutter_.feed(bytes, [this](std::string_view frame) {
    take_frame(frame);
    return !is_closed_ && !is_leaving_;
  });
  if (outcome != io::FrameCutter::Outcome::overlong) return;
  if (link_ != nullptr) return close("a frame is longer than it may be");
  links_.refuse(*this, "the first message is not a Hello of a member of a Baton group");
}

void LinkConnection::take_frame(std::string_view frame) {
  const auto kind = frame.empty() ? FrameKind{} : static_cast<FrameKind>(frame.front());
  const std::string_view body = frame.substr(frame.empty() ? 0 : 1);
  if (kind == FrameKind::messages && link_ != nullptr) return link_->take(*this, body);
  if (kind == FrameKind::refusal) {
    if (const auto words = decode_refusal(body)) links_.tell_refused(*this, "it says: " + *words);
    return close("the other end refused the connection");
  }
  if (link_ != nullptr) return close("a frame is malformed");
  if (must_be_refusal_)
    return links_.refuse(*this, "this group uses TLS, and the answer came without");
  std::string problem = "the first message is not a Hello of a member of a Baton group";
  if (kind == FrameKind::hello) {
    const auto hello = decode_hello(body, problem);
    if (hello) return links_.meet(*this, *hello);
  }
  links_.refuse(*this, problem);
}

// --- Writing ------------------------------------------------------------------------------------

void LinkConnection::greet(std::string_view hello) {
  append_frame(greeting_, FrameKind::hello, hello);
  write_soon();
}

void LinkConnection::join(Link& link) {
  link_ = &link;
  cutter_.limit(io::largest_frame);
}

void LinkConnection::refuse(std::string_view why) {
  append_frame(greeting_, FrameKind::refusal, encode_refusal(why));
  leave();
}

void LinkConnection::leave() {
  if (is_leaving_ || is_closed_) return;
  is_leaving_ = true;
  since_ = std::chrono::steady_clock::now();
  write_soon();
}

void LinkConnection::write_soon() {
  if (is_closed_ || std::exchange(is_dirty_, true)) return;
  links_.write_soon(shared_from_this());
}

void LinkConnection::flush() {
  is_dirty_ = false;
  if (is_closed_ || is_blocked_) return;
  for (int writes = 0; writes < most_writes_per_turn; ++writes) {
    if (out_sent_ == out_.size() && !fill()) return written();
    const std::size_t before = out_sent_;
    const io::Written written_now = io::write(socket_, out_, out_sent_);
    if (link_ != nullptr && out_sent_ > before) link_->count_write(out_sent_ - before);
    if (written_now == io::Written::failed) return close(std::strerror(errno));
    if (written_now == io::Written::some) {
      is_blocked_ = true;
      return watch();
    }
  }
  write_soon();  // the others first
}

// Puts the next bytes to write into out_; false if there are none.
bool LinkConnection::fill() {
  out_.clear();
  out_sent_ = 0;
  if (!tls_) {
    out_.append(greeting_);
    greeting_.clear();
    if (link_ != nullptr) link_->write(out_);
    return !out_.empty();
  }
  if (tls_->is_ready()) {
    std::string plain = std::exchange(greeting_, {});
    if (link_ != nullptr) link_->write(plain);
    if (!plain.empty()) tls_->say(plain);
  }
  tls_->drain(out_);
  return !out_.empty();
}

void LinkConnection::written() {
  if (out_.capacity() > out_room_kept) std::string().swap(out_);
  if (is_leaving_) ::shutdown(socket_, SHUT_WR);
}

void LinkConnection::close(const std::string& why) {
  if (std::exchange(is_closed_, true)) return;
  links_.poller().watch(socket_, *this, false, false);
  ::close(std::exchange(socket_, -1));
  links_.closed(*this, why);
}

}  // namespace baton::net
