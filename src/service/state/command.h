// The commands that the lock service carries out, and its answers: plain values.
//
// A command contains everything that the state machine (service/state/state.h) learns from outside:
// who asks, for what, and what time it is. A journal keeps commands in order, and replaying them
// makes the same state; so a command must not depend on anything outside it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "baton/error.h"
#include "service/state/hold.h"

namespace baton::service {

// --- Commands -----------------------------------------------------------------------------------

struct Who {
  std::string host;
  std::uint32_t process = 0;
  std::string user;
  std::string label;  // whatever people should see

  friend bool operator==(const Who&, const Who&) = default;
};

// The session keeps all of it.
struct OpenSession {
  std::string nonce;  // random: an opening that is repeated finds its session
  Who who;
  Duration ttl;         // of its lease
  Duration lock_delay;  // how long its locks stay closed if it expires
  bool fast = false;    // may take locks in the fast grade: it will have to report after a crash
  SessionId within;     // the session that waits for this one to end, or no_session
  // For a client that cannot confirm answers (HTTP): the session keeps so many of its latest
  // answers. 0: the client confirms.
  std::uint32_t latest_answers = 0;

  friend bool operator==(const OpenSession&, const OpenSession&) = default;
};
struct CloseSession {};
// From the server: the session's lease has expired.
struct ExpireSession {
  SessionId session;
};

// All of the names or none, queued at all of them at once.
struct Acquire {
  Namespace space{};
  std::vector<std::string> names;
  OwnerId owner;
  std::optional<Duration> wait;  // at most; 0: not at all; none: for ever
  RequestTerms terms;
};
// Gives up waiting: the waiting request is answered `cancelled`.
struct Cancel {
  RequestId waiting;
};
// Once for each time that it was acquired by this owner. All of the names or none.
struct Release {
  Namespace space{};
  std::vector<std::string> names;
  OwnerId owner;
};
struct Downgrade {
  std::string name;
  OwnerId owner;
};
// Changes a hold from shared to exclusive without releasing it, ahead of all waiting requests. The
// state refuses it if another owner already waits to upgrade the same lock, because each would wait
// for the other.
struct Upgrade {
  std::string name;
  OwnerId owner;
  std::optional<Duration> wait;
  bool despite_deadlock = false;
};
// The leader of an election changes its value.
struct Proclaim {
  std::string name;
  OwnerId owner;
  std::string value;
};

struct Put {
  std::string key;
  std::string value;
  std::optional<std::uint64_t> version;  // that it must have; 0: there is none
  bool tied = false;                     // goes when the session goes
  SessionId tied_to{};                   // if it is tied: to another one than the asker's own
};
struct Remove {
  std::string key;
  std::optional<std::uint64_t> version;
};

// From an operator. The server tells the holder. The lock is free when the holder has acknowledged
// it, or when a whole lease has passed since; with `force` it is free at once.
struct Break {
  Namespace space{};
  std::string name;
  bool force = false;
};
struct BreakSession {
  SessionId session;
  bool force = false;
};
// The client acknowledges that it knows that this hold is over.
struct Acknowledge {
  Namespace space{};
  std::string name;
  OwnerId owner;
  FencingToken fence;
};

// After a crash of the server, a client of the fast grade reports what it holds and waits for.
struct Reclaim {
  struct Held {
    Namespace space{};
    std::string name;
    std::uint32_t slots = 1;
    Hold hold;  // as its client knows it: without `since` and `ends`
  };
  struct Waiting {
    RequestId request;
    std::uint64_t ticket = 0;  // its place in the queue, as the last server told it
    Acquire acquire;
  };
  // The report is complete: the state ends holds and requests that it does not name. A request
  // whose client was never told its place has ticket 0. The client does not name a waiting upgrade,
  // but sends that request again.
  std::vector<Held> held;
  std::vector<Waiting> waiting;
};

// From the server: its first command when it begins to lead. Fencing tokens and service time go on
// from here. If the last leader did not end cleanly, sessions of the fast grade must report.
struct Lead {
  FencingToken fences_from;
  bool after_crash = false;
  bool gated = false;  // the state grants only names that an Open has opened
};
// From the server: the state may give out fencing tokens below this.
struct Reserve {
  FencingToken below;
};
// From the server: time has passed.
struct Tick {};

// The next three are for a gated state (service/state/state.h): the server passes on what the
// servers that share its names decide. Open: the state grants the name to the first request in its
// queue, with this fencing token.
struct Open {
  Namespace space{};
  std::string name;
  FencingToken fence;
};
// The others took the name away from this server, so its holder here loses it. A notice: they soon
// will, and the holder should release it before.
struct Revoke {
  Namespace space{};
  std::string name;
  std::string reason;
  bool is_notice = false;
};
// Another server's session leads an election.
struct Elsewhere {
  std::string name;
  FencingToken fence;  // 0: it leads no longer
  std::string value;
  Who who;
};

struct Command {
  Time now;
  SessionId session;    // no_session for the server's own, and for OpenSession
  RequestId request;    // 0: nobody waits for an answer
  RequestId confirmed;  // answers to all requests below have arrived
  std::variant<Tick, Lead, Reserve, OpenSession, CloseSession, ExpireSession, Acquire, Cancel,
               Release, Downgrade, Upgrade, Proclaim, Put, Remove, Break, BreakSession, Acknowledge,
               Reclaim, Open, Revoke, Elsewhere>
      what;
};

// --- Answers ------------------------------------------------------------------------------------

struct Opened {
  SessionId session;
  Duration ttl;

