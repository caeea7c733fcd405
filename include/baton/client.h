// The client of the lock and election service.
//
//   auto client = baton::Client::connect({.url = "unix:/run/baton/socket"}).value();
//   auto lock = client.lock("nightly-backup").value();
//   write_to(resource, lock.fence());
//
// A client is one session. It holds its locks as long as its lease lasts, and renews the lease on a
// thread of its own. After a broken connection it reconnects without losing the session, and sends
// unanswered requests again with the same id; the server executes each of them once. A server that
// lost its memory learns from the client what the client holds. If no server answers until the
// lease may have expired, the session and everything that it held are lost: connect anew.
//
// You may call every function from any thread. Do not call a blocking function from a callback: it
// returns Error::bad_request. Callbacks run one after another on the client's own thread. A
// function whose name begins with async_ calls its callback once; baton/asio.h offers coroutines. A
// client does not survive fork().
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "baton/election.h"
#include "baton/error.h"
#include "baton/export.h"
#include "baton/files.h"
#include "baton/info.h"
#include "baton/lock.h"
#include "baton/owner.h"
#include "baton/result.h"

namespace baton {
inline namespace v1 {

struct ClientOptions {
  // unix:PATH or baton://HOST:PORT,HOST:PORT,…
  std::string url{};
  std::chrono::microseconds ttl{10'000'000};  // of the lease
  std::chrono::microseconds lock_delay{0};    // how long its locks stay closed after it expires
  // The client declares the session lost this much before the lease may expire, so that the program
  // has time to stop its work. If the server grants a shorter lease than the client asked for, the
  // margin is at most half of the lease.
  std::chrono::microseconds loss_margin{0};
  // How long connect() looks for a server; without a session, also how long a call waits for an
  // answer.
  std::chrono::microseconds patience{10'000'000};
  bool keep_trying = true;  // in connect(); false: try each address only once
  bool fast = false;        // allows locks that the server grants before they are on disk
  bool session = true;  // false: the client only reads, operates (break_…) and writes untied files
  // Without a session: the client asks any server, not only the leader. The server answers from
  // what it has read of the journal so far; age() says how old that may be.
  bool stale = false;
  std::uint64_t within = 0;  // the session that waits for this one to end
  std::string label{};       // for people
  // For people; the client finds out what you leave empty.
  std::string host{};
  std::string user{};
  std::uint32_t process = 0;
};

// A session without a process: for scripts that take a lock in one command and release it in
// another. The session ends when its lease expires.
struct BATON_EXPORT SessionTicket {
  std::uint64_t session = 0;
  std::string nonce;
  std::uint64_t next_request = 1;
  std::uint64_t epoch = 0;

  // One word, fit for a shell variable.
  std::string to_string() const;
  static Result<SessionTicket> parse(const std::string& text);
};

// A hold that its session has lost: an operator broke it, or it lasted longer than allowed.
struct BATON_EXPORT LostHold {
  std::string name;
  bool election = false;
  std::uint64_t fence = 0;
  std::string reason;

  friend bool operator==(const LostHold&, const LostHold&) = default;
};

class BATON_EXPORT Client {
 public:
  // Finds a server and opens a session.
  static Result<Client> connect(ClientOptions options);
  // Continues a session that another client detached from. This client does not know what the
  // session holds. It renews the lease as long as it lives, and close() ends the session.
  // lost_holds() lists what the session has lost.
  static Result<Client> attach(ClientOptions options, const SessionTicket& ticket);

  Client(Client&&) noexcept = default;
  Client& operator=(Client&& other) noexcept;
  // Closes the session and releases everything that it holds.
  ~Client();

  // Like the destructor, and reports the outcome. Error::lock_lost: the session is closed, but it
  // had lost holds (lost_holds()).
  Result<void> close();
  // Stops renewing but leaves the session open until its lease expires, without releasing its
  // locks. This client is of no further use; Client::attach() continues the session.
  Result<SessionTicket> detach();
  // After attach(): the holds that the session had before and has lost. Another session gets such a
  // lock when the holder has stopped, which close() reports, or when the lease expires that was
  // running when the hold ended.
  std::vector<LostHold> lost_holds() const;

  std::uint64_t session() const;
  std::chrono::microseconds ttl() const;  // as the server granted it
  std::chrono::microseconds loss_margin() const;
  bool is_connected() const;
  // For a stale client: the last answer contains everything that happened until this long ago.
  std::chrono::microseconds age() const;
  // True if the session cannot have expired, by this process's own clock.
  bool is_alive() const;
  std::stop_token lost() const;
  Failure why_lost() const;
  std::chrono::microseconds lease_left() const;
  void on_lost(std::function<void(const Failure&)> callback);
  void on_jeopardy(std::function<void(bool)> callback);

  Result<Lock> lock(Names names, LockOptions options = {});
  // Error::busy if somebody holds it; Error::timed_out if the server can grant it to nobody yet.
  Result<Lock> try_lock(Names names, LockOptions options = {});
  // Error::timed_out if the server has not granted it by the deadline.
  Result<Lock> lock_until(Names names, std::chrono::steady_clock::time_point deadline,
                          LockOptions options = {});
  void async_lock(Names names, LockOptions options, Callback<Lock> done);

  Election election(std::string name);

  Result<Stored> put(std::string key, std::string value, PutOptions options = {});
  Result<File> get(std::string key);
  Result<FileList> list(std::string prefix, bool keys_only = false);
  Result<void> remove(std::string key, std::optional<std::uint64_t> version = {});
  // Calls back for every change of the files with this prefix, in order, on the client's own
  // thread.
  Result<Watch> watch(std::string prefix, std::function<void(const FileChange&)> callback,
                      WatchOptions options = {});
  void async_put(std::string key, std::string value, PutOptions options, Callback<Stored> done);
  void async_get(std::string key, Callback<File> done);
  void async_list(std::string prefix, bool keys_only, Callback<FileList> done);
  void async_remove(std::string key, std::optional<std::uint64_t> version, Callback<void> done);

  Result<LocksInfo> locks(LockQuery query = {});
  Result<std::vector<SessionInfo>> sessions();
  Result<StatusInfo> status();
  void async_locks(LockQuery query, Callback<LocksInfo> done);
  void async_sessions(Callback<std::vector<SessionInfo>> done);
  void async_status(Callback<StatusInfo> done);

  // The state that outlives sessions, as bytes for `baton restore`.
  Result<std::string> backup();

  // For operators. The server tells the holder, and frees the lock when the holder has stopped or
  // its lease, counted from now, has expired. With `force` the server frees the lock at once, and
  // two processes may believe that they hold it.
  Result<void> break_lock(std::string name, bool force = false);
  Result<void> break_election(std::string name, bool force = false);
  Result<void> break_session(std::uint64_t session, bool force = false);

 private:
  friend struct detail::Access;
  explicit Client(std::shared_ptr<void> core) : core_(std::move(core)) {}

  std::shared_ptr<void> core_;
};

}  // namespace v1
}  // namespace baton
