#include "service/server/session_frontend.h"

#include <unistd.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "core/invariant.h"
#include "service/server/backup.h"
#include "service/state/versions.h"

namespace baton::server {

namespace {

// Requests that need no session, because they hold nothing.
bool needs_session(const proto::Request& request) {
  switch (request.what_case()) {
    case proto::Request::kPut:
      return request.put().tied() && request.put().tied_to() == 0;
    case proto::Request::kRemove:
    case proto::Request::kBreak:
    case proto::Request::kBreakSession:
      return false;
    default:
      return true;
  }
}

std::size_t bytes_of(const std::vector<proto::Answer>& parts) {
  std::size_t bytes = 0;
  for (const proto::Answer& part : parts) bytes += part.ByteSizeLong();
  return bytes;
}

}  // namespace

SessionFrontend::SessionFrontend(Engine& engine, EngineHost& host, FrontendOptions options)
    : engine_(&engine),
      host_(host),
      options_(std::move(options)),
      leases_({0}, {0}, options_.longest_turn),
      received_(room_for_received_.data(), room_for_received_.size()) {}

void SessionFrontend::attach(Engine& engine) {
  engine_ = &engine;
  role_ = Role::loading;
  leader_url_.clear();
  bound_.clear();
  unreported_.clear();
}

void SessionFrontend::follow(std::string leader_url) {
  role_ = Role::following;
  leader_url_ = std::move(leader_url);
}

void SessionFrontend::open(service::Duration promised) {
  invariant(engine_->is_leading(), "clients are to be served before the engine leads");
  leases_ = service::LeaseServer({engine_->epoch()}, clock(), options_.longest_turn);
  for (const service::SessionId session : engine_->state().unreported()) {
    unreported_.insert(session.value);
  }
  for (const service::SessionInfo& session : engine_->state().sessions()) {
    // A broken session gets no lease, so that its client, which may not know of it, cannot resume
    // it.
    if (session.ends) continue;
    leases_.take_over(clock(), session.id, session.terms.ttl,
                      unreported_.contains(session.id.value), promised);
  }
  watches_.begin_at(engine_->state().revision());
  role_ = Role::leading;
}

void SessionFrontend::close() { role_ = Role::closed; }

void SessionFrontend::dismiss(Error error, const std::string& message) {
  std::vector<ClientPort*> all;
  for (const auto& [number, client] : clients_) all.push_back(client);
  for (ClientPort* client : all) client->hang_up(error, message);
}

void SessionFrontend::arrive(ClientPort& client) {
  client.number_ = next_client_++;
  clients_.emplace(client.number_, &client);
}

void SessionFrontend::leave(ClientPort& client) {
  watches_.remove_all(client);
  const auto at = bound_.find(client.session_.value);
  if (at != bound_.end() && at->second == &client) bound_.erase(at);
  clients_.erase(client.number_);
}

// --- What clients say ----------------------------------------------------------------------------

void SessionFrontend::receive(ClientPort& client, std::string_view frame) {
  received_.Reset();
  auto& message = *google::protobuf::Arena::CreateMessage<proto::ClientMessage>(&received_);
  if (!message.ParseFromArray(frame.data(), static_cast<int>(frame.size()))) {
    return client.hang_up(Error::bad_request, "a frame is not a message of the client protocol");
  }
  receive(client, message);
}

void SessionFrontend::receive(ClientPort& client, proto::ClientMessage& message) {
  using proto::ClientMessage;
  const bool is_hello = message.what_case() == ClientMessage::kHello;
  if (!client.has_greeted_ && !is_hello) {
    return client.hang_up(Error::bad_request, "the first message must be a Hello");
  }
  switch (message.what_case()) {
    case ClientMessage::kRequest:
      return request(client, *message.mutable_request());
    case ClientMessage::kKeepAlive:
      return keep_alive(client, message.keep_alive());
    case ClientMessage::kHello:
      return greet(client, message.hello());
    case ClientMessage::kResume:
      return resume(client, message.resume());
    case ClientMessage::kRead:
      return read(client, message.read());
    case ClientMessage::kWatch:
      return watch(client, message.watch());
    case ClientMessage::kUnwatch:
      return watches_.remove(client, message.unwatch().number());
    case ClientMessage::WHAT_NOT_SET:
      break;
  }
  client.hang_up(Error::bad_request, "this server does not know this kind of message");
}

void SessionFrontend::greet(ClientPort& client, const proto::Hello& hello) {
  if (client.has_greeted_) return client.hang_up(Error::bad_request, "a second Hello");
  if (hello.protocol() != service::protocol_version) {
    return client.hang_up(
        Error::version, "this server speaks version " + std::to_string(service::protocol_version) +
                            " of the client protocol, not " + std::to_string(hello.protocol()));
  }
  if (role_ == Role::closed) return client.hang_up(Error::shutting_down, "the server is stopping");
  client.has_greeted_ = true;
  sending_.Clear();
  proto::Welcome& welcome = *sending_.mutable_welcome();
  welcome.set_protocol(service::protocol_version);
  welcome.set_program(options_.program);
  welcome.set_epoch(engine_->epoch());
  welcome.set_server(options_.server);
  welcome.set_following(is_following());
  if (is_following()) welcome.set_leader(leader_url_);
  client.send(sending_);
}

void SessionFrontend::request(ClientPort& client, proto::Request& request) {
  const std::uint64_t number = request.request();
  ++counters_.requests;
  if (role_ == Role::closed) {
    return refuse(client, number, Error::shutting_down, "the server is stopping");
  }
  if (is_turned_away(client)) return;
  if (request.has_open_session()) return open_session(client, request);
  if (client.session_ == service::no_session && needs_session(request)) {
    return refuse(client, number, Error::bad_request, "open a session first");
  }
  if (client.is_session_over_) {
    return refuse(client, number, Error::session_lost, "the session is over");
  }
  request.set_session(client.session_.value);
  service::Command command = command_of(request);
  if (auto refusal = refusal_of(request, command)) {
    return refuse(client, number, refusal->error, std::move(refusal->message));
  }
  const std::size_t most_bytes = engine_->most_request_bytes();
  if (most_bytes != 0 && request.ByteSizeLong() > most_bytes) {
    return refuse(client, number, Error::too_large,
                  "a request may have at most " + std::to_string(most_bytes) + " bytes here");
  }
  if (!is_reported(client, request)) return;
  if (request.has_close_session()) leases_.close(client.session_);
  if (client.session_ != service::no_session) return engine_->submit(request, std::move(command));
  engine_->submit(request, std::move(command), [this, to = client.number_](const auto& reply) {
    const auto at = clients_.find(to);
    this->reply(at == clients_.end() ? nullptr : at->second, reply);
  });
}

// After a crash a session of the fast grade must first report what it holds. The server refuses a
// report that it did not ask for: it may be older than the state.
bool SessionFrontend::is_reported(ClientPort& client, const proto::Request& request) {
  const bool is_awaited = unreported_.contains(client.session_.value);
  if (request.has_reclaim()) {
    if (is_awaited && leases_.report(client.session_, {engine_->epoch()})) {
      unreported_.erase(client.session_.value);
      return true;
    }
    refuse(client, request.request(), Error::bad_request,
           "the server expects no report from this session");
    return false;
  }
  if (!is_awaited) return true;
  if (request.has_close_session()) {
    unreported_.erase(client.session_.value);
    return true;
  }
  refuse(client, request.request(), Error::bad_request,
         "the server has restarted: report first what this session holds");
  return false;
}

void SessionFrontend::open_session(ClientPort& client, proto::Request& request) {
  request.set_session(0);
  if (options_.gate != nullptr) {
    proto::OpenSession& open = *request.mutable_open_session();
    open.set_ttl(std::min(open.ttl(), options_.gate->longest_promise().value));
  }
  service::Command command = command_of(request);
  if (auto refusal = refusal_of(request, command)) {
    return refuse(client, request.request(), refusal->error, std::move(refusal->message));
  }
  engine_->submit(request, std::move(command), [this, to = client.number_](const auto& reply) {
    const auto* result = std::get_if<service::Opened>(&reply.result);
    if (result != nullptr) opened(*result);
    const auto at = clients_.find(to);
    if (at == clients_.end()) return;
    if (result != nullptr) bind(*at->second, result->session);
    this->reply(at->second, reply);
  });
}

// Opens the lease of a new session. A client may repeat the request that opened the session; then
// the lease is there already.
void SessionFrontend::opened(const service::Opened& opened) {
  const auto answer = leases_.receive(clock(), service::KeepAlive{opened.session, {}});
  if (!answer || std::holds_alternative<service::Alive>(*answer)) return;
  if (engine_->state().session(opened.session)) leases_.open(clock(), opened.session, opened.ttl);
}

void SessionFrontend::bind(ClientPort& client, service::SessionId session) {
  ClientPort*& bound = bound_[session.value];
  ClientPort* before = std::exchange(bound, &client);
  if (client.session_ != service::no_session && client.session_ != session) {
    bound_.erase(client.session_.value);
  }
  client.session_ = session;
  client.is_session_over_ = false;
  if (before == nullptr || before == &client) return;
  before->session_ = service::no_session;
  before->hang_up(Error::session_lost, "the session continues on another connection");
}

bool SessionFrontend::is_turned_away(ClientPort& client) {
  if (!is_following()) return false;
  client.hang_up(Error::not_leader, "this server does not lead");
  return true;
}

void SessionFrontend::resume(ClientPort& client, const proto::Resume& resume) {
  if (is_turned_away(client)) return;
  if (!engine_->is_sure()) {
    return client.hang_up(Error::unavailable, "this server cannot prove that it still leads");
  }
  const service::SessionId session{resume.session()};
  const auto known = engine_->state().session_of(resume.nonce());
  const auto alive =
      known == session ? leases_.receive(clock(), service::KeepAlive{session, {}}) : std::nullopt;
  if (!alive || !std::holds_alternative<service::Alive>(*alive)) {
    return later(client, [this, session](ClientPort& to) {
      sending_.Clear();
      proto::Resumed& resumed = *sending_.mutable_resumed();
      resumed.set_session(session.value);
      resumed.set_error(static_cast<std::uint32_t>(Error::session_lost));
      resumed.set_message("there is no such session: it has expired, or was closed or broken");
      to.send(sending_);
    });
  }
  bind(client, session);
  sending_.Clear();
  proto::Resumed& resumed = *sending_.mutable_resumed();
  resumed.set_session(session.value);
  resumed.set_must_report(unreported_.contains(session.value));
  resumed.set_ttl(engine_->state().session(session)->terms.ttl.value);
  auto endings = engine_->state().endings(session);
  resumed.set_reminders(static_cast<std::uint32_t>(endings.size()));
  client.send(sending_);
  remind(client, session, std::move(endings));
}

// Tells a client that resumes its session which holds were ended meanwhile; later(), because a
// crash may still undo an end that is not durable.
void SessionFrontend::remind(ClientPort& client, service::SessionId session,
                             std::vector<service::HoldOver> endings) {
  if (endings.empty()) return;
  later(client, [this, session, endings = std::move(endings)](ClientPort& to) {
    if (to.session_ != session) return;
    for (const service::HoldOver& over : endings) {
      sending_.Clear();
      fill(*sending_.mutable_hold_over(), over);
      to.send(sending_);
    }
  });
}

void SessionFrontend::keep_alive(ClientPort& client, const proto::KeepAlive& message) {
  service::Duration ttl{0};
  ++counters_.keepalives;
  if (client.session_ != service::no_session) {
    if (!engine_->is_sure() || !is_covered(client.session_)) return;
    const auto answer = leases_.receive(clock(), service::KeepAlive{client.session_, {}});
    if (!answer) return;
    if (std::holds_alternative<service::Gone>(*answer)) {
      if (client.is_session_over_) return;
      return session_over({client.session_, "it is over"});
    }
    const auto* lease = find_lease(client.session_);
    invariant(lease != nullptr, "a session that has no lease is kept alive");
    ttl = lease->ttl;
  }
  sending_.Clear();
  proto::Alive& alive = *sending_.mutable_alive();
  alive.set_number(message.number());
  alive.set_ttl(ttl.value);
  alive.set_epoch(engine_->epoch());
  client.send(sending_);
}

bool SessionFrontend::is_covered(service::SessionId session) const {
  if (options_.gate == nullptr || !engine_->state().holds_anything(session)) return true;
  const auto* lease = find_lease(session);
  return lease == nullptr || lease->ttl <= options_.gate->promised();
}

const service::LeaseServer::Lease* SessionFrontend::find_lease(service::SessionId session) const {
  const auto& leases = leases_.state().leases;
  const auto at =
      std::lower_bound(leases.begin(), leases.end(), session,
                       [](const service::LeaseServer::Lease& lease, service::SessionId wanted) {
                         return lease.session < wanted;
                       });
  return at == leases.end() || at->session != session ? nullptr : &*at;
}

service::Duration SessionFrontend::lease_left(service::SessionId session) const {
  const auto* lease = find_lease(session);
  return lease == nullptr ? service::Duration{0}
                          : std::max(lease->until - clock(), service::Duration{0});
}

Asked SessionFrontend::asked() const {
  return {
      .state = engine_->state(),
      .now = engine_->now(),
      .lease_left = [this](service::SessionId session) { return lease_left(session); },
      .is_connected = [this](service::SessionId session) { return client_of(session) != nullptr; },
      .fill_status =
          [this](proto::Status& status) {
            status.set_server(options_.server);
            status.set_program(options_.program);
            status.set_epoch(engine_->epoch());
            status.set_leads_for((engine_->now() - engine_->leading_since()).value);
            status.set_journal(options_.journal);
            status.set_position(engine_->position());
            status.set_connections(clients_.size());
            status.set_process(static_cast<std::uint32_t>(::getpid()));
            status.set_scope(options_.scope);
            for (const std::string& url : http_addresses_) status.add_http(url);
            status.set_following(is_following());
          },
      .make_backup =
          [this] {
            return make_backup(engine_->state(), {.epoch = engine_->epoch(),
                                                  .made_us = host_.wall_us(),
                                                  .server = options_.server,
                                                  .journal = options_.journal});
          },
      .others = {}};
}

void SessionFrontend::tell(ClientPort& client, std::vector<proto::Answer>& parts) {
  for (proto::Answer& part : parts) {
    sending_.Clear();
    sending_.mutable_answer()->Swap(&part);
    client.send(sending_);
  }
}

// A gated state has no journal to wait for: the frontend answers as soon as the other servers have.
void SessionFrontend::read_locks(ClientPort& client, const proto::Read& read) {
  options_.gate->complete_locks(read.locks(),
                                [this, read, number = client.number_](OthersLocks others) {
                                  const auto at = clients_.find(number);
                                  if (at == clients_.end()) return;
                                  Asked all = asked();
                                  all.others = std::move(others);
                                  auto parts = answer(read, all);
                                  for (const std::string& one : all.others.silent)
                                    parts.front().add_silent(one);
                                  tell(*at->second, parts);
                                });
}

void SessionFrontend::read(ClientPort& client, const proto::Read& read) {
  if (role_ == Role::loading && !read.has_status()) {
    return client.hang_up(Error::unavailable, "this server has not read the journal yet");
  }
  if (read.has_locks() && options_.gate != nullptr) return read_locks(client, read);
  // The answer shows the state of this moment. It goes out when that state is durable.
  auto parts = std::make_shared<std::vector<proto::Answer>>(answer(read, asked()));
  if (read.stale() || role_ == Role::following) {
    for (proto::Answer& part : *parts) part.set_age(age().value);
  }
  const auto tell = [this, parts, is_backup = read.has_backup()](ClientPort& to) {
    if (is_backup) to.make_room(bytes_of(*parts));
    this->tell(to, *parts);
  };
  if (read.has_status() && options_.others != nullptr) {
    options_.others->complete_status(
        parts->front().status(), [this, parts, tell, number = client.number_](const auto& status) {
          *parts->front().mutable_status() = status;
          const auto at = clients_.find(number);
          if (at != clients_.end()) tell(*at->second);
        });
  } else if (read.stale()) {
    tell(client);
  } else if (!is_turned_away(client)) {
    later(client, tell);
  }
}

service::Duration SessionFrontend::age() const {
  return options_.others == nullptr ? service::Duration{0} : options_.others->age();
}

void SessionFrontend::watch(ClientPort& client, const proto::Watch& watch) {
  if (is_turned_away(client)) return;
  later(client, [this, watch](ClientPort& to) {
    if (to.watches_ >= options_.watches_per_client) {
      return to.hang_up(Error::too_many, "more than " +
                                             std::to_string(options_.watches_per_client) +
                                             " watches over one connection");
    }
    watches_.add(to, watch, engine_->state());
  });
}

// --- What clients are told -----------------------------------------------------------------------

void SessionFrontend::deliver(service::Effects& effects) {
  for (service::Effect& effect : effects) {
    if (const auto* one = std::get_if<service::Reply>(&effect)) {
      reply(client_of(one->session), *one);
    } else if (const auto* queued = std::get_if<service::Queued>(&effect)) {
      ClientPort* client = client_of(queued->session);
      if (client == nullptr) continue;
      sending_.Clear();
      fill(*sending_.mutable_queued(), *queued);
      client->send(sending_);
    } else if (const auto* hold = std::get_if<service::HoldOver>(&effect)) {
      ClientPort* client = client_of(hold->session);
      if (client == nullptr) continue;
      sending_.Clear();
      fill(*sending_.mutable_hold_over(), *hold);
      client->send(sending_);
    } else if (const auto* over = std::get_if<service::SessionOver>(&effect)) {
      session_over(*over);
    } else if (const auto* change = std::get_if<service::Change>(&effect)) {
      watches_.changed(*change);
    }
  }
  watches_.flush();
}

void SessionFrontend::reply(ClientPort* client, const service::Reply& reply) {
  if (reply.error != Error::none) ++counters_.refused[static_cast<std::size_t>(reply.error)];
  if (client == nullptr) return;
  proto::Reply& message = *sending_reply_.mutable_reply();
  message.Clear();
  fill(message, reply);
  if (reply.error == Error::busy || reply.error == Error::timed_out) explain(message);
  client->send(sending_reply_);
}

// While the gate grants nothing, a try fails for that reason, and not because another client holds
// the lock. So the reply names the gate's trouble.
void SessionFrontend::explain(proto::Reply& refusal) const {
  const std::string why = trouble();
  if (why.empty()) return;
  refusal.set_error(static_cast<std::uint32_t>(Error::timed_out));
  refusal.set_message(why);
}

void SessionFrontend::refuse(ClientPort& client, std::uint64_t request, Error error,
                             std::string message) {
  reply(&client,
        {.session = {}, .request = {request}, .error = error, .message = std::move(message)});
}

void SessionFrontend::session_over(const service::SessionOver& over) {
  leases_.close(over.session);
  unreported_.erase(over.session.value);
  ClientPort* client = client_of(over.session);
  if (client == nullptr) return;
  client->is_session_over_ = true;
  sending_.Clear();
  fill(*sending_.mutable_session_over(), over);
  client->send(sending_);
}

void SessionFrontend::later(ClientPort& client, std::function<void(ClientPort&)> what) {
  engine_->when_proven([this, number = client.number_, what = std::move(what)] {
    if (const auto at = clients_.find(number); at != clients_.end()) what(*at->second);
  });
}

ClientPort* SessionFrontend::client_of(service::SessionId session) const {
  const auto at = bound_.find(session.value);
  if (at == bound_.end()) return nullptr;
  invariant(at->second->session_ == session, "a client is bound to a session that it has not");
  return at->second;
}

// --- Leases -------------------------------------------------------------------------------------

void SessionFrontend::wake() {
  if (role_ == Role::leading) leases_.wake(clock());
}

void SessionFrontend::expire() {
  if (role_ != Role::leading) return;
  while (const auto session = leases_.expire_next(clock())) {
    unreported_.erase(session->value);
    ++counters_.expired;
    engine_->expire(*session);
  }
}

}  // namespace baton::server