  friend bool operator==(const Opened&, const Opened&) = default;
};
struct Stored {
  std::uint64_t version = 0;
  Revision revision;

  friend bool operator==(const Stored&, const Stored&) = default;
};

// The answer to a request, sent once. It carries the session and request of its command. The reply
// to OpenSession carries no session; the new one is in the result.
struct Reply {
  SessionId session;
  RequestId request;
  Error error = Error::none;
  std::string message;  // more than the error says, such as the cycle of a deadlock
  std::variant<std::monostate, Opened, Grant, Stored> result;
  bool fast = false;  // a grant that may be told before the journal has it

  friend bool operator==(const Reply&, const Reply&) = default;
};
// Tells a request that has to wait its place in the queue. The session does not keep it; a retry is
// told again.
struct Queued {
  SessionId session;
  RequestId request;
  std::uint64_t ticket = 0;

  friend bool operator==(const Queued&, const Queued&) = default;
};
// Tells a session that one of its holds is over; SessionOver: that the session itself is over.
struct HoldOver {
  SessionId session;
  Namespace space{};
  std::string name;
  OwnerId owner;
  FencingToken fence;
  std::string reason;

  friend bool operator==(const HoldOver&, const HoldOver&) = default;
};
struct SessionOver {
  SessionId session;
  std::string reason;

  friend bool operator==(const SessionOver&, const SessionOver&) = default;
};

// A change that others may watch, in the order of revisions.
struct Change {
  enum class Kind : std::uint8_t { put, remove, elect, proclaim, resign };
  Revision revision;
  Kind kind{};
  std::string key;    // of the file, or the election's name
  std::string value;  // of the file, or what the leader says
  std::uint64_t version = 0;
  SessionId session;   // that it is tied to, or the leader's
  FencingToken fence;  // the leader's term

  friend bool operator==(const Change&, const Change&) = default;
};

// A gated state tells its host that a request waits for a closed name.
struct Wanted {
  Namespace space{};
  std::string name;

  friend bool operator==(const Wanted&, const Wanted&) = default;
};
// A gated state tells its host that it needs the name no longer: the holder has released it, or all
// waiting requests have given up.
struct Unwanted {
  Namespace space{};
  std::string name;

  friend bool operator==(const Unwanted&, const Unwanted&) = default;
};

// The effects of one command, in order.
using Effect = std::variant<Reply, Queued, HoldOver, SessionOver, Change, Wanted, Unwanted>;
using Effects = std::vector<Effect>;

}  // namespace baton::service
