// A client of HTTP that says exactly what a test wants, and takes answers apart.
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace baton::http {

// How long a test waits for what must come. A slow machine is no reason to fail.
inline constexpr std::chrono::seconds patience{60};

struct Answer {
  int status = 0;
  std::string header;
  std::string body;

  boost::json::value json() const {
    boost::json::error_code error;
    auto value = boost::json::parse(body, error);
    EXPECT_FALSE(error) << body;
    return value;
  }
  std::string error() const { return std::string(json().at("error").as_string()); }
  std::string message() const { return std::string(json().at("message").as_string()); }
  std::string session() const { return std::string(json().at("session").as_string()); }
  std::uint64_t number(std::string_view name) const {
    return json().at({name.data(), name.size()}).to_number<std::uint64_t>();
  }
};

inline std::uint16_t port_of(const std::string& url) {
  return static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
}

class TestClient {
 public:
  explicit TestClient(const std::string& url) : TestClient(port_of(url)) {}
  explicit TestClient(std::uint16_t port) {
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons(port);
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) hang_up();
  }
  TestClient(TestClient&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)), in_(std::move(other.in_)) {}
  TestClient& operator=(TestClient&& other) noexcept {
    std::swap(socket_, other.socket_);
    std::swap(in_, other.in_);
    return *this;
  }
  ~TestClient() { hang_up(); }

  bool is_connected() const { return socket_ >= 0; }
  void hang_up() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }

  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  static std::string text_of(const std::string& method, const std::string& target,
                             const std::string& body = {}, const std::string& header = {}) {
    std::string text = method + " " + target + " HTTP/1.1\r\nHost: test\r\n" + header;
    if (!body.empty() || method == "POST" || method == "PUT") {
      text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    }
    return text + "\r\n" + body;
  }

  // The next answer, whole; nothing if none comes.
  std::optional<Answer> receive(std::chrono::milliseconds wait = patience) {
    const auto deadline = std::chrono::steady_clock::now() + wait;
    while (true) {
      if (auto answer = take()) return answer;
      if (!read_more(deadline)) return std::nullopt;
    }
  }
  // Of a stream of events: all that has come until this has.
  std::string receive_until(const std::string& text) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (in_.find(text) == std::string::npos) {
      if (!read_more(deadline)) {
        ADD_FAILURE() << "'" << text << "' never came: " << in_;
        break;
      }
    }
    return in_;
  }
  // Whether the other side hangs up.
  bool is_hung_up() {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (read_more(deadline)) continue;
    return socket_ < 0;
  }

  Answer ask(const std::string& method, const std::string& target, const std::string& body = {},
             const std::string& header = {}) {
    send(text_of(method, target, body, header));
    auto answer = receive();
    EXPECT_TRUE(answer) << method << " " << target << " was not answered";
    return answer.value_or(Answer{});
  }

 private:
  bool read_more(std::chrono::steady_clock::time_point deadline) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    pollfd one{socket_, POLLIN, 0};
    if (socket_ < 0 || ::poll(&one, 1, static_cast<int>(std::max<long>(left.count(), 0))) <= 0) {
      return false;
    }
    char buffer[65536];
    const ssize_t count = ::recv(socket_, buffer, sizeof buffer, 0);
    if (count <= 0) {
      hang_up();
      return false;
    }
    in_.append(buffer, static_cast<std::size_t>(count));
    return true;
  }

  std::optional<Answer> take() {
    const std::size_t end = in_.find("\r\n\r\n");
    if (end == std::string::npos) return std::nullopt;
    Answer answer;
    answer.header = in_.substr(0, end + 2);
    answer.status = std::stoi(answer.header.substr(9, 3));
    if (answer.status == 100) {
      in_.erase(0, end + 4);
      return take();
    }
    const std::size_t at = answer.header.find("Content-Length: ");
    const std::size_t length =
        at == std::string::npos ? 0 : std::stoul(answer.header.substr(at + 16));
    if (in_.size() < end + 4 + length) return std::nullopt;
    answer.body = in_.substr(end + 4, length);
    in_.erase(0, end + 4 + length);
    return answer;
  }

  int socket_ = -1;
  std::string in_;
};

// One request over a connection of its own.
inline Answer ask(const std::string& url, const std::string& method, const std::string& target,
                  const std::string& body = {}, const std::string& header = {}) {
  return TestClient(url).ask(method, target, body, header);
}

}  // namespace baton::http
