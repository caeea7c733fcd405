// One HTTP request and the way for its answer. The API (service/http/api.h) sees nothing else of
// HTTP.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace baton::http {

struct Request {
  std::string method;                                      // "GET", also for HEAD
  std::string path;                                        // "/v1/lock"
  std::vector<std::pair<std::string, std::string>> query;  // decoded
  std::string body;
  std::string key;      // Idempotency-Key, or empty
  std::string session;  // Baton-Session, or empty
  std::optional<std::string> last_event_id;
  bool is_from_page = false;  // a browser sent it on behalf of a page (Origin)
  std::string peer;           // who sent it: "127.0.0.1:52318", "[::1]:52318" or "unix socket"
};

struct Response {
  unsigned status = 200;
  std::string body;
  std::string type = "application/json";
  std::string allow;  // of 405: the methods that there are
};

// Answered once: by answer(), or by begin_events(), any number of send_event() and end_events().
class Exchange {
 public:
  explicit Exchange(Request asked) : request(std::move(asked)) {}
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  virtual ~Exchange() = default;

  virtual void answer(const Response& response) = 0;
  virtual void begin_events() = 0;
  // Lines of an event stream, as they are.
  virtual void send_event(std::string_view text) = 0;
  virtual void end_events() = 0;
  // The client still waits for the answer, or listens to events.
  virtual bool is_open() const = 0;

  const Request request;
  std::string route = "other";    // that it took, for the metrics
  std::function<void()> on_gone;  // the connection was closed before the answer
};

}  // namespace baton::http
