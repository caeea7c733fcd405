// The lock service as a function: commands in, effects out.
//
// Only commands change a State: it has no clock, no randomness, no input or output. Each command
// carries the time. The state first does everything that has become due by then (timeouts, ends of
// delays), then carries out the command. Two states that were given the same commands are equal,
// and had the same effects, on every machine: the journal relies on that.
//
// The state promises:
// - Any two holders of a lock are compatible: one holder alone, or all shared, or one in each slot.
// - Requests are served in the order of arrival. A request waits at all its names at once. It is
//   granted when, at each name, it is compatible with the holders and with every earlier request.
//   So nobody overtakes, readers do not starve a writer, and nobody waits while all that it asks
//   for is free (machine_grants.cpp has a worked example).
// - A request is answered once. The state keeps the answer until the client has confirmed it. A
//   grant does not outlive its hold: if the hold is taken away, a retry is answered `lock_lost`.
// - Fencing tokens only grow, over all locks. Each exclusive grant and each slot gets a new one.
//   Readers that share a lock at the same time have the same token: a new one when the first of
//   them comes, or the token of the exclusive grant that was downgraded to let them in. So a
//   resource that has seen a reader's token refuses every earlier writer. (After a crash that may
//   have lost grants of the fast grade, no reader joins the readers from before the crash: it waits
//   until they have released.)
// - A request that would close a cycle of waiting is refused (service/state/wait_graph.h).
//
// A *gated* state shares its names with other servers. A name is closed until an Open lets in the
// first request that waits for it, with the fencing token of that Open. The name is closed again as
// soon as nobody holds it: each opening admits one holder, which may enter again. The state tells
// its host about each change:
//
//   closed  --somebody waits: Wanted-->      wanted
//   wanted  --Open: granted-->               open
//   wanted  --nobody waits: Unwanted-->      closed
//   open    --nobody holds it: Unwanted-->   closed   (and wanted at once if somebody waits)
//   closed  --Open: Unwanted-->              closed
//
// A lock-delay keeps the name open. A try for a closed name waits for longest_try. A gated state
// has only exclusive locks of one name, and elections.
//
// The host must:
// 1. Begin with Lead, then Reserve; nothing is granted without fences in reserve. Reserve more when
//    needs_reserve() says so.
// 2. Send a Tick, or any other command, when next_due() has come.
// 3. Send ExpireSession when a lease has run out; the state does not know about keepalives.
// 4. Let effects out only when the journal has the command and all before it, except replies marked
//    `fast`. A retry changes nothing, but is told of what may not be in the journal yet.
// 5. Of a gated state, say so in Lead, and see to it that at most one server at a time has a name
//    open, with fences that grow. Revoke what others may have. Images do not keep gates: such a
//    state ends with its process.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/state/command.h"

namespace baton::service {

// --- What can be asked of a state ---------------------------------------------------------------

// The leader of an election is a session of another server, which has no number here.
struct LeaderElsewhere {
  FencingToken fence;
  std::string value;
  Who who;
  Time since;
};

struct LockInfo {
  Namespace space{};
  std::string name;
  std::uint32_t slots = 1;
  std::vector<Hold> holders;          // by session and owner
  std::vector<WaitingRequest> queue;  // in their order
  std::optional<LeaderElsewhere> elsewhere;
};

struct SessionInfo {
  SessionId id;
  OpenSession terms;  // on which it was opened
  Time since;
  std::optional<Time> ends;  // it is broken: when it is over at the latest
  std::size_t holds = 0;
  std::size_t waits = 0;
};

// `from` waits for `to`. At a lock with several slots it waits until one of those in its way ends,
// at other locks until all of them have ended.
struct WaitEdge {
  enum class Why : std::uint8_t { holds, ahead, within };
  Party from;
  RequestId request;  // that waits; 0 of `within`
  Party to;
  Why why{};
  Namespace space{};
  std::string name;  // empty of `within`
};

struct FileInfo {
  std::string key;
  std::string value;
  std::uint64_t version = 0;
  Revision revision;  // of its last change
  SessionId tied;     // or no_session

  friend bool operator==(const FileInfo&, const FileInfo&) = default;
};

// --- All of a state, as plain values ------------------------------------------------------------

struct LockImage {
  Namespace space{};
  std::string name;
  std::uint32_t slots = 1;
  std::vector<Hold> holds;

