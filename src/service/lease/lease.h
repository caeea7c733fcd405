// Leases: how a client and the server agree on who is still alive, without sharing a clock.
//
// A session lives as long as its client renews it. The client sends keepalives; the server answers,
// and starts the session's lease anew. If the client gets no answer, it must treat its locks as
// lost before the server may grant them to another client. If the server gets no keepalive, it may
// expire the session, but only when the lease is over. Neither can read the other's clock, so each
// measures by its own, and they compare only lengths of time.
//
// The following rules keep it safe. Each can be left out (LeaseRule) to see what it is for;
// docs/lease.md shows what then happens:
// - The client's lease runs from when it *sent* what was answered, and ends earlier than the
//   server's by a margin for clocks of different speed. Jeopardy comes first, then loss, and a loss
//   that was declared is never taken back. Grants count only under a lease that runs.
// - A client that has heard of a newer epoch ignores everything from an older one. Every start of a
//   server begins an epoch, and counts all leases anew.
// - The end of a session is made durable before anybody is told; while that is under way, the
//   session is no longer kept alive.
// - A server that has not run for a while gives that time to all sessions.
// - After a crash, sessions of the fast grade report what they hold. Until each has, or has run
//   out, nothing is granted, and nothing else is heard of a session that has yet to report.
// - Of several servers with one journal, one leads: whose key lies in a store that they share, for
//   as long as it renews it. It answers only while it can prove that it leads (LeaderProof), and
//   the proof runs from when it *sent* the renewal that was answered, and ends before the key does.
//   A successor that does not wait for the end of the key gives every session the time in which
//   its predecessor may still have answered; and no lease ever becomes shorter.
// - The store takes an append only from who has the key. A successor leads from all that was
//   appended before it had its key. A leader that stops says so in its last append (Farewell), and
//   answers nothing after that: then, and only then, there is nothing to report and to wait for.
//
// No class has a clock, a thread or a connection. Their hosts
// 1. call wake() when next_wake() has come, the server's at least once in every `longest_turn`, and
//    in each turn of its loop before it reads what has arrived, and expire_next() after that;
// 2. carry messages, in any order, late or not at all;
// 3. measure time by a clock that goes on while the machine sleeps (CLOCK_BOOTTIME);
// 4. make an expiry durable (ExpireSession) and then say so with expired();
// 5. on the client's side, tell what is at stake with set_holding(), and ask is_current() and
//    has_lease() before they believe in a grant;
// 6. repeat requests that were not answered when there is a new connection and when a doubt has
//    ended;
// 7. of several servers: ask LeaderProof::holds() before the server answers a keepalive, a question
//    or, in the fast grade, a request. What was appended is proof enough for what waited for that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "service/state/command.h"

