// What is asked of the lock service and what it answers: plain values.
//
// A command is all that the state machine (service/state/state.h) ever hears of the world: who asks, for
// what, and what time it is. Journals keep commands in order, and a state is what its commands make
// of it; so nothing here may depend on anything else.
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
  // Of a client that cannot confirm: so many of its latest answers are kept instead. 0: it
  // confirms.
  std::uint32_t latest_answers = 0;

  friend bool operator==(const OpenSession&, const OpenSession&) = default;
};
struct CloseSession {};
// By the server: the lease has run out.
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
// From shared to exclusive without letting go, ahead of all who wait: refused if another owner is
// already waiting for the same, since each would wait for the other.
struct Upgrade {
  std::string name;
  OwnerId owner;
  std::optional<Duration> wait;
  bool despite_deadlock = false;
};
// The leader's new word.
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

// By an operator. The holder is told, and the lock is free when it has answered or its lease, from
// now on, is over; by force it is free at once.
struct Break {
  Namespace space{};
  std::string name;
  bool force = false;
};
struct BreakSession {
  SessionId session;
  bool force = false;
};
// The client's answer to being told that a hold is over.
struct Acknowledge {
  Namespace space{};
  std::string name;
  OwnerId owner;
  FencingToken fence;
};

// What a client that uses the fast grade held and waited for when the server went away.
struct Reclaim {
  struct Held {
    Namespace space{};
    std::string name;
    std::uint32_t slots = 1;
    Hold hold;  // what its holder knows of it: not how long it has lasted, nor whether it is over
  };
  struct Waiting {
    RequestId request;
    std::uint64_t ticket = 0;  // its place in line, as it was told
    Acquire acquire;
  };
  // All of them: a hold that is not named is given up, and so is a request that is not. A request
  // that was never told its place has ticket 0. A waiting upgrade is not named but asked for again.
  std::vector<Held> held;
  std::vector<Waiting> waiting;
};

// By the server, first of all when it begins to lead. Fences and service time go on from here, and
// if the last leader did not end cleanly, sessions that use the fast grade must report.
struct Lead {
  FencingToken fences_from;
  bool after_crash = false;
  bool gated = false;  // nothing is granted here that was not opened from outside
};
// By the server: fences below this may be given out.
struct Reserve {
  FencingToken below;
};
// By the server: only time has passed.
struct Tick {};

// These are for a gated state (service/state/state.h), by the server, on behalf of those with whom it
// shares its names. The first in line is granted it, with this fence.
struct Open {
  Namespace space{};
  std::string name;
  FencingToken fence;
};
// It was taken away from this server, and so from whoever holds it here; or soon will be, and is to
// be let go before that.
struct Revoke {
  Namespace space{};
  std::string name;
  std::string reason;
  bool is_notice = false;
};
// Another server's session leads an election.
struct Elsewhere {
  std::string name;
  FencingToken fence;  // 0: nobody does any more
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

// To a request, once. It bears the session and request of its command: none of an opening, whose
// session is in the result.
struct Reply {
  SessionId session;
  RequestId request;
  Error error = Error::none;
  std::string message;  // more than the error says, such as the cycle of a deadlock
  std::variant<std::monostate, Opened, Grant, Stored> result;
  bool fast = false;  // a grant that may be told before the journal has it

  friend bool operator==(const Reply&, const Reply&) = default;
};
// To a request that has to wait: its place in line. Not kept; a retry is told again.
struct Queued {
  SessionId session;
  RequestId request;
  std::uint64_t ticket = 0;

  friend bool operator==(const Queued&, const Queued&) = default;
};
// To a session, of itself: a hold is over, or it is over itself.
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

// Of a gated state, to its host: somebody waits for a name that is closed.
struct Wanted {
  Namespace space{};
  std::string name;

  friend bool operator==(const Wanted&, const Wanted&) = default;
};
// ... or it is of no use here: its holder is gone, or all who waited have given up.
struct Unwanted {
  Namespace space{};
  std::string name;

  friend bool operator==(const Unwanted&, const Unwanted&) = default;
};

// What a command brings about, in order.
using Effect = std::variant<Reply, Queued, HoldOver, SessionOver, Change, Wanted, Unwanted>;
using Effects = std::vector<Effect>;

}  // namespace baton::service
