#include "service/http/api.h"

#include <boost/json.hpp>
#include <utility>

#include "service/client/convert.h"
#include "service/http/metrics.h"
#include "service/http/refused.h"
#include "service/http/words.h"

namespace baton::http {

namespace {

constexpr const char* prometheus = "text/plain; version=0.0.4; charset=utf-8";

Response response_of(const server::NotServing& why) {
  boost::json::object body = json_of_error({why.error, why.message});
  if (!why.leader.empty()) body["leader"] = why.leader;
  Response response = json_response(body);
  response.status = status_of(why.error);
  return response;
}

bool is_answered_always(const std::string& path) { return !path.starts_with("/v1/"); }

}  // namespace

const std::vector<Api::Route>& Api::routes() {
  static const std::vector<Route> all{
      {"GET", "/healthz", &Api::healthz},           {"GET", "/readyz", &Api::readyz},
      {"GET", "/metrics", &Api::show_metrics},      {"GET", "/v1/sessions", &Api::list_sessions},
      {"POST", "/v1/sessions", &Api::open_session}, {"POST", "/v1/keepalive", &Api::keep_alive},
      {"POST", "/v1/close", &Api::close_session},   {"POST", "/v1/lock", &Api::lock},
      {"POST", "/v1/unlock", &Api::unlock},         {"POST", "/v1/cancel", &Api::cancel},
      {"POST", "/v1/downgrade", &Api::downgrade},   {"POST", "/v1/upgrade", &Api::upgrade},
      {"GET", "/v1/locks", &Api::list_locks},       {"POST", "/v1/break", &Api::break_it},
      {"POST", "/v1/campaign", &Api::campaign},     {"POST", "/v1/proclaim", &Api::proclaim},
      {"POST", "/v1/resign", &Api::resign},         {"GET", "/v1/leader", &Api::leader},
      {"GET", "/v1/files", &Api::read_files},       {"PUT", "/v1/files", &Api::put_file},
      {"DELETE", "/v1/files", &Api::remove_file},   {"GET", "/v1/watch", &Api::watch},
      {"GET", "/v1/status", &Api::status}};
  return all;
}

void Api::handle(const std::shared_ptr<Exchange>& exchange) {
  try {
    dispatch(exchange);
  } catch (const Refused& refused) {
    exchange->answer(refused.response());
  }
}

void Api::dispatch(const std::shared_ptr<Exchange>& exchange) {
  const Request& request = exchange->request;
  Handler handler = nullptr;
  std::string allowed;
  for (const Route& route : routes()) {
    if (request.path != route.path) continue;
    exchange->route = route.path;
    allowed += (allowed.empty() ? "" : ", ") + std::string(route.method);
    if (request.method == route.method) handler = route.handler;
  }
  if (allowed.empty()) throw Refused("there is nothing at " + request.path, Error::not_found);
  if (handler == nullptr) {
    Response response = Refused("this path accepts only " + allowed + ", not " + request.method,
                                Error::bad_request, 405)
                            .response();
    response.allow = allowed;
    return exchange->answer(response);
  }
  if (request.is_from_page) {
    throw Refused("the server refuses requests from web pages (header Origin)", Error::bad_request,
                  403);
  }
  if (!is_answered_always(request.path)) {
    if (const auto why = host_.not_serving()) return exchange->answer(response_of(*why));
    if (host_.engine().is_congested()) {
      throw Refused("the journal is far behind: try again", Error::unavailable);
    }
  }
  (this->*handler)(exchange);
}

void Api::open() {
  const service::State& state = host_.engine().state();
  if (state.waiting_count() == 0) return;
  std::vector<std::pair<service::SessionId, service::RequestId>> orphans;
  for (const service::Namespace space : {service::Namespace::lock, service::Namespace::election}) {
    for (const service::LockInfo& lock : state.locks(space)) {
      for (const service::WaitingRequest& waiter : lock.queue) {
        if (waiter.id < service::first_unrepeated) continue;
        const auto session = state.session(waiter.party.session);
        if (session && session->terms.latest_answers > 0) {
          orphans.emplace_back(waiter.party.session, waiter.id);
        }
      }
    }
  }
  for (const auto& [session, request] : orphans) {
    proto::Request cancel;
    cancel.set_session(session.value);
    cancel.mutable_cancel()->set_waiting(request.value);
    host_.engine().submit(cancel, server::command_of(cancel));
  }
  host_.turn();
}

void Api::pulse() {
  const std::int64_t now_us = host_.engine().now().value;
  std::vector<std::shared_ptr<Session>> waiting;
  for (const auto& [nonce, session] : sessions_) {
    if (session->is_due(now_us)) waiting.push_back(session);
  }
  for (const auto& session : waiting) session->pulse(now_us);
}

void Api::count_streams() {
  std::erase_if(streams_, [](const auto& stream) { return stream->is_done(); });
  counters_.streams = streams_.size();
}

void Api::beat() {
  count_streams();
  for (const auto& stream : streams_) stream->beat(host_.frontend().told());
}

// --- How it is doing ----------------------------------------------------------------------------

void Api::healthz(const std::shared_ptr<Exchange>& exchange) {
  exchange->answer({.body = "ok\n", .type = "text/plain; charset=utf-8"});
}

void Api::readyz(const std::shared_ptr<Exchange>& exchange) {
  if (const auto why = host_.not_serving()) return exchange->answer(response_of(*why));
  if (const std::string trouble = host_.frontend().trouble(); !trouble.empty()) {
    throw Refused(trouble, Error::unavailable);
  }
  exchange->answer({.body = "ready\n", .type = "text/plain; charset=utf-8"});
}

void Api::show_metrics(const std::shared_ptr<Exchange>& exchange) {
  count_streams();
  exchange->answer({.body = metrics(host_, counters_), .type = prometheus});
}

void Api::status(const std::shared_ptr<Exchange>& exchange) {
  Fields(exchange->request).done();
  proto::Read what;
  what.mutable_status();
  read(exchange, what, [](const std::vector<proto::Answer>& parts) {
    return json_response(json_of(client::status_of(parts.back().status())));
  });
}

void Api::read(const std::shared_ptr<Exchange>& exchange, const proto::Read& read,
               OneShot::OfAnswer words) {
  const auto one_shot = std::make_shared<OneShot>(clients_, exchange);
  clients_.add(one_shot);
  one_shot->read(read, std::move(words));
}

// --- Sessions -----------------------------------------------------------------------------------

std::shared_ptr<Session> Api::make_session(const std::string& nonce) {
  const auto session =
      std::make_shared<Session>(clients_, nonce, [this, nonce] { sessions_.erase(nonce); });
  sessions_[nonce] = session;
  clients_.add(session);
  return session;
}

std::string Api::token_of(const Exchange& exchange, Fields& fields) {
  auto said = fields.text("session");
  const std::string& header = exchange.request.session;
  if (said && !header.empty())
    throw Refused("give either 'session' or the header Baton-Session, not both");
  return said ? *said : header;
}

std::shared_ptr<Session> Api::session_of(const std::string& text) {
  const auto token = Token::parse(text);
  if (!token) {
    throw Refused("'session' must be a token as /v1/sessions or /v1/lock returned it");
  }
  const auto known = sessions_.find(token->nonce);
  if (known != sessions_.end()) {
    const auto session = known->second;
    const service::SessionId id = session->token().session;
    if (id != token->session && id != service::no_session) {
      throw Refused("there is no such session", Error::session_lost);
    }
    return session;
  }
  const auto info = host_.engine().state().session(token->session);
  if (info && info->terms.latest_answers == 0) {
    throw Refused("the session was not opened over HTTP");
  }
  const auto session = make_session(token->nonce);
  session->resume(token->session);
  return session;
}

// A key finds the session that it opened before.
std::shared_ptr<Session> Api::opened(const Exchange& exchange, const proto::OpenSession& open) {
  const std::string& key = exchange.request.key;
  if (!key.empty() && key.size() < shortest_opening_key) {
    throw Refused("an Idempotency-Key that opens a session is its secret: use at least " +
                  std::to_string(shortest_opening_key) + " letters, at random");
  }
  const std::string nonce = key.empty() ? random_nonce() : nonce_of_key(key);
  if (const auto known = sessions_.find(nonce); known != sessions_.end()) return known->second;
  proto::OpenSession known = open;
  proto::Who& who = *known.mutable_who();
  if (who.host().empty()) who.set_host(exchange.request.peer);
  const auto session = make_session(nonce);
  session->open(known, !key.empty());
  return session;
}

void Api::open_session(const std::shared_ptr<Exchange>& exchange) {
  Fields fields(exchange->request);
  proto::OpenSession open;
  fill(open, fields);
  fields.done();
  opened(*exchange, open)->introduce(exchange);
}

void Api::keep_alive(const std::shared_ptr<Exchange>& exchange) {
  Fields fields(exchange->request);
  const std::string token = token_of(*exchange, fields);
  fields.done();
  if (token.empty()) throw Refused("'session' is missing");
  session_of(token)->keep_alive(exchange);
}

void Api::close_session(const std::shared_ptr<Exchange>& exchange) {
  Fields fields(exchange->request);
  proto::Request request;
  request.mutable_close_session();
  ask_in_session(exchange, fields, std::move(request), [](const proto::Reply&, const Session&) {
    return json_response({{"closed", true}});
  });
}

void Api::list_sessions(const std::shared_ptr<Exchange>& exchange) {
  Fields(exchange->request).done();
  proto::Read what;
  what.mutable_sessions();
  read(exchange, what, [](const std::vector<proto::Answer>& parts) {
    return json_response(json_of(sessions_of(parts)));
  });
}

// --- Asking -------------------------------------------------------------------------------------

void Api::ask_in_session(const std::shared_ptr<Exchange>& exchange, Fields& fields,
                         proto::Request request, Session::Words words) {
  const std::string token = token_of(*exchange, fields);
  fields.done();
  if (token.empty()) throw Refused("'session' is missing");
  ask(*session_of(token), exchange, std::move(request), std::move(words));
}

void Api::ask_in_any_session(const std::shared_ptr<Exchange>& exchange, Fields& fields,
                             proto::Request request, Session::Words words) {
  const std::string token = token_of(*exchange, fields);
  if (!token.empty()) {
    for (const char* name : {"ttl", "lock_delay", "host", "user", "process"}) {
      if (fields.has(name)) {
        throw Refused("'" + std::string(name) +
                      "' is only for a request that opens its own session");
      }
    }
    return ask_in_session(exchange, fields, std::move(request), std::move(words));
  }
  proto::OpenSession open;
  fill(open, fields);
  fields.done();
  ask(*opened(*exchange, open), exchange, std::move(request), std::move(words));
}

void Api::ask_anyhow(const std::shared_ptr<Exchange>& exchange, Fields& fields,
                     const proto::Request& request, const OneShot::OfReply& words) {
  const std::string token = token_of(*exchange, fields);
  if (!token.empty()) {
    fields.done();
    return ask(*session_of(token), exchange, request,
               [words](const proto::Reply& reply, const Session&) { return words(reply); });
  }
  fields.done();
  if (!exchange->request.key.empty()) {
    throw Refused("an Idempotency-Key needs a session: give 'session'");
  }
  const auto one_shot = std::make_shared<OneShot>(clients_, exchange);
  clients_.add(one_shot);
  one_shot->ask(request, words);
}

void Api::ask(Session& session, const std::shared_ptr<Exchange>& exchange, proto::Request request,
              Session::Words words) {
  const std::string& key = exchange->request.key;
  service::RequestId id = unkeyed_request();
  if (!key.empty()) {
    const KeyedRequest keyed = keyed_request(key, exchange->request);
    const auto nonce = session.token().nonce;
    const service::State& state = host_.engine().state();
    if (const auto known = state.session_of(nonce)) {
      const auto before = state.find_request(*known, keyed.first, keyed.last);
      if (before && *before != keyed.id) {
        throw Refused("this Idempotency-Key was used for another request", Error::bad_request, 422);
      }
    }
    id = keyed.id;
  }
  request.set_request(id.value);
  session.ask({exchange, std::move(request), !key.empty(), std::move(words)});
}

}  // namespace baton::http
