// A session that is used over HTTP: one client of the frontend for all requests that name it, over
// whatever connections they come.
//
// It is made when a request opens a session, or when the first request comes that names one (after
// a restart: then it is resumed by its nonce). Requests that come before the frontend has answered
// wait here. Each request counts as a sign of life, and so does a connection on which somebody
// waits for an answer: who waits for a lock in a session that the same request opens could not send
// any other.
//
// When the connection of a waiting request closes, a request with a key stays in line and can be
// asked for again; one without is taken back, since nobody could ever hear of its grant.
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

  // `on_over` is called once, when nothing can be asked of it any more.
  Session(HttpClients& clients, std::string nonce, std::function<void()> on_over);

  // One of these first.
  void open(const proto::OpenSession& open, bool is_keyed);
  void resume(service::SessionId session);

  void ask(Question question);
  void keep_alive(const std::shared_ptr<Exchange>& exchange);
  // What POST /v1/sessions answers.
  void introduce(const std::shared_ptr<Exchange>& exchange);
  // Keeps it alive, which is due now and then while somebody waits.
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
