// A client that knows frames and messages, and nothing else: it says exactly what a test wants.
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "baton/client.pb.h"
#include "baton/error.h"
#include "io/frames.h"
#include "service/state/versions.h"

namespace baton::server {

// How long a test waits for what must come. A slow machine is no reason to fail.
inline constexpr std::chrono::seconds patience{60};

class RawClient {
 public:
  RawClient() = default;
  explicit RawClient(const std::string& url) { connect(url); }
  RawClient(RawClient&& other) noexcept { *this = std::move(other); }
  RawClient& operator=(RawClient&& other) noexcept {
    std::swap(socket_, other.socket_);
    std::swap(in_, other.in_);
    std::swap(next_request_, other.next_request_);
    session = other.session;
    return *this;
  }
  ~RawClient() { hang_up(); }

  bool connect(const std::string& url) {
    hang_up();
    in_.clear();
    const bool is_unix = url.starts_with("unix:");
    socket_ = ::socket(is_unix ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un path{};
    path.sun_family = AF_UNIX;
    sockaddr_in port{};
    port.sin_family = AF_INET;
    port.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (is_unix) {
      std::strncpy(path.sun_path, url.c_str() + 5, sizeof path.sun_path - 1);
    } else {
      port.sin_port = htons(static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1))));
    }
    const auto* to =
        is_unix ? reinterpret_cast<sockaddr*>(&path) : reinterpret_cast<sockaddr*>(&port);
    const socklen_t length = is_unix ? sizeof path : sizeof port;
    if (::connect(socket_, to, length) == 0) return true;
    hang_up();
    return false;
  }
  void hang_up() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }
  bool is_connected() const { return socket_ >= 0; }
  int socket() const { return socket_; }

  bool send_bytes(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  bool send(const proto::ClientMessage& message) {
    std::string bytes;
    io::append_frame(bytes, message);
    return send_bytes(bytes);
  }

  // The next message, or none if the server hangs up or says nothing for that long.
  std::optional<proto::ServerMessage> receive(std::chrono::milliseconds wait = patience) {
    const auto deadline = std::chrono::steady_clock::now() + wait;
    while (true) {
      if (auto message = take()) return message;
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          deadline - std::chrono::steady_clock::now());
      pollfd one{socket_, POLLIN, 0};
      if (socket_ < 0 || ::poll(&one, 1, static_cast<int>(std::max<long>(left.count(), 0))) <= 0) {
        return std::nullopt;
      }
      char buffer[65536];
      const ssize_t count = ::recv(socket_, buffer, sizeof buffer, 0);
      if (count <= 0) {
        hang_up();
        return std::nullopt;
      }
      in_.append(buffer, static_cast<std::size_t>(count));
    }
  }
  // The next of a kind; others are passed over.
  template <class Has>
  std::optional<proto::ServerMessage> receive_if(Has has) {
    while (auto message = receive()) {
      if (has(*message)) return message;
    }
    return std::nullopt;
  }
  std::optional<proto::Reply> reply_to(std::uint64_t request) {
    const auto message = receive_if([request](const proto::ServerMessage& one) {
      return one.has_reply() && one.reply().request() == request;
    });
    if (!message) return std::nullopt;
    return message->reply();
  }

  bool greet() {
    proto::ClientMessage message;
    message.mutable_hello()->set_protocol(service::protocol_version);
    if (!send(message)) return false;
    const auto answer = receive();
    return answer && answer->has_welcome();
  }
  proto::Request& next(proto::ClientMessage& message) {
    proto::Request& request = *message.mutable_request();
    request.set_request(next_request_++);
    request.set_confirmed(request.request());
    return request;
  }
  // Numbers that an earlier client of the session may have used.
  void skip_requests(std::uint64_t number) { next_request_ += number; }
  std::optional<proto::Reply> ask(const proto::ClientMessage& message) {
    if (!send(message)) return std::nullopt;
    return reply_to(message.request().request());
  }

  bool open(const std::string& nonce, bool fast = false, std::int64_t ttl_us = 60'000'000) {
    proto::ClientMessage message;
    auto& open = *next(message).mutable_open_session();
    open.set_nonce(nonce);
    open.set_ttl(ttl_us);
    open.set_fast(fast);
    const auto reply = ask(message);
    if (!reply || !reply->has_opened()) return false;
    session = reply->opened().session();
    return true;
  }
  bool resume(const std::string& nonce) {
    proto::ClientMessage message;
    message.mutable_resume()->set_session(session);
    message.mutable_resume()->set_nonce(nonce);
    if (!send(message)) return false;
    const auto answer =
        receive_if([](const proto::ServerMessage& one) { return one.has_resumed(); });
    return answer && answer->resumed().error() == 0;
  }
  proto::ClientMessage acquire_message(const std::string& name, std::optional<int> wait = {}) {
    proto::ClientMessage message;
    auto& acquire = *next(message).mutable_acquire();
    acquire.add_names(name);
    if (wait) acquire.set_wait(*wait);
    return message;
  }
  std::optional<proto::Reply> acquire(const std::string& name, std::optional<int> wait = {}) {
    return ask(acquire_message(name, wait));
  }
  std::optional<proto::Reply> release(const std::string& name) {
    proto::ClientMessage message;
    next(message).mutable_release()->add_names(name);
    return ask(message);
  }
  std::optional<proto::Reply> put(const std::string& key, const std::string& value) {
    proto::ClientMessage message;
    auto& put = *next(message).mutable_put();
    put.set_key(key);
    put.set_value(value);
    return ask(message);
  }
  std::optional<proto::Answer> read(const proto::Read& read) {
    proto::ClientMessage message;
    *message.mutable_read() = read;
    if (!send(message)) return std::nullopt;
    const auto answer =
        receive_if([](const proto::ServerMessage& one) { return one.has_answer(); });
    if (!answer) return std::nullopt;
    return answer->answer();
  }

  std::uint64_t session = 0;

 private:
  std::optional<proto::ServerMessage> take() {
    if (in_.size() < io::frame_header) return std::nullopt;
    std::size_t length = 0;
    for (std::size_t i = 0; i < io::frame_header; ++i) {
      length = length << 8 | static_cast<unsigned char>(in_[i]);
    }
    if (in_.size() < io::frame_header + length) return std::nullopt;
    proto::ServerMessage message;
    EXPECT_TRUE(message.ParseFromArray(in_.data() + io::frame_header, static_cast<int>(length)));
    in_.erase(0, io::frame_header + length);
    return message;
  }

  int socket_ = -1;
  std::string in_;
  std::uint64_t next_request_ = 1;
};

}  // namespace baton::server
