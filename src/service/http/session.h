// A session that is used over HTTP: one client of the frontend for all requests that name the
// session, on any connection.
//
// The API makes it when a request opens a session, or, after a restart, when the first request
// names one; then it resumes the session by its nonce. Requests that come before the frontend has
// answered wait here. Each request renews the session's lease. So does a connection on which a
// request waits for its answer: a client that waits for a lock in a session that the same request
// opened does not know the session yet, and could not send a keepalive.
//
// If the connection of a waiting request closes, a request with an Idempotency-Key stays in the
// queue, and the client can retry it. A request without a key is cancelled, because its client
// could never learn of the grant.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "service/http/http_clients.h"
#include "service/http/keys.h"

namespace baton::http {

class Session final : public HttpClient {
 public:
  using Words = std::function<Response(const proto::Reply&, const Session&)>;

  struct Question {
    std::shared_ptr<Exchange> exchange;
    proto::Request request;  // with its number
    bool is_keyed = false;
    Words words;  // of the answer, if it is not an error
  };

  // Calls `on_over` once, when the session is over.
  Session(HttpClients& clients, std::string nonce, std::function<void()> on_over);

  // The owner calls one of these two first.
  void open(const proto::OpenSession& open, bool is_keyed);
  void resume(service::SessionId session);

  void ask(Question question);
  void keep_alive(const std::shared_ptr<Exchange>& exchange);
  // Answers POST /v1/sessions.
  void introduce(const std::shared_ptr<Exchange>& exchange);
  // Renews the lease now and then while a request waits.
  void pulse(std::int64_t now_us);
  bool is_due(std::int64_t now_us) const;

  Token token() const { return {id_, nonce_}; }
  service::Duration ttl() const { return ttl_; }

  void send(const proto::ServerMessage& message) override;
  void hang_up(Error error, const std::string& message) override;

 private:
  struct Task {
    std::shared_ptr<Exchange> exchange;
    std::function<void()> begin;
  };
  struct Pending {
    proto::Request request;
    bool is_keyed = false;
    std::vector<std::pair<std::shared_ptr<Exchange>, Words>> callers;
  };

  void when_ready(std::shared_ptr<Exchange> exchange, std::function<void()> begin);
  void opened(const proto::Reply& reply);
  void become_ready(service::SessionId id, service::Duration ttl);
  void begin(const Question& question);
  bool is_refused(const std::shared_ptr<Exchange>& exchange);
  void upon(const proto::Reply& reply);
  void upon(const proto::Alive& alive);
  void gone(std::uint64_t request, const Exchange* exchange);
  void take_back(const Pending& pending);
  void undo(const proto::Request& granted);
  void close_if_unknown();
  void say_alive(std::uint64_t number);
  void forget_lost(const proto::Request& request);
  void end(Error error, const std::string& message);
  bool has_callers() const;

  std::string nonce_;
  std::function<void()> on_over_;
  service::SessionId id_;
  service::Duration ttl_;
  bool is_ready_ = false;
  bool is_over_ = false;
  Response last_word_;     // to whoever comes when it is over
  bool is_keyed_ = false;  // it was opened with a key
  bool is_told_ = false;   // somebody knows its token
  std::uint64_t opening_ = 0;
  std::uint64_t next_number_ = 1;
  std::int64_t kept_at_us_ = 0;
  std::vector<Task> tasks_;  // until it is ready
  std::unordered_map<std::uint64_t, Pending> pending_;
  std::unordered_map<std::uint64_t, std::shared_ptr<Exchange>> keepalives_;
  std::deque<proto::HoldOver> lost_;
  std::uint32_t reminders_left_ = 0;  // that the frontend has yet to send after a resume
};

}  // namespace baton::http