namespace baton::service {

// Counts the times that a server began to lead. Durable before the first answer.
using Epoch = Strong<struct ServiceEpochTag, std::uint64_t>;

// A rule that is left out on purpose. Those from request_ids to unheard_answers, and from
// append_compares on, are kept by whoever keeps the locks; those from leader_proof on matter where
// several servers share a journal.
enum class LeaseRule : std::uint8_t {
  none,
  lease_from_send,       // otherwise: from when the answer arrived
  drift_margin,          // otherwise: as long as the server's
  final_loss,            // otherwise: an answer that comes after the loss undoes it
  grant_under_lease,     // otherwise: a grant counts whenever it comes
  newer_epoch_only,      // otherwise: all epochs are heard
  leases_anew,           // otherwise: after a restart nobody is known to be alive
  durable_expiry_first,  // otherwise: the client is told as soon as it is decided
  refuse_after_expiry,   // otherwise: kept alive although its end is under way
  gap_extension,         // otherwise: the server's own pause counts against its clients
  report_before_grant,   // otherwise: what the journal has lost is granted again
  report_first,          // otherwise: a session that has yet to report may already ask
  request_ids,           // otherwise: a repeated request is a new one
  durable_grants,        // otherwise: the durable grade is told before the journal has it
  new_epoch,             // otherwise: a restart goes on in the old epoch
  fence_reserve,         // otherwise: fences go on from what the journal has
  grant_after_expiry,    // otherwise: the fast grade is told before the journal has the end of the
                         // session that held the lock
  unheard_answers,       // otherwise: who reports not to hold what it was granted loses it, though
                         // the answer is kept for it
  leader_proof,          // otherwise: a leader answers until it is told that it is deposed
  proof_from_send,       // otherwise: from when the renewal was answered
  early_takeover_wait,   // otherwise: who takes over early waits no longer than others
  leases_only_grow,      // otherwise: a keepalive may also bring the end of a lease forward
  append_compares,       // otherwise: what a deposed leader appends is taken
  read_up_to_key,        // otherwise: a successor may lead without the last of what was appended
  farewell_last          // otherwise: a leader that stops goes on granting after its Farewell
};
inline constexpr std::size_t lease_rules = 25;
// "lease-from-send"; of none "".
std::string_view name_of(LeaseRule rule);
std::optional<LeaseRule> lease_rule_named(std::string_view name);

// --- Messages -----------------------------------------------------------------------------------

struct Hello {
  std::string nonce;  // random: an opening that is repeated finds its session
  Duration ttl;
  bool fast = false;
  Time sent;  // by the client's clock; only the client makes anything of it
};
struct KeepAlive {
  SessionId session;
  Time sent;
};
struct Close {
  SessionId session;
};
using ToServer = std::variant<Hello, KeepAlive, Close>;

struct Welcome {
  Epoch epoch;
  std::string nonce;
  SessionId session;
  Time sent;  // of the Hello that is answered
};
struct Alive {
  Epoch epoch;
  SessionId session;
  Time sent;                  // of the KeepAlive that is answered
  bool wants_report = false;  // what the client holds is to be told to this epoch
};
struct Gone {
  Epoch epoch;
  SessionId session;
};
using ToClient = std::variant<Welcome, Alive, Gone>;

// --- The client ---------------------------------------------------------------------------------

struct LeaseTerms {
  Duration ttl;       // the server's
  Duration margin;    // how much earlier the client's lease ends
  Duration jeopardy;  // after so long without an answer
  Duration interval;  // between keepalives

  Duration length() const { return {ttl.value - margin.value}; }
  // For clocks whose speeds differ by less than 2 percent, and a client that needs `reaction` to
  // stop what it does once a loss is declared.
  static LeaseTerms of(Duration ttl, Duration reaction);
};

class LeaseClient {
 public:
  enum class Phase : std::uint8_t {
    opening,
    safe,
    jeopardy,  // no answer for a while; the lease still runs
    doubt,     // the lease is over, but nothing was held: the session may still be there
    lost,      // for ever
    closed
  };
  enum class Event : std::uint8_t { none, opened, jeopardy, safe, lost };

  // The result of a call.
  struct Step {
    Event event = Event::none;
    std::optional<ToServer> send;
    bool report = false;  // the host shall tell epoch() what is held and asked for
  };
  struct State {
    Phase phase = Phase::opening;
    bool holding = false;
    SessionId session;
    Epoch epoch;
    Time leased_from;  // when what was last answered had been sent
    Time next_send;
  };

  LeaseClient(std::string nonce, const LeaseTerms& terms, bool fast,
              LeaseRule omitted = LeaseRule::none)
      : nonce_(std::move(nonce)), terms_(terms), fast_(fast), omitted_(omitted) {}

  // There is a new connection: what was sent before may be lost.
  Step connected(Time now);
  Step wake(Time now);
  Step receive(Time now, const ToClient& message);
  // Also for a lost session, once all that it protected has stopped: the server need not wait.
  Step close();

  // Whether something of this epoch counts. Remembers newer ones.
  bool is_current(Epoch epoch);
  // Whether a grant may be believed in.
  bool has_lease(Time now) const;
  // Whether the end of the lease is a loss.
  void set_holding(bool holding) { state_.holding = holding; }

  // None: not before something happens.
  std::optional<Time> next_wake() const;

  Phase phase() const { return state_.phase; }
  SessionId session() const { return state_.session; }
  Epoch epoch() const { return state_.epoch; }
  bool is_over() const { return state_.phase >= Phase::lost; }

  const State& state() const { return state_; }
  void assume(const State& state) { state_ = state; }

 private:
  bool omits(LeaseRule rule) const { return omitted_ == rule; }
  Time lease_end() const;
  Event notice(Time now);
  ToServer sign_of_life(Time now) const;
  Event upon(Time now, const Welcome& message);
  Event upon(Time now, const Alive& message, bool& report);
  Event upon(const Gone& message);
  Event extend(Time now, Time sent);

