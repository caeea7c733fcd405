#include "server/desk.h"

#include <unistd.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "server/backup.h"

namespace baton::server {

namespace {

// What may be asked without a session: nobody holds anything by it.
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

Desk::Desk(Engine& engine, EngineHost& host, DeskOptions options)
    : engine_(&engine),
      host_(host),
      options_(std::move(options)),
      leases_({0}, {0}, options_.longest_turn),
      received_(room_for_received_.data(), room_for_received_.size()) {}

void Desk::attach(Engine& engine) {
  engine_ = &engine;
  role_ = Role::loading;
  leader_url_.clear();
  bound_.clear();
  unreported_.clear();
}

void Desk::follow(std::string leader_url) {
  role_ = Role::following;
  leader_url_ = std::move(leader_url);
}

void Desk::open(service::Duration promised) {
  leases_ = service::LeaseServer({engine_->epoch()}, clock(), options_.longest_turn);
  for (const service::SessionId session : engine_->state().unreported()) {
    unreported_.insert(session.value);
  }
  for (const service::SessionInfo& session : engine_->state().sessions()) {
    // One that was broken has no lease: its client, which may not know, must not resume it.
    if (session.ends) continue;
    leases_.take_over(clock(), session.id, session.ttl, unreported_.contains(session.id.value),
                      promised);
  }
  watches_.begin_at(engine_->state().revision());
  role_ = Role::leading;
}

void Desk::close() { role_ = Role::closed; }

void Desk::dismiss(Error error, const std::string& message) {
  std::vector<Guest*> all;
  for (const auto& [number, guest] : guests_) all.push_back(guest);
  for (Guest* guest : all) guest->hang_up(error, message);
}

void Desk::arrive(Guest& guest) {
  guest.number_ = next_guest_++;
  guests_.emplace(guest.number_, &guest);
}

void Desk::leave(Guest& guest) {
  watches_.remove_all(guest);
  const auto at = bound_.find(guest.session_.value);
  if (at != bound_.end() && at->second == &guest) bound_.erase(at);
  guests_.erase(guest.number_);
}

// --- What guests say ----------------------------------------------------------------------------

void Desk::receive(Guest& guest, std::string_view frame) {
  received_.Reset();
  auto& message = *google::protobuf::Arena::CreateMessage<proto::ClientMessage>(&received_);
  if (!message.ParseFromArray(frame.data(), static_cast<int>(frame.size()))) {
    return guest.hang_up(Error::bad_request, "a frame is not a message of the client protocol");
  }
  receive(guest, message);
}

void Desk::receive(Guest& guest, proto::ClientMessage& message) {
  using proto::ClientMessage;
  const bool is_hello = message.what_case() == ClientMessage::kHello;
  if (!guest.has_greeted_ && !is_hello) {
    return guest.hang_up(Error::bad_request, "the first message must be a Hello");
  }
  switch (message.what_case()) {
    case ClientMessage::kRequest:
      return request(guest, *message.mutable_request());
    case ClientMessage::kKeepAlive:
      return keep_alive(guest, message.keep_alive());
    case ClientMessage::kHello:
      return greet(guest, message.hello());
    case ClientMessage::kResume:
      return resume(guest, message.resume());
    case ClientMessage::kRead:
      return read(guest, message.read());
    case ClientMessage::kWatch:
      return watch(guest, message.watch());
    case ClientMessage::kUnwatch:
      return watches_.remove(guest, message.unwatch().number());
    case ClientMessage::WHAT_NOT_SET:
      break;
  }
  guest.hang_up(Error::bad_request, "a message says nothing that this server knows");
}

void Desk::greet(Guest& guest, const proto::Hello& hello) {
  if (guest.has_greeted_) return guest.hang_up(Error::bad_request, "a second Hello");
  if (hello.protocol() != protocol_version) {
    return guest.hang_up(Error::version,
                         "this server speaks version " + std::to_string(protocol_version) +
                             " of the client protocol, not " + std::to_string(hello.protocol()));
  }
  if (role_ == Role::closed) return guest.hang_up(Error::shutting_down, "the server is stopping");
  guest.has_greeted_ = true;
  sending_.Clear();
  proto::Welcome& welcome = *sending_.mutable_welcome();
  welcome.set_protocol(protocol_version);
  welcome.set_program(options_.program);
  welcome.set_epoch(engine_->epoch());
  welcome.set_server(options_.server);
  welcome.set_following(is_following());
  if (is_following()) welcome.set_leader(leader_url_);
  guest.send(sending_);
}

void Desk::request(Guest& guest, proto::Request& request) {
  const std::uint64_t number = request.request();
  ++counters_.requests;
  if (role_ == Role::closed) {
    return refuse(guest, number, Error::shutting_down, "the server is stopping");
  }
  if (is_turned_away(guest)) return;
  if (request.has_open_session()) return open_session(guest, request);
  if (guest.session_ == service::no_session && needs_session(request)) {
    return refuse(guest, number, Error::bad_request, "open a session first");
  }
  if (guest.is_session_over_) {
    return refuse(guest, number, Error::session_lost, "the session is over");
  }
  request.set_session(guest.session_.value);
  service::Command command = command_of(request);
  if (auto refusal = refusal_of(request, command)) {
    return refuse(guest, number, refusal->error, std::move(refusal->message));
  }
  const std::size_t most_bytes = engine_->most_request_bytes();
  if (most_bytes != 0 && request.ByteSizeLong() > most_bytes) {
    return refuse(guest, number, Error::too_large,
                  "a request may have " + std::to_string(most_bytes) + " bytes here, not more");
  }
  if (!is_reported(guest, request)) return;
  if (request.has_close_session()) leases_.close(guest.session_);
  if (guest.session_ != service::no_session) return engine_->submit(request, std::move(command));
  engine_->submit(request, std::move(command), [this, to = guest.number_](const auto& reply) {
    const auto at = guests_.find(to);
    this->reply(at == guests_.end() ? nullptr : at->second, reply);
  });
}

// After a crash a session of the fast grade says first what it holds. One that need not is not
// believed: what it says may be older than what the state knows.
bool Desk::is_reported(Guest& guest, const proto::Request& request) {
  const bool is_awaited = unreported_.contains(guest.session_.value);
  if (request.has_reclaim()) {
    if (is_awaited && leases_.report(guest.session_, {engine_->epoch()})) {
      unreported_.erase(guest.session_.value);
      return true;
    }
    refuse(guest, request.request(), Error::bad_request, "no report is waited for");
    return false;
  }
  if (!is_awaited) return true;
  if (request.has_close_session()) {
    unreported_.erase(guest.session_.value);
    return true;
  }
  refuse(guest, request.request(), Error::bad_request,
         "the server has lost its memory: first report what is held");
  return false;
}

void Desk::open_session(Guest& guest, proto::Request& request) {
  request.set_session(0);
  if (options_.longest_ttl) {
    proto::OpenSession& open = *request.mutable_open_session();
    open.set_ttl(std::min(open.ttl(), options_.longest_ttl->value));
  }
  service::Command command = command_of(request);
  if (auto refusal = refusal_of(request, command)) {
    return refuse(guest, request.request(), refusal->error, std::move(refusal->message));
  }
  engine_->submit(request, std::move(command), [this, to = guest.number_](const auto& reply) {
    const auto* result = std::get_if<service::Opened>(&reply.result);
    if (result != nullptr) opened(*result);
    const auto at = guests_.find(to);
    if (at == guests_.end()) return;
    if (result != nullptr) bind(*at->second, result->session);
    this->reply(at->second, reply);
  });
}

// An opening that was repeated finds its lease.
void Desk::opened(const service::Opened& opened) {
  const auto answer = leases_.receive(clock(), service::KeepAlive{opened.session, {}});
  if (!answer || std::holds_alternative<service::Alive>(*answer)) return;
  if (engine_->state().session(opened.session)) leases_.open(clock(), opened.session, opened.ttl);
}

void Desk::bind(Guest& guest, service::SessionId session) {
  Guest*& bound = bound_[session.value];
  Guest* before = std::exchange(bound, &guest);
  if (guest.session_ != service::no_session && guest.session_ != session) {
    bound_.erase(guest.session_.value);
  }
  guest.session_ = session;
  guest.is_session_over_ = false;
  if (before == nullptr || before == &guest) return;
  before->session_ = service::no_session;
  before->hang_up(Error::session_lost, "the session goes on over another connection");
}

bool Desk::is_turned_away(Guest& guest) {
  if (!is_following()) return false;
  guest.hang_up(Error::not_leader, "this server does not lead");
  return true;
}

void Desk::resume(Guest& guest, const proto::Resume& resume) {
  if (is_turned_away(guest)) return;
  if (!engine_->is_sure()) {
    return guest.hang_up(Error::unavailable, "this server cannot prove that it still leads");
  }
  const service::SessionId session{resume.session()};
  const auto known = engine_->state().session_of(resume.nonce());
  const auto alive =
      known == session ? leases_.receive(clock(), service::KeepAlive{session, {}}) : std::nullopt;
  if (!alive || !std::holds_alternative<service::Alive>(*alive)) {
    return later(guest, [this, session](Guest& to) {
      sending_.Clear();
      proto::Resumed& resumed = *sending_.mutable_resumed();
      resumed.set_session(session.value);
      resumed.set_error(static_cast<std::uint32_t>(Error::session_lost));
      resumed.set_message("there is no such session: it has expired, or was closed or broken");
      to.send(sending_);
    });
  }
  bind(guest, session);
  sending_.Clear();
  proto::Resumed& resumed = *sending_.mutable_resumed();
  resumed.set_session(session.value);
  resumed.set_must_report(unreported_.contains(session.value));
  resumed.set_ttl(engine_->state().session(session)->ttl.value);
  auto endings = engine_->state().endings(session);
  resumed.set_reminders(static_cast<std::uint32_t>(endings.size()));
  guest.send(sending_);
  remind(guest, session, std::move(endings));
}

// What ended while it was away. An end that is not durable yet may not have happened.
void Desk::remind(Guest& guest, service::SessionId session,
                  std::vector<service::HoldOver> endings) {
  if (endings.empty()) return;
  later(guest, [this, session, endings = std::move(endings)](Guest& to) {
    if (to.session_ != session) return;
    for (const service::HoldOver& over : endings) {
      sending_.Clear();
      fill(*sending_.mutable_hold_over(), over);
      to.send(sending_);
    }
  });
}

void Desk::keep_alive(Guest& guest, const proto::KeepAlive& message) {
  service::Duration ttl{0};
  ++counters_.keepalives;
  if (guest.session_ != service::no_session) {
    if (!engine_->is_sure() || !is_covered(guest.session_)) return;
    const auto answer = leases_.receive(clock(), service::KeepAlive{guest.session_, {}});
    if (!answer) return;
    if (std::holds_alternative<service::Gone>(*answer)) {
      if (guest.is_session_over_) return;
      return session_over({guest.session_, "it is over"});
    }
    ttl = find_lease(guest.session_)->ttl;
  }
  sending_.Clear();
  proto::Alive& alive = *sending_.mutable_alive();
  alive.set_number(message.number());
  alive.set_ttl(ttl.value);
  alive.set_epoch(engine_->epoch());
  guest.send(sending_);
}

bool Desk::is_covered(service::SessionId session) const {
  if (!options_.promised || !engine_->state().holds_anything(session)) return true;
  const auto* lease = find_lease(session);
  return lease == nullptr || lease->ttl <= options_.promised();
}

const service::LeaseServer::Lease* Desk::find_lease(service::SessionId session) const {
  const auto& leases = leases_.state().leases;
  const auto at =
      std::lower_bound(leases.begin(), leases.end(), session,
                       [](const service::LeaseServer::Lease& lease, service::SessionId wanted) {
                         return lease.session < wanted;
                       });
  return at == leases.end() || at->session != session ? nullptr : &*at;
}

service::Duration Desk::lease_left(service::SessionId session) const {
  const auto* lease = find_lease(session);
  return lease == nullptr ? service::Duration{0}
                          : std::max(lease->until - clock(), service::Duration{0});
}

Asked Desk::asked() const {
  return {
      .state = engine_->state(),
      .now = engine_->now(),
      .lease_left = [this](service::SessionId session) { return lease_left(session); },
      .is_connected = [this](service::SessionId session) { return guest_of(session) != nullptr; },
      .fill_status =
          [this](proto::Status& status) {
            status.set_server(options_.server);
            status.set_program(options_.program);
            status.set_epoch(engine_->epoch());
            status.set_leads_for((engine_->now() - engine_->leading_since()).value);
            status.set_journal(options_.journal);
            status.set_position(engine_->position());
            status.set_connections(guests_.size());
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

void Desk::tell(Guest& guest, std::vector<proto::Answer>& parts) {
  for (proto::Answer& part : parts) {
    sending_.Clear();
    sending_.mutable_answer()->Swap(&part);
    guest.send(sending_);
  }
}

// Nothing is written here that could be lost: it is told as soon as the others have answered.
void Desk::read_locks(Guest& guest, const proto::Read& read) {
  options_.complete_locks(read.locks(), [this, read, number = guest.number_](OthersLocks others) {
    const auto at = guests_.find(number);
    if (at == guests_.end()) return;
    Asked all = asked();
    all.others = std::move(others);
    auto parts = answer(read, all);
    for (const std::string& one : all.others.silent) parts.front().add_silent(one);
    tell(*at->second, parts);
  });
}

void Desk::read(Guest& guest, const proto::Read& read) {
  if (role_ == Role::loading && !read.has_status()) {
    return guest.hang_up(Error::unavailable, "this server has not read the journal yet");
  }
  if (read.has_locks() && options_.complete_locks) return read_locks(guest, read);
  // Made now, of what the state is now; told when that is durable.
  auto parts = std::make_shared<std::vector<proto::Answer>>(answer(read, asked()));
  if (read.stale() || role_ == Role::following) {
    for (proto::Answer& part : *parts) part.set_age(age().value);
  }
  const auto tell = [this, parts, is_backup = read.has_backup()](Guest& to) {
    if (is_backup) to.make_room(bytes_of(*parts));
    this->tell(to, *parts);
  };
  if (read.has_status() && options_.complete_status) {
    options_.complete_status(parts->front().status(),
                             [this, parts, tell, number = guest.number_](const auto& status) {
                               *parts->front().mutable_status() = status;
                               const auto at = guests_.find(number);
                               if (at != guests_.end()) tell(*at->second);
                             });
  } else if (read.stale()) {
    tell(guest);
  } else if (!is_turned_away(guest)) {
    later(guest, tell);
  }
}

service::Duration Desk::age() const { return options_.age ? options_.age() : service::Duration{0}; }

void Desk::watch(Guest& guest, const proto::Watch& watch) {
  if (is_turned_away(guest)) return;
  later(guest, [this, watch](Guest& to) {
    if (to.watches_ >= options_.watches_per_guest) {
      return to.hang_up(Error::too_many, "more than " + std::to_string(options_.watches_per_guest) +
                                             " watches over one connection");
    }
    watches_.add(to, watch, engine_->state());
  });
}

// --- What guests are told -----------------------------------------------------------------------

void Desk::deliver(service::Effects& effects) {
  for (service::Effect& effect : effects) {
    if (const auto* one = std::get_if<service::Reply>(&effect)) {
      reply(guest_of(one->session), *one);
    } else if (const auto* queued = std::get_if<service::Queued>(&effect)) {
      Guest* guest = guest_of(queued->session);
      if (guest == nullptr) continue;
      sending_.Clear();
      fill(*sending_.mutable_queued(), *queued);
      guest->send(sending_);
    } else if (const auto* hold = std::get_if<service::HoldOver>(&effect)) {
      Guest* guest = guest_of(hold->session);
      if (guest == nullptr) continue;
      sending_.Clear();
      fill(*sending_.mutable_hold_over(), *hold);
      guest->send(sending_);
    } else if (const auto* over = std::get_if<service::SessionOver>(&effect)) {
      session_over(*over);
    } else if (const auto* change = std::get_if<service::Change>(&effect)) {
      watches_.changed(*change);
    }
  }
  watches_.flush();
}

void Desk::reply(Guest* guest, const service::Reply& reply) {
  if (reply.error != Error::none) ++counters_.refused[static_cast<std::size_t>(reply.error)];
  if (guest == nullptr) return;
  proto::Reply& message = *sending_reply_.mutable_reply();
  message.Clear();
  fill(message, reply);
  if (reply.error == Error::busy || reply.error == Error::timed_out) explain(message);
  guest->send(sending_reply_);
}

// Where nothing is granted to anybody, that is why: nobody need hold it.
void Desk::explain(proto::Reply& refusal) const {
  const std::string why = trouble();
  if (why.empty()) return;
  refusal.set_error(static_cast<std::uint32_t>(Error::timed_out));
  refusal.set_message(why);
}

void Desk::refuse(Guest& guest, std::uint64_t request, Error error, std::string message) {
  reply(&guest,
        {.session = {}, .request = {request}, .error = error, .message = std::move(message)});
}

void Desk::session_over(const service::SessionOver& over) {
  leases_.close(over.session);
  unreported_.erase(over.session.value);
  Guest* guest = guest_of(over.session);
  if (guest == nullptr) return;
  guest->is_session_over_ = true;
  sending_.Clear();
  fill(*sending_.mutable_session_over(), over);
  guest->send(sending_);
}

void Desk::later(Guest& guest, std::function<void(Guest&)> what) {
  engine_->when_proven([this, number = guest.number_, what = std::move(what)] {
    if (const auto at = guests_.find(number); at != guests_.end()) what(*at->second);
  });
}

Guest* Desk::guest_of(service::SessionId session) const {
  const auto at = bound_.find(session.value);
  return at == bound_.end() ? nullptr : at->second;
}

// --- Leases -------------------------------------------------------------------------------------

void Desk::wake() {
  if (role_ == Role::leading) leases_.wake(clock());
}

void Desk::expire() {
  if (role_ != Role::leading) return;
  while (const auto session = leases_.expire_next(clock())) {
    unreported_.erase(session->value);
    ++counters_.expired;
    engine_->expire(*session);
  }
}

}  // namespace baton::server
