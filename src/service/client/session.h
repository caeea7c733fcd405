// One session as its client knows it: how it is opened and resumed, its lease, and its end.
//
// The connection goes through three phases. In `away` nothing of the server is understood but its
// greeting. In `entering` the session is being opened or resumed. In `ready` the server hears
// requests. A session that is lost stays lost, whatever is heard after that.
//
// A value, as everything that fills an Outbox is: the host says what time it is, by a clock that
// goes on while the machine sleeps, and calls wake() before it believes anything that it has heard.
#pragma once

#include <map>

#include "baton/client.h"
#include "service/client/claim.h"
#include "service/lease/lease.h"
#include "service/state/versions.h"

namespace baton::client {

using service::protocol_version;
// The opening is the first request of its session.
inline constexpr std::uint64_t opening_request = 1;

// Not this server, or not any more: the next one may do it.
bool is_elsewhere(Error error);

class Session {
 public:
  // The event that the host must handle.
  enum class Event : std::uint8_t {
    none,
    follows,   // this server follows another one, which the host looks for
    refused,   // no server will open the session: why()
    admitted,  // the host reports, if must_report() says so, and then calls begin()
    jeopardy,
    safe,
    lost  // why()
  };

  // `new_nonce` makes a secret of random bytes for each new opening.
  Session(ClientOptions options, const SessionTicket* ticket, std::string (*new_nonce)());

  // --- The connection.
  void greet(Outbox& out) const;
  void disconnected();
  Event hear(const proto::Welcome& welcome, Micros now, Outbox& out);
  // The answer to the opening.
  Event hear(const proto::Reply& reply, Micros now, Outbox& out);
  Event hear(const proto::Resumed& resumed, Micros now, Outbox& out);
  Event hear(const proto::Alive& alive, Micros now, Outbox& out);
  Event hear(const proto::SessionOver& over);
  // From here on the server hears requests. A keepalive goes first: a grant counts only under a
  // lease.
  Event begin(Micros now, Outbox& out);

  bool is_away() const { return phase_ == Phase::away; }
  bool is_opening() const { return phase_ == Phase::entering && session_ == 0; }
  bool is_ready() const { return phase_ == Phase::ready; }
  // The server does not know any more what this session holds and waits for.
  bool must_report() const { return must_report_; }

  // --- The clock.
  // `holding`: whether the end of the lease would be a loss.
  Event wake(Micros now, bool holding, Outbox& out);
  // Sends a keepalive, unless one is unanswered.
  Event probe(Micros now, Outbox& out);
  // The server has not answered for so long that the client should look for another connection.
  // Sooner if the client is waiting for an answer that other servers (`has_others`) could give.
  bool is_silent(Micros now, bool has_others, bool is_waiting) const;
  // When wake() may have something to say. None: not before something happens.
  std::optional<Micros> next_wake() const;

  // --- The lease.
  // Whether a grant may be believed in. True without a session, which grants nothing.
  bool has_lease(Micros now) const { return !lease_ || lease_->has_lease({now}); }
  Micros lease_end() const;
  // Since when the lease has been over, though nothing was held; 0: it is not.
  Micros doubt_since() const { return doubt_since_; }

  // --- The end.
  // For ever; none if it was lost before.
  Event lose(Failure why);
  // From any thread, with or without the host's lock.
  bool is_lost() const { return claim_->is(Claim::State::lost); }
  // Held until it is lost. The host tells of the loss, after that of the holds.
  const std::shared_ptr<Claim>& claim() const { return claim_; }
  // Once it is lost or refused.
  const Failure& why() const { return claim_->why; }

  const ClientOptions& options() const { return options_; }
  std::uint64_t id() const { return session_; }
  std::chrono::microseconds ttl() const { return std::chrono::microseconds(terms_.ttl.value); }
  std::chrono::microseconds loss_margin() const { return std::chrono::microseconds(loss_margin_); }
  // For another process, which goes on with the number of the next request.
  SessionTicket ticket(std::uint64_t next_request) const;

 private:
  enum class Phase : std::uint8_t { away, entering, ready };

  void open(Micros now, Outbox& out);
  void resume(Outbox& out) const;
  void begin_lease(Micros ttl);
  Event refuse(Failure why);
  // Carries out what the lease protocol decided.
  Event follow(const service::LeaseClient::Step& step, Outbox& out);

  ClientOptions options_;
  std::string (*new_nonce_)();
  Phase phase_ = Phase::away;
  std::uint64_t epoch_ = 0;  // the latest that was accepted
  std::uint64_t session_ = 0;
  std::string nonce_;
  Micros greeted_at_ = 0;    // by the present server
  Micros opening_sent_ = 0;  // the first time
  int opening_tries_ = 0;
  bool must_report_ = false;

  std::optional<service::LeaseClient> lease_;
  service::LeaseTerms terms_{};
  Micros loss_margin_;
  Micros doubt_since_ = 0;
  std::map<std::uint64_t, Micros> keep_alives_;  // when each that is unanswered was sent
  std::uint64_t next_keep_alive_ = 1;

  std::shared_ptr<Claim> claim_ = std::make_shared<Claim>();
};

}  // namespace baton::client