  friend bool operator==(const LockImage&, const LockImage&) = default;
};

struct SessionImage {
  SessionId id;
  OpenSession terms;
  Time since;
  Time ends;  // of one that is broken; 0: it is not
  RequestId confirmed;
  bool must_report = false;
  std::vector<WaitingRequest> waiting;  // by request
  std::vector<Reply> answers;           // by request; of one that does not confirm, as they came
  std::vector<HoldOver> endings;        // as they came

  friend bool operator==(const SessionImage&, const SessionImage&) = default;
};

// The same commands always make the same image.
struct StateImage {
  Time now;
  FencingToken next_fence;
  FencingToken reserve;        // fences below it may be given out
  FencingToken fence_floor;    // where the present leader began: what clients report is below it
  FencingToken joinable_from;  // readers with fences below it are joined by nobody
  std::uint64_t next_ticket = 1;
  std::uint64_t ticket_floor = 1;
  std::uint64_t next_session = 1;
  bool stalled = false;                // grants wait for fences
  Revision revision;                   // of the last change
  std::vector<SessionImage> sessions;  // by id
  std::vector<LockImage> locks;        // by space and name
  std::vector<FileInfo> files;         // by key
  std::vector<Change> changes;         // by revision

  friend bool operator==(const StateImage&, const StateImage&) = default;
};

// Why this cannot be an image of a state; empty if it can. Only such an image may be restored.
std::optional<std::string> what_is_wrong_with(const StateImage& image);

// --- The state ----------------------------------------------------------------------------------

// A watch follows files by key, or leaders by the election's name.
enum class Watched : std::uint8_t { files, leaders };

class State {
 public:
  State();
  explicit State(const StateImage& image);
  State(State&&) noexcept;
  State& operator=(State&&) noexcept;
  ~State();

  // Carries out the command and appends its effects, in order. Service time never goes back: the
  // state treats an earlier `now` as the latest time that it knows.
  void apply(const Command& command, Effects& effects);

  StateImage image() const;

  Time now() const;
  // The next time at which something is due without a request: the end of a wait, hold or delay.
  std::optional<Time> next_due() const;

  // Few fencing tokens are left: the host should reserve more, beginning at next_fence().
  bool needs_reserve() const;
  FencingToken next_fence() const;
  FencingToken reserve() const;

  bool is_gated() const;

  // After a crash the state grants nothing until the unreported() sessions have reported or ended.
  bool is_recovering() const;
  std::vector<SessionId> unreported() const;

  std::optional<LockInfo> lock(Namespace space, std::string_view name) const;
  // By name; at most `limit`.
  std::vector<LockInfo> locks(Namespace space, std::string_view prefix = {},
                              std::size_t limit = SIZE_MAX) const;
  std::size_t lock_count() const;  // that are held or waited for, elections among them
  std::size_t waiting_count() const;

  std::optional<SessionInfo> session(SessionId id) const;
  bool holds_anything(SessionId id) const;
  std::vector<SessionInfo> sessions() const;  // by id
  std::size_t session_count() const;
  // Holds of the session that were ended against its will and that it has not acknowledged, in the
  // order in which they ended. The server tells the client of them again when it reconnects.
  std::vector<HoldOver> endings(SessionId id) const;
  // The session that an opening with this nonce made, if it is still there.
  std::optional<SessionId> session_of(std::string_view nonce) const;
  // "session 3 (backup on host a)".
  std::string describe(SessionId id) const;
  // A request of the session with a number in this range that waits, or whose answer the state
  // keeps.
  std::optional<RequestId> find_request(SessionId id, RequestId from, RequestId to) const;

  std::vector<WaitEdge> wait_edges() const;

  // The hold of the election's leader; its fencing token is the term. A leader at another server
  // has no session here.
  std::optional<Hold> leader(std::string_view election) const;

  std::optional<FileInfo> file(std::string_view key) const;
  // By key; at most `limit`.
  std::vector<FileInfo> files(std::string_view prefix = {}, std::size_t limit = SIZE_MAX) const;
  std::size_t file_count() const;

  Revision revision() const;  // of the last change
  // All changes after a revision; empty if the state no longer keeps all of them.
  std::optional<std::vector<Change>> changes_since(Revision after, Watched watched,
                                                   std::string_view prefix = {}) const;

 private:
  std::unique_ptr<class Machine> machine_;
};

}  // namespace baton::service
