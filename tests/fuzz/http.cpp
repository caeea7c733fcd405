// What arrives at the HTTP port, at a real server over a real socket: any bytes, and requests that
// are well formed but make no sense. The server answers each in HTTP and, where it says so, in
// JSON, or hangs up; it never falls over, and answers the next as if nothing had been.
//
// An input is a list of pieces. Each is sent when the one before was answered; $session in it
// stands for the session that was last heard of.
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <charconv>
#include <cstring>
#include <thread>

#include "fuzz/fuzz.h"
#include "service/http/server.h"

namespace baton::fuzz {

namespace {

constexpr int most_pieces = 8;
constexpr int patience_ms = 20;

// Lives as long as the program.
class Server {
 public:
  Server() : path_(scratch_.file("http")), host_(options()) {
    thread_ = std::thread([this] { demand(!host_.run(), "the server goes on"); });
  }
  ~Server() {
    host_.stop();
    thread_.join();
  }

  int connect() const {
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path_.c_str(), sizeof address.sun_path - 1);
    demand(::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0,
           "the server listens");
    return socket;
  }

 private:
  server::HostOptions options() const {
    server::HostOptions options;
    options.side_server = http::side_server({.listen = {"unix:" + path_}, .limits = {}});
    return options;
  }

  Scratch scratch_;
  std::string path_;
  server::Host host_;
  std::thread thread_;
};

class Visit {
 public:
  explicit Visit(const Server& server) : socket_(server.connect()) {}
  ~Visit() { ::close(socket_); }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

  void say(std::string text) {
    const std::string placeholder = "$session";
    for (auto at = text.find(placeholder); at != std::string::npos; at = text.find(placeholder)) {
      text.replace(at, placeholder.size(), session_);
    }
    [[maybe_unused]] const auto sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
  }

  void end() { ::shutdown(socket_, SHUT_WR); }

  // Whether there may be more.
  bool hear() {
    std::string text;
    bool is_open = true;
    while (is_open && !is_whole(text)) {
      pollfd readable{socket_, POLLIN, 0};
      if (::poll(&readable, 1, patience_ms) <= 0) break;  // nothing: it waits for more
      char part[64 * 1024];
      const ssize_t count = ::recv(socket_, part, sizeof part, 0);
      is_open = count > 0;
      if (is_open) text.append(part, static_cast<std::size_t>(count));
    }
    if (!text.empty()) judge(text);
    return is_open;
  }

 private:
  static std::size_t length_of(const std::string& text) {
    const std::string field = "Content-Length: ";
    const auto at = text.find(field);
    std::size_t length = 0;
    if (at == std::string::npos) return length;
    std::from_chars(text.data() + at + field.size(), text.data() + text.size(), length);
    return length;
  }

  static bool is_whole(const std::string& text) {
    const auto head = text.find("\r\n\r\n");
    return head != std::string::npos && text.size() >= head + 4 + length_of(text);
  }

  void judge(const std::string& text) {
    demand(text.starts_with("HTTP/1."), "an answer is HTTP");
    const auto head = text.find("\r\n\r\n");
    demand(head != std::string::npos, "an answer has a whole head");
    const bool is_json = text.substr(0, head).find("application/json") != std::string::npos;
    const std::size_t length = length_of(text);
    if (!is_json || length == 0 || text.size() < head + 4 + length) return;
    boost::system::error_code error;
    const auto body = boost::json::parse(text.substr(head + 4, length), error);
    demand(!error && body.is_object(), "a body that is called JSON is an object");
    const auto* session = body.as_object().if_contains("session");
    if (session != nullptr && session->is_string()) session_ = session->as_string();
  }

  int socket_;
  std::string session_ = "none";
};

std::string request(const std::string& method, const std::string& target,
                    const std::string& body = {}, const std::string& fields = {}) {
  return as_piece(method + " " + target + " HTTP/1.1\r\nHost: a\r\n" + fields +
                  (body.empty() ? "" : "Content-Length: " + std::to_string(body.size()) + "\r\n") +
                  "\r\n" + body);
}

std::string post(const std::string& target, const std::string& body) {
  return request("POST", target, body);
}

}  // namespace

std::vector<std::string> seeds() {
  const std::string lock = post("/v1/lock", R"({"names":["a","b"],"ttl":"2s","wait":"0s"})");
  const std::string close = post("/v1/close", R"({"session":"$session"})");
  return {lock + post("/v1/keepalive", R"({"session":"$session"})") +
              post("/v1/unlock", R"({"session":"$session","names":["a","b"]})") + close,
          post("/v1/lock", R"({"name":"a","shared":true,"try":true,"label":"l","max_hold":"1s"})") +
              post("/v1/upgrade", R"({"session":"$session","name":"a","try":true})") +
              post("/v1/downgrade", R"({"session":"$session","name":"a"})") + close,
          request("POST", "/v1/lock", R"({"name":"c","slots":2})", "Idempotency-Key: k\r\n") +
              request("POST", "/v1/lock", R"({"name":"c","slots":2})", "Idempotency-Key: k\r\n") +
              post("/v1/cancel", R"({"session":"$session","key":"k"})") + close,
          post("/v1/campaign", R"({"name":"e","value":"v","ttl":"1s"})") +
              request("GET", "/v1/leader?name=e") +
              post("/v1/proclaim", R"({"session":"$session","name":"e","value":"w"})") +
              post("/v1/resign", R"({"session":"$session","name":"e"})"),
          request("PUT", "/v1/files", R"({"key":"f/%C3%A4","value":"x","version":0})") +
              request("GET", "/v1/files?key=f/%C3%A4") + request("GET", "/v1/files?prefix=f/") +
              request("DELETE", "/v1/files?key=f/%C3%A4&version=1"),
          request("GET", "/v1/watch?prefix=f/&after=0", {}, "Last-Event-ID: 3\r\n"),
          request("GET", "/v1/sessions") + request("GET", "/v1/locks?name=a") +
              request("GET", "/v1/status") + request("GET", "/metrics") +
              request("HEAD", "/healthz") + request("GET", "/readyz"),
          post("/v1/break", R"({"name":"a","force":true})") +
              post("/v1/sessions", R"({"ttl":"1s","label":"\u00e4"})") + close,
          request("OPTIONS", "*") + request("PATCH", "/v1/lock") + request("GET", "/nothing")};
}

}  // namespace baton::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const baton::fuzz::Server server;
  baton::fuzz::Input input(data, size);
  baton::fuzz::Visit visit(server);
  for (int i = 0; !input.is_over() && i < baton::fuzz::most_pieces; ++i) {
    visit.say(std::string(input.piece()));
    if (!visit.hear()) return 0;
  }
  visit.end();
  visit.hear();
  return 0;
}
