// The lock service as a function: commands in, effects out.
//
// A State is what its commands have made of it, and nothing else: no clock, no chance, no input or
// output. Time comes with each command; a command first brings about whatever has become due by its
// time, then does what it says. Two states that were given the same commands are equal, and had the
// same effects, on every machine: that is what the journal rests on.
//
// What it promises:
// - Of a lock's holders, any two are compatible: one alone, or all shared, or one in each slot.
// - Strict order of arrival. A request waits at all its names at once and is granted when, at each
//   of them, it is compatible with the holders and with every request that came earlier. So nobody
//   overtakes, readers do not starve a writer, and nobody waits while what it asks for is free.
// - A request is answered once. The answer is kept until the client has confirmed it. Only a grant
//   does not outlive its hold: if that is taken away, a repetition is answered `lock_lost`.
// - Fences only grow, over all locks. Each exclusive grant and each slot gets a fresh one. Shared
//   holders that hold together bear the same: it is fresh when the first of them comes, or that of
//   the exclusive grant that was downgraded to let them in; so a resource that has heard of a
//   reader refuses every earlier writer. (After a crash that may have lost grants of the fast
//   grade, nobody joins those who shared before it: the next readers wait for them to end.)
// - A request that would close a cycle of waiting is refused (service/state/wait_graph.h).
//
// A *gated* state shares its names with others elsewhere. A name is closed until Open lets in the
// first who waits for it, under the fence that comes with it, and closed again as soon as nobody
// holds it: one opening is one entry, though its holder may enter again. What happens is told:
//
//   closed  --somebody waits: Wanted-->      wanted
//   wanted  --Open: granted-->               open
//   wanted  --nobody waits: Unwanted-->      closed
//   open    --nobody holds it: Unwanted-->   closed   (and wanted at once if somebody waits)
//   closed  --Open: Unwanted-->              closed
//
// A lock-delay keeps it open. A try waits for longest_try if it is the first here. There are only
// exclusive locks of one name, and elections.
//
// What the host must do:
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

// Of an election: another server's session, which has no number here.
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

// `from` waits for `to`. Of a lock with several slots it waits for one of those that are in its
// way, else for all of them.
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

// Why this cannot be an image of a state, or nothing. Only others can be restored.
std::optional<std::string> what_is_wrong_with(const StateImage& image);

// --- The state ----------------------------------------------------------------------------------

// What a watch is after: files by key, or leaders by the election's name.
enum class Watched : std::uint8_t { files, leaders };

class State {
 public:
  State();
  explicit State(const StateImage& image);
  State(State&&) noexcept;
  State& operator=(State&&) noexcept;
  ~State();

  // Adds the command's effects, in their order, to what is there. Service time never goes back: an
  // earlier `now` counts as the latest.
  void apply(const Command& command, Effects& effects);

  StateImage image() const;

  Time now() const;
  // When something happens without being asked for: the next end of a wait, a hold or a delay.
  std::optional<Time> next_due() const;

  // Fences run short: time to reserve more, beginning at next_fence().
  bool needs_reserve() const;
  FencingToken next_fence() const;
  FencingToken reserve() const;

  bool is_gated() const;

  // After a crash nothing is granted until these sessions have reported or ended.
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
  // Holds of the session that were ended, and of which it has not said that it knows: who comes
  // back after it was away must be told again. As they came.
  std::vector<HoldOver> endings(SessionId id) const;
  // The session that an opening with this nonce made, if it is still there.
  std::optional<SessionId> session_of(std::string_view nonce) const;
  // "session 3 (backup on host a)".
  std::string describe(SessionId id) const;
  // One of these requests of the session that waits, or whose answer is kept.
  std::optional<RequestId> find_request(SessionId id, RequestId from, RequestId to) const;

  std::vector<WaitEdge> wait_edges() const;

  // Its fence is the term. Without a session it is another server's.
  std::optional<Hold> leader(std::string_view election) const;

  std::optional<FileInfo> file(std::string_view key) const;
  // By key; at most `limit`.
  std::vector<FileInfo> files(std::string_view prefix = {}, std::size_t limit = SIZE_MAX) const;
  std::size_t file_count() const;

  Revision revision() const;  // of the last change
  // All changes after a revision, or none if they are no longer all kept.
  std::optional<std::vector<Change>> changes_since(Revision after, Watched watched,
                                                   std::string_view prefix = {}) const;

 private:
  std::unique_ptr<class Machine> machine_;
};

}  // namespace baton::service