  std::string nonce_;
  LeaseTerms terms_;
  bool fast_;
  LeaseRule omitted_;
  State state_;
};

// --- The server ---------------------------------------------------------------------------------

class LeaseServer {
 public:
  struct Lease {
    SessionId session;
    Duration ttl;
    Time until;               // the last moment of it
    bool expiring = false;    // its end is under way
    bool unreported = false;  // of the fast grade, and this epoch does not know what it holds
  };
  struct State {
    Epoch epoch;
    std::vector<Lease> leases;  // by session
    Time last_wake;
    Time earliest;  // none of them ends before this
  };

  LeaseServer(Epoch epoch, Time now, Duration longest_turn, LeaseRule omitted = LeaseRule::none)
      : longest_turn_(longest_turn), omitted_(omitted), state_{epoch, {}, now, never} {}

  // A new session, or one that an earlier epoch left behind. After a crash those of the fast grade
  // have to report. `wait`: for so long from now a predecessor may still answer; that is the whole
  // time for which it can have its key, if the key was taken from it before its end, and nothing if
  // the key had ended or the last that was appended is a Farewell.
  void open(Time now, SessionId session, Duration ttl);
  void take_over(Time now, SessionId session, Duration ttl, bool must_report, Duration wait = {});
  void close(SessionId session);

  // In each turn of the server's loop, before it reads what has arrived.
  void wake(Time now);
  // None: a session whose end is under way is told nothing until that is durable.
  std::optional<ToClient> receive(Time now, const KeepAlive& message);
  // The session says what it holds. False: this was not waited for, and is to be ignored.
  bool report(SessionId session, Epoch epoch);
  // A session whose lease is over, if there is one: its end is now under way.
  std::optional<SessionId> expire_next(Time now);
  // The end of this session has become durable. Returns the message for its client.
  Gone expired(SessionId session);

  // When expire_next() may have something to say; `never` if at no time.
  Time next_wake() const { return state_.earliest; }
  bool may_grant() const;
  // Whether requests of the session are heard.
  bool hears(SessionId session) const;
  Epoch epoch() const { return state_.epoch; }

  static constexpr Time never{INT64_MAX};

  const State& state() const { return state_; }
  void assume(const State& state) { state_ = state; }

 private:
  using Leases = std::vector<Lease>;

  bool omits(LeaseRule rule) const { return omitted_ == rule; }
  Lease* find(SessionId session);
  const Lease* find(SessionId session) const;
  void add(const Lease& lease);
  void extend(Lease& lease, Time until);

  Duration longest_turn_;
  LeaseRule omitted_;
  State state_;
};

// --- Leadership ---------------------------------------------------------------------------------

struct ProofTerms {
  Duration ttl;       // of the leader's key, without a renewal
  Duration margin;    // how much earlier the proof ends
  Duration interval;  // between renewals

  Duration length() const { return {ttl.value - margin.value}; }
  // For clocks whose speeds differ by less than 2 percent.
  static ProofTerms of(Duration ttl);
};

// The proof by which a leader that shares its journal knows that it still leads. The leader sends
// renewals of its key to the store. An answered renewal proves that no other server can lead,
// unless it removed the key, until the key's lifetime has passed since the renewal was sent.
class LeaderProof {
 public:
  struct State {
    bool leads = false;
    Time from;  // when the renewal had been sent that was last answered
    Time next_send;
  };

  explicit LeaderProof(const ProofTerms& terms, LeaseRule omitted = LeaseRule::none)
      : terms_(terms), omitted_(omitted) {}

  // The server has its key. `sent`: when it asked for that which makes the key end.
  void begin(Time now, Time sent);
  // A renewal goes out, and is answered (the answers may come in any order).
  void sent(Time now) { state_.next_send = now + terms_.interval; }
  void renewed(Time now, Time sent);
  // The key is gone, an append was refused, or the server stops: for ever.
  void end() { state_.leads = false; }

  // Whether it may answer.
  bool holds(Time now) const;
  bool leads() const { return state_.leads; }
  // When the next renewal is due, and when the proof ends without another.
  Time next_wake() const { return state_.next_send; }
  Time until() const { return state_.from + terms_.length(); }

  const State& state() const { return state_; }
  void assume(const State& state) { state_ = state; }

 private:
  bool omits(LeaseRule rule) const { return omitted_ == rule; }

  ProofTerms terms_;
  LeaseRule omitted_;
  State state_;
};

}  // namespace baton::service
