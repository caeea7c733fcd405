// The tables of the state machine: sessions, locks with their holds and queues, files, timers.
// Every order that clients could observe is an order of ids, tickets or names, never of addresses
// or hashes. So a restored state behaves exactly as the state that the image was taken from.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "service/state/changes.h"
#include "service/state/command.h"
#include "service/state/state.h"

namespace baton::service {

// The place of a request in a queue. Upgrades sort before all other requests: these wait for the
// upgrading holder anyway.
struct QueueKey {
  bool ordinary = true;
  std::uint64_t ticket = 0;
  SessionId session;
  RequestId request;

  friend auto operator<=>(const QueueKey&, const QueueKey&) = default;
};

struct Lock;

// A request and the locks that it asks for. `names` is filled in only when the request has to wait.
struct Request : WaitingRequest {
  std::vector<Lock*> locks{};  // in the order in which they were named

  QueueKey key() const { return {!upgrade, ticket, party.session, id}; }
  bool is_exclusive() const { return mode() == Mode::exclusive; }
};

// Which slots are free: all from `fresh` on, and some below.
struct FreeSlots {
  std::uint32_t fresh = 0;
  std::set<std::uint32_t> below;

  std::uint32_t lowest() const { return below.empty() ? fresh : *below.begin(); }
  void take(std::uint32_t slot);
  void give_back(std::uint32_t slot) { below.insert(slot); }
};

// A lock of a gated state. Between commands each lock is wanted or open, because the state forgets
// a closed one.
enum class Door : std::uint8_t { closed, wanted, open };

// A lock that somebody holds or waits for; the state forgets all others. Its holds are one
// exclusive hold, or any number of shared ones, or one exclusive hold for each slot.
struct Lock {
  Namespace space{};
  std::string_view name;  // the table's own copy
  std::uint32_t slots = 1;
  std::map<Party, Hold> holds;
  std::map<QueueKey, Request*> queue;
  std::size_t exclusive_waiting = 0;
  std::unique_ptr<FreeSlots> free_slots;  // if there is more than one
  bool to_pump = false;                   // it may be somebody's turn
  bool to_check = false;                  // it may be forgotten
  Door door = Door::closed;

  bool is_shared() const {
    return !holds.empty() && holds.begin()->second.terms.mode == Mode::shared;
  }
};

// Where to find a hold of a session.
struct HoldKey {
  OwnerId owner;
  Lock* lock;  // none: before all others of this owner
};
struct HoldKeyOrder {
  bool operator()(const HoldKey& a, const HoldKey& b) const;
};

struct Session {
  SessionId id;
  OpenSession terms;
  Time since;
  Time ends;  // it is broken; 0: it is not
  RequestId confirmed;
  std::set<SessionId> inner;  // those within it
  std::set<HoldKey, HoldKeyOrder> held;
  std::map<RequestId, Request> waiting;
  std::set<std::pair<OwnerId, RequestId>> waiting_of;  // the same, by owner
  std::set<std::string> tied;                          // files
  std::deque<Reply> answers;  // by request; of one that does not confirm, as they were given
  // Holds that were ended against the session's will, until its client has acknowledged them: the
  // client may be disconnected.
  std::vector<HoldOver> endings;

  bool is_over() const { return ends.value != 0; }
  // Else so many of its latest answers are kept.
  bool confirms() const { return terms.latest_answers == 0; }
};

struct File {
  std::string value;
  std::uint64_t version = 0;
  Revision revision;
  SessionId tied;
};

struct Timer {
  enum class Kind : std::uint8_t { wait, hold, session };
  Time at;
  Kind kind{};
  SessionId session;
  std::uint64_t id = 0;  // of the request or the owner
  FencingToken fence;
  Lock* lock = nullptr;
};
struct TimerOrder {
  bool operator()(const Timer& a, const Timer& b) const;
};

struct NameHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view name) const {
    return std::hash<std::string_view>{}(name);
  }
};
using LockTable = std::unordered_map<std::string, Lock, NameHash, std::equal_to<>>;

struct Tables {
  std::unordered_map<std::uint64_t, Session> sessions;
  std::unordered_map<std::string, SessionId, NameHash, std::equal_to<>> nonces;
  LockTable locks[2];  // by space
  std::map<std::string, File, std::less<>> files;
  std::size_t file_bytes = 0;
  std::set<Timer, TimerOrder> timers;
  std::set<SessionId> unreported;
  std::map<std::string, LeaderElsewhere, std::less<>> elsewhere;  // by election
  Changes changes;
  std::size_t waiting = 0;
  // Readers that were granted before a crash, below this fence, may have been followed by a writer
  // that only the clients knew of: nobody joins them any more, for their fence may be outdated.
  FencingToken joinable_from;

  // Whether the holder keeps such a request out.
  bool keeps_out(const Hold& hold, Mode wanted) const {
    return wanted == Mode::exclusive || hold.terms.mode == Mode::exclusive ||
           hold.fence < joinable_from;
  }

  const Session* session(SessionId id) const;
  Session* session(SessionId id);
  const Lock* lock(Namespace space, std::string_view name) const;
  Lock* lock(Namespace space, std::string_view name);
  // The hold of this server's leader of the election. Null if nobody leads here, or only a
  // lock-delay is left.
  const Hold* leader(std::string_view election) const;
  LockTable& table(Namespace space) { return locks[static_cast<std::size_t>(space)]; }
  const LockTable& table(Namespace space) const { return locks[static_cast<std::size_t>(space)]; }
  // "session 3 (backup on host a)".
  std::string describe(SessionId id) const;
};

// The holds of an owner are those from here until the owner changes.
inline auto first_held(const Session& session, OwnerId owner) {
  return session.held.lower_bound(HoldKey{owner, nullptr});
}
inline auto first_waiting(const Session& session, OwnerId owner) {
  return session.waiting_of.lower_bound({owner, RequestId{0}});
}
std::string quoted(std::string_view name);

}  // namespace baton::service
