#include "service/http/session.h"

#include <algorithm>
#include <boost/json.hpp>
#include <utility>

#include "service/http/refused.h"
#include "service/http/words.h"

namespace baton::http {

namespace {

constexpr std::size_t most_lost_told = 1000;

std::shared_ptr<Session> itself(Session& session) {
  return std::static_pointer_cast<Session>(session.shared_from_this());
}

}  // namespace

Session::Session(HttpClients& clients, std::string nonce, std::function<void()> on_over)
    : HttpClient(clients), nonce_(std::move(nonce)), on_over_(std::move(on_over)) {}

void Session::open(const proto::OpenSession& open, bool is_keyed) {
  is_keyed_ = is_keyed;
  opening_ = unkeyed_request().value;
  proto::ClientMessage message;
  message.mutable_request()->set_request(opening_);
  *message.mutable_request()->mutable_open_session() = open;
  message.mutable_request()->mutable_open_session()->set_nonce(nonce_);
  say(message);
}

void Session::resume(service::SessionId session) {
  is_told_ = true;
  proto::ClientMessage message;
  message.mutable_resume()->set_session(session.value);
  message.mutable_resume()->set_nonce(nonce_);
  say(message);
}

// --- What is asked ------------------------------------------------------------------------------

void Session::when_ready(std::shared_ptr<Exchange> exchange, std::function<void()> begin) {
  if (is_over_) return exchange->answer(last_word_);
  if (is_ready_) return begin();
  exchange->on_gone = [this] { close_if_unknown(); };
  tasks_.push_back({std::move(exchange), std::move(begin)});
}

void Session::ask(Question question) {
  auto exchange = question.exchange;
  when_ready(exchange, [this, question = std::move(question)] { begin(question); });
}

// A member of a group that has lost its majority must not answer: the answer would renew the lease
// by which the client believes to hold its locks.
bool Session::is_refused(const std::shared_ptr<Exchange>& exchange) {
  server::SessionFrontend& frontend = clients().host().frontend();
  if (frontend.is_covered(id_)) return false;
  exchange->on_gone = nullptr;
  const std::string why = frontend.trouble();
  exchange->answer(error_response(
      Error::unavailable,
      why.empty() ? "this member has not heard from a majority of the group lately" : why));
  return true;
}

void Session::begin(const Question& question) {
  if (!question.request.has_close_session() && is_refused(question.exchange)) return;
  const std::uint64_t number = question.request.request();
  Pending& pending = pending_[number];
  pending.request = question.request;
  pending.is_keyed = question.is_keyed;
  pending.callers.emplace_back(question.exchange, question.words);
  question.exchange->on_gone = [this, number, who = question.exchange.get()] { gone(number, who); };
  forget_lost(question.request);
  say_alive(0);
  proto::ClientMessage message;
  *message.mutable_request() = question.request;
  say(message);
}

void Session::keep_alive(const std::shared_ptr<Exchange>& exchange) {
  when_ready(exchange, [this, exchange] {
    if (is_refused(exchange)) return;
    const std::uint64_t number = next_number_++;
    keepalives_[number] = exchange;
    exchange->on_gone = [this, number] { keepalives_.erase(number); };
    say_alive(number);
  });
}

void Session::say_alive(std::uint64_t number) {
  proto::ClientMessage message;
  message.mutable_keep_alive()->set_number(number);
  say(message);
}

// A client that retries the opening counts its lease from this answer on.
void Session::introduce(const std::shared_ptr<Exchange>& exchange) {
  when_ready(exchange, [this, exchange] {
    if (is_refused(exchange)) return;
    exchange->on_gone = nullptr;
    is_told_ = true;
    say_alive(0);
    boost::json::object object{{"session", token().text()}, {"session_id", id_.value}};
    add_lease(object, ttl_);
    exchange->answer(json_response(object));
  });
}

bool Session::is_due(std::int64_t now_us) const {
  return is_ready_ && !is_over_ && now_us - kept_at_us_ >= ttl_.value / 5 && has_callers();
}

void Session::pulse(std::int64_t now_us) {
  kept_at_us_ = now_us;
  say_alive(0);
}

bool Session::has_callers() const {
  return std::any_of(pending_.begin(), pending_.end(),
                     [](const auto& one) { return !one.second.callers.empty(); });
}

// --- What is told -------------------------------------------------------------------------------

void Session::send(const proto::ServerMessage& message) {
  if (is_over_) return;
  if (message.has_reply()) {
    if (!is_ready_ && message.reply().request() == opening_) return opened(message.reply());
    upon(message.reply());
  } else if (message.has_alive()) {
    upon(message.alive());
  } else if (message.has_hold_over()) {
    if (lost_.size() == most_lost_told) lost_.pop_front();
    lost_.push_back(message.hold_over());
    if (reminders_left_ > 0 && --reminders_left_ == 0) become_ready(id_, ttl_);
  } else if (message.has_session_over()) {
    end(Error::session_lost, message.session_over().reason());
  } else if (message.has_resumed()) {
    const proto::Resumed& resumed = message.resumed();
    if (resumed.error() != 0) return end(static_cast<Error>(resumed.error()), resumed.message());
    id_ = {resumed.session()};
    ttl_ = {resumed.ttl()};
    // The answer to a keepalive names lost locks. So it waits until the frontend has sent all of
    // them.
    reminders_left_ = resumed.reminders();
    if (reminders_left_ == 0) become_ready(id_, ttl_);
  }
}

void Session::opened(const proto::Reply& reply) {
  if (!reply.has_opened()) return end(static_cast<Error>(reply.error()), reply.message());
  become_ready({reply.opened().session()}, {reply.opened().ttl()});
}

void Session::become_ready(service::SessionId id, service::Duration ttl) {
  id_ = id;
  ttl_ = ttl;
  clients().later([self = itself(*this)] {
    if (self->is_over_) return;
    self->is_ready_ = true;
    for (Task& task : std::exchange(self->tasks_, {})) {
      if (task.exchange->is_open() && !self->is_over_) task.begin();
    }
    self->close_if_unknown();
  });
}

void Session::upon(const proto::Alive& alive) {
  const auto at = keepalives_.find(alive.number());
  if (at == keepalives_.end()) return;
  const auto exchange = at->second;
  keepalives_.erase(at);
  boost::json::object object{{"session_id", id_.value}, {"epoch", alive.epoch()}};
  add_lease(object, {alive.ttl()});
  boost::json::array lost;
  for (const proto::HoldOver& over : lost_) lost.push_back(json_of_lost(over));
  object["lost"] = std::move(lost);
  exchange->on_gone = nullptr;
  exchange->answer(json_response(object));
}

void Session::upon(const proto::Reply& reply) {
  const auto at = pending_.find(reply.request());
  if (at == pending_.end()) return;
  const Pending pending = std::move(at->second);
  pending_.erase(at);
  const auto error = static_cast<Error>(reply.error());
  for (const auto& [exchange, words] : pending.callers) {
    exchange->on_gone = nullptr;
    if (error == Error::none) is_told_ = true;
    exchange->answer(error == Error::none ? words(reply, *this)
                                          : error_response(error, reply.message()));
  }
  const bool is_unheard = pending.callers.empty() && !pending.is_keyed;
  if (is_unheard && reply.has_granted()) undo(pending.request);
  if (pending.request.has_close_session() && error == Error::none) {
    return end(Error::session_lost, "it was closed");
  }
  close_if_unknown();
}

void Session::hang_up(Error error, const std::string& message) { end(error, message); }

void Session::end(Error error, const std::string& message) {
  if (std::exchange(is_over_, true)) return;
  last_word_ = error_response(error, message);
  std::vector<std::shared_ptr<Exchange>> all;
  for (Task& task : tasks_) all.push_back(std::move(task.exchange));
  for (const auto& [number, exchange] : keepalives_) all.push_back(exchange);
  for (const auto& [number, pending] : pending_) {
    for (const auto& caller : pending.callers) all.push_back(caller.first);
  }
  tasks_.clear();
  keepalives_.clear();
  pending_.clear();
  for (const auto& exchange : all) {
    exchange->on_gone = nullptr;
    exchange->answer(last_word_);
  }
  on_over_();
  leave();
}

// --- Callers that have gone ---------------------------------------------------------------------

void Session::gone(std::uint64_t request, const Exchange* exchange) {
  const auto at = pending_.find(request);
  if (at == pending_.end()) return;
  Pending& pending = at->second;
  std::erase_if(pending.callers,
                [&](const auto& caller) { return caller.first.get() == exchange; });
  if (pending.callers.empty() && !pending.is_keyed) take_back(pending);
  close_if_unknown();
}

// Cancels a waiting request. If the server grants it first, upon() releases the lock.
void Session::take_back(const Pending& pending) {
  if (!pending.request.has_acquire() && !pending.request.has_upgrade()) return;
  proto::ClientMessage message;
  message.mutable_request()->mutable_cancel()->set_waiting(pending.request.request());
  say(message);
}

void Session::undo(const proto::Request& granted) {
  if (!granted.has_acquire()) return;
  proto::ClientMessage message;
  proto::Release& release = *message.mutable_request()->mutable_release();
  release.set_space(granted.acquire().space());
  release.set_owner(granted.acquire().owner());
  *release.mutable_names() = granted.acquire().names();
  clients().later([self = itself(*this), message]() mutable {
    if (!self->is_over_) self->say(message);
  });
}

// Closes the session if no client has received its token: no client can ever use it.
void Session::close_if_unknown() {
  const bool is_waited_for =
      has_callers() || std::any_of(tasks_.begin(), tasks_.end(),
                                   [](const Task& task) { return task.exchange->is_open(); });
  if (is_told_ || is_keyed_ || !is_ready_ || is_over_ || is_waited_for) return;
  clients().later([self = itself(*this)] {
    if (self->is_over_ || self->is_told_) return;
    proto::ClientMessage message;
    message.mutable_request()->mutable_close_session();
    self->say(message);
    self->end(Error::session_lost, "no client learned of it");
  });
}

void Session::forget_lost(const proto::Request& request) {
  if (!request.has_release() || lost_.empty()) return;
  const proto::Release& release = request.release();
  std::erase_if(lost_, [&](const proto::HoldOver& over) {
    return over.space() == release.space() && over.owner() == release.owner() &&
           std::find(release.names().begin(), release.names().end(), over.name()) !=
               release.names().end();
  });
}

}  // namespace baton::http
