// What is asked of the lock service and what it answers: plain values.
//
// A command is all that the state machine (service/state/state.h) ever hears of the world: who asks, for
// what, and what time it is. Journals keep commands in order, and a state is what its commands make
// of it; so nothing here may depend on anything else.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "baton/error.h"
#include "core/ids.h"

namespace baton::service {

// Counted by the state machine from 1 on, never used twice.
using SessionId = Strong<struct SessionTag, std::uint64_t>;
// Chosen by the client, ascending within its session: a repeated request is answered, not repeated.
using RequestId = Strong<struct RequestTag, std::uint64_t>;
// Chosen by the client: who within a session holds or waits, such as a thread. The holder of a lock
// is a owner of a session; two owners of one session exclude each other.
using OwnerId = Strong<struct GuardTag, std::uint64_t>;
// Strictly increasing for ever, over all locks: a resource that has seen a larger one refuses.
using FencingToken = Strong<struct FencingTag, std::uint64_t>;
// Counts the changes of files and of leaders.
using Revision = Strong<struct RevisionTag, std::uint64_t>;
// Microseconds. Service time goes on only while a server leads: a restart loses no one's time.
using Duration = Strong<struct DurationTag, std::int64_t>;
using Time = Strong<struct TimeTag, std::int64_t>;

constexpr Time operator+(Time time, Duration duration) { return {time.value + duration.value}; }
constexpr Duration operator-(Time a, Time b) { return {a.value - b.value}; }
inline constexpr SessionId no_session{0};

inline constexpr std::size_t longest_name = 512;        // bytes of UTF-8
inline constexpr std::size_t largest_file = 64 * 1024;  // bytes
inline constexpr std::size_t longest_label = 1024;
inline constexpr std::size_t longest_nonce = 128;
inline constexpr std::size_t longest_who = 256;  // a host's or a user's name
inline constexpr std::size_t most_names_at_once = 64;
inline constexpr std::uint32_t most_slots = 65'536;
inline constexpr Duration shortest_ttl{1'000'000};
inline constexpr Duration longest_ttl{3'600'000'000};
inline constexpr Duration longest_lock_delay{3'600'000'000};
// Of waits and of maximum holds: 365 days. For ever is longer, but has no number.
inline constexpr Duration longest_wait{365LL * 24 * 3'600'000'000};
// Of a try in a gated state: whether a name is free must be found out elsewhere.
inline constexpr Duration longest_try{250'000};
inline constexpr std::size_t most_sessions = 200'000;
inline constexpr std::size_t most_waiting = 10'000;  // requests of one session
inline constexpr std::size_t most_unconfirmed =
    10'000;  // answers that one session left unconfirmed
inline constexpr std::uint32_t most_latest_answers = 10'000;  // that one session may ask to be kept
inline constexpr std::size_t most_endings = 10'000;  // of holds, that one session has not confirmed
inline constexpr std::size_t most_file_bytes = 256 * 1024 * 1024;   // keys and values of all files
inline constexpr std::size_t most_changes = 10'000;                 // kept for watches …
inline constexpr std::size_t most_change_bytes = 16 * 1024 * 1024;  // … and no more than this

// In a session that does not confirm, requests from here on are never repeated: their answers are
// not kept, and do not push out those that are.
inline constexpr RequestId first_unrepeated{std::uint64_t{1} << 63};

// Locks and elections have names of their own; a leader is a holder that has something to say.
enum class Namespace : std::uint8_t { lock, election };
enum class Mode : std::uint8_t { exclusive, shared };

// --- Commands -----------------------------------------------------------------------------------

struct Who {
  std::string host;
  std::uint32_t process = 0;
  std::string user;
  std::string label;  // whatever people should see

  friend bool operator==(const Who&, const Who&) = default;
};

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
  Mode mode{};
  std::uint32_t slots = 1;  // how many may hold it at once; all who use a name must agree
  OwnerId owner;
  std::optional<Duration> wait;  // at most; 0: not at all; none: for ever
  Duration max_hold;             // 0: as long as it likes
  std::string value;             // of a campaign
  std::string label;
  bool fast = false;
  bool despite_deadlock = false;  // wait even if it could never end
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
    Mode mode{};
    std::uint32_t slots = 1;
    std::uint32_t slot = 0;
    OwnerId owner;
    FencingToken fence;
    std::uint32_t times = 1;
    Duration max_hold;
    std::string value;
    std::string label;
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
struct Granted {
  // Of one of several names.
  struct Part {
    FencingToken fence;
    std::uint32_t slot = 0;

    friend bool operator==(const Part&, const Part&) = default;
  };
  FencingToken fence;       // the largest of them
  std::uint32_t slot = 0;   // of a lock with several; of the first name
  std::vector<Part> parts;  // if more than one name was asked for: each one's, in that order

  friend bool operator==(const Granted&, const Granted&) = default;
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
  std::variant<std::monostate, Opened, Granted, Stored> result;
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
