#include "service/client/session.h"

#include <algorithm>
#include <limits>

#include "baton/version.h"
#include "core/invariant.h"

namespace baton::client {

namespace {

constexpr const char* program = "baton client " BATON_VERSION_STRING;
// While something is waited for, of a server beside which there are others.
constexpr Micros longest_silence = 800'000;

Failure lost_failure(const std::string& why) { return {Error::session_lost, why}; }

}  // namespace

bool is_elsewhere(Error error) {
  return error == Error::shutting_down || error == Error::not_leader || error == Error::unavailable;
}

Session::Session(ClientOptions options, const SessionTicket* ticket, std::string (*new_nonce)())
    : options_(std::move(options)),
      new_nonce_(new_nonce),
      loss_margin_(options_.loss_margin.count()) {
  claim_->state = Claim::State::held;
  if (ticket == nullptr) return;
  session_ = ticket->session;
  nonce_ = ticket->nonce;
  epoch_ = ticket->epoch;
}

SessionTicket Session::ticket(std::uint64_t next_request) const {
  return {session_, nonce_, next_request, epoch_};
}

// --- Entering -----------------------------------------------------------------------------------

void Session::greet(Outbox& out) const {
  proto::ClientMessage message;
  message.mutable_hello()->set_protocol(protocol_version);
  message.mutable_hello()->set_program(program);
  out.send(message);
}

void Session::disconnected() {
  phase_ = Phase::away;
  keep_alives_.clear();
}

Session::Event Session::hear(const proto::Welcome& welcome, Micros now, Outbox& out) {
  if (phase_ != Phase::away) return Event::none;
  if (welcome.protocol() != protocol_version) {
    out.hang_up = "it speaks another protocol";
    return refuse({Error::version, "the server speaks protocol " +
                                       std::to_string(welcome.protocol()) + ", this client " +
                                       std::to_string(protocol_version)});
  }
  if (welcome.following() && !options_.stale) {
    out.hang_up =
        welcome.leader().empty() ? "no server leads at this moment" : "another server leads";
    return Event::follows;
  }
  const bool is_old = welcome.epoch() < epoch_ && !options_.stale;
  if (is_old || (lease_ && !lease_->is_current({welcome.epoch()}))) {
    out.hang_up = "it is out of date";
    return Event::none;
  }
  epoch_ = welcome.epoch();
  phase_ = Phase::entering;
  greeted_at_ = now;
  if (!options_.session) return Event::admitted;
  if (session_ == 0)
    open(now, out);
  else
    resume(out);
  return Event::none;
}

// A repeated opening finds the session that the first one made, whose lease runs since then.
void Session::open(Micros now, Outbox& out) {
  if (nonce_.empty() || now - opening_sent_ > options_.ttl.count() / 4) {
    nonce_ = new_nonce_();
    opening_sent_ = now;
    opening_tries_ = 0;
  }
  ++opening_tries_;
  proto::ClientMessage message;
  proto::Request& request = *message.mutable_request();
  request.set_request(opening_request);
  request.set_confirmed(opening_request);
  proto::OpenSession& open = *request.mutable_open_session();
  open.set_nonce(nonce_);
  open.mutable_who()->set_host(options_.host);
  open.mutable_who()->set_process(options_.process);
  open.mutable_who()->set_user(options_.user);
  open.mutable_who()->set_label(options_.label);
  open.set_ttl(options_.ttl.count());
  open.set_lock_delay(options_.lock_delay.count());
  open.set_fast(options_.fast);
  open.set_within(options_.within);
  out.send(message);
}

Session::Event Session::hear(const proto::Reply& reply, Micros now, Outbox& out) {
  if (!is_opening() || reply.request() != opening_request) return Event::none;
  if (reply.error() != 0 || !reply.has_opened()) {
    out.hang_up = "it opens no session: " + reply.message();
    const Error error = error_of(reply.error());
    if (is_elsewhere(error)) return Event::none;
    return refuse({error == Error::none ? Error::internal : error, reply.message()});
  }
  session_ = reply.opened().session();
  begin_lease(reply.opened().ttl());
  const service::Welcome welcome{{epoch_}, nonce_, {session_}, {opening_sent_}};
  (void)lease_->receive({now}, welcome);
  if (opening_tries_ == 1) return Event::admitted;
  // One that an earlier server opened may have to report, even that it holds nothing.
  resume(out);
  return Event::none;
}

void Session::resume(Outbox& out) const {
  proto::ClientMessage message;
  message.mutable_resume()->set_session(session_);
  message.mutable_resume()->set_nonce(nonce_);
  out.send(message);
}

Session::Event Session::hear(const proto::Resumed& resumed, Micros now, Outbox& out) {
  if (phase_ != Phase::entering || session_ == 0 || resumed.session() != session_)
    return Event::none;
  const Error error = error_of(resumed.error());
  if (error == Error::session_lost || error == Error::not_found)
    return lose(lost_failure(resumed.message().empty() ? "the server does not know it any more"
                                                       : resumed.message()));
  if (error != Error::none) {
    out.hang_up = resumed.message();
    return Event::none;
  }
  if (!lease_) {
    // One that was attached to: nobody here knows how long it has been left alone.
    begin_lease(resumed.ttl());
    lease_->assume({.phase = service::LeaseClient::Phase::doubt,
                    .session = {session_},
                    .epoch = {epoch_},
                    .leased_from = {now - 2 * resumed.ttl()},
                    .next_send = {now}});
  }
  must_report_ = resumed.must_report();
  return Event::admitted;
}

Session::Event Session::begin(Micros now, Outbox& out) {
  invariant(phase_ == Phase::entering && lease_.has_value() == options_.session,
            "an answer came before the session was entered");
  phase_ = Phase::ready;
  return lease_ ? follow(lease_->connected({now}), out) : Event::none;
}

Session::Event Session::refuse(Failure why) {
  claim_->why = std::move(why);
  return Event::refused;
}

// --- The lease ----------------------------------------------------------------------------------

// A server may grant less than was asked for. Half of it at most is for stopping.
void Session::begin_lease(Micros ttl) {
  if (ttl < options_.ttl.count()) loss_margin_ = std::min<Micros>(loss_margin_, ttl / 2);
  terms_ = service::LeaseTerms::of({ttl}, {loss_margin_});
  lease_.emplace(nonce_, terms_, options_.fast);
}

Session::Event Session::follow(const service::LeaseClient::Step& step, Outbox& out) {
  using Lease = service::LeaseClient::Event;
  if (step.event == Lease::lost)
    return lose(lost_failure("no server has answered for as long as the lease lasts"));
  if (step.send && phase_ == Phase::ready) {
    proto::ClientMessage message;
    message.mutable_keep_alive()->set_number(next_keep_alive_);
    keep_alives_.emplace(next_keep_alive_++, std::get<service::KeepAlive>(*step.send).sent.value);
    out.send(message);
  }
  return step.event == Lease::jeopardy ? Event::jeopardy
         : step.event == Lease::safe   ? Event::safe
                                       : Event::none;
}

Session::Event Session::wake(Micros now, bool holding, Outbox& out) {
  if (!lease_ || is_lost()) return Event::none;
  lease_->set_holding(holding);
  const Event event = follow(lease_->wake({now}), out);
  if (lease_->phase() != service::LeaseClient::Phase::doubt)
    doubt_since_ = 0;
  else if (doubt_since_ == 0)
    doubt_since_ = now;
  return event;
}

Session::Event Session::hear(const proto::Alive& alive, Micros now, Outbox& out) {
  const auto sent = keep_alives_.find(alive.number());
  if (sent == keep_alives_.end()) return Event::none;
  const service::Alive message{{alive.epoch()}, {session_}, {sent->second}};
  keep_alives_.erase(keep_alives_.begin(), std::next(sent));
  return follow(lease_->receive({now}, message), out);
}

Session::Event Session::probe(Micros now, Outbox& out) {
  if (!lease_ || phase_ != Phase::ready || !keep_alives_.empty()) return Event::none;
  return follow(lease_->connected({now}), out);
}

bool Session::is_silent(Micros now, bool has_others, bool is_waiting) const {
  if (phase_ == Phase::entering) {
    // A server may greet and then stop, or be cut off from its journal while another comes to lead.
    // It answers a Resume at once. An opening waits for the journal, so the client leaves only for
    // another server.
    const Micros ttl = options_.ttl.count();
    if (session_ == 0) return has_others && now - greeted_at_ >= ttl;
    return now - greeted_at_ >= std::max<Micros>(ttl / 3, 300'000);
  }
  if (keep_alives_.empty()) return false;
  Micros patience = terms_.length().value / 3;
  if (has_others && is_waiting) patience = std::min(patience, longest_silence);
  return now - keep_alives_.begin()->second >= patience;
}

std::optional<Micros> Session::next_wake() const {
  const auto next = lease_ && !is_lost() ? lease_->next_wake() : std::nullopt;
  return next ? std::optional(next->value) : std::nullopt;
}

Micros Session::lease_end() const {
  if (!lease_) return std::numeric_limits<Micros>::max();
  return lease_->state().leased_from.value + terms_.length().value;
}

// --- The end ------------------------------------------------------------------------------------

Session::Event Session::hear(const proto::SessionOver& over) {
  return over.session() == session_ ? lose(lost_failure(over.reason())) : Event::none;
}

Session::Event Session::lose(Failure why) {
  if (is_lost()) return Event::none;
  disconnected();
  claim_->lose(std::move(why));
  return Event::lost;
}

}  // namespace baton::client
