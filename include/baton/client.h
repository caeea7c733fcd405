// The client of the lock and election service.
//
//   auto client = baton::Client::connect({.url = "unix:/run/baton/socket"}).value();
//   auto lock = client.lock("nightly-backup").value();
//   write_to(resource, lock.fence());
//
// A client is one session: everything that it holds it holds as long as its lease goes on, which a
// thread of its own sees to. It finds a server again after a broken connection without losing the
// session, asks again what was not answered (a request is never carried out twice), and says what
// it holds to a server that lost its memory. If no server answers for so long that its lease may
// have run out, the session is lost for ever, and with it all that it held: connect anew.
//
// All functions may be called from any thread. Blocking ones must not be called from a callback
// (they give back Error::bad_request); callbacks run one after another on the client's own thread.
// The functions whose names begin with async_ call back once; baton/asio.h has coroutines. A client
// does not survive fork().
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
  std::chrono::microseconds lock_delay{0};    // how long its locks stay closed if it expires
  // Loss is declared so much earlier than need be: time to stop what must not go on. If the server
  // grants a shorter lease than was asked for, at most half of that.
  std::chrono::microseconds loss_margin{0};
  // How long to look for a server at first, and without a session for an answer.
  std::chrono::microseconds patience{10'000'000};
  bool keep_trying = true;  // at first; false: until each address has been tried once
  bool fast = false;        // may take locks that are granted before they are durable
  bool session = true;      // false: only looks, operates (break_…) and writes no tied files
  // Without a session: asks any server, not only the one that leads, and is told what that one has
  // heard of so far; age() tells how old it may be.
  bool stale = false;
  std::uint64_t within = 0;  // the session that waits for this one to end
  std::string label{};       // for people
  // For people; what is empty is found out.
  std::string host{};
  std::string user{};
  std::uint32_t process = 0;
};

// A session without a process: for scripts that take a lock in one command and release it in
// another. It ends when its lease does.
struct BATON_EXPORT SessionTicket {
  std::uint64_t session = 0;
  std::string nonce;
  std::uint64_t next_request = 1;
  std::uint64_t epoch = 0;

  // One word, fit for a shell variable.
  std::string to_string() const;
  static Result<SessionTicket> parse(const std::string& text);
};

// A hold that its session has lost: it was broken, or lasted longer than allowed.
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
  // Speaks for a session that was detached from. What it holds is not known to this client: it goes
  // on as long as the client lives, and close() ends it. What it has lost, lost_holds() tells.
  static Result<Client> attach(ClientOptions options, const SessionTicket& ticket);

  Client(Client&&) noexcept = default;
  Client& operator=(Client&& other) noexcept;
  // Closes the session: everything that it holds is released.
  ~Client();

  // The same, and says whether it went well. Error::lock_lost: it did, but lost_holds() are some.
  Result<void> close();
  // Leaves the session to its lease, and this client useless. Its locks are not released.
  Result<SessionTicket> detach();
  // Of a client that was attached: what the session has lost of that which it held before. Others
  // get it when its holder has stopped, which close() says, or when the lease, as it was when the
  // hold ended, is over.
  std::vector<LostHold> lost_holds() const;

  std::uint64_t session() const;
  std::chrono::microseconds ttl() const;  // as the server granted it
  std::chrono::microseconds loss_margin() const;
  bool is_connected() const;
  // Of the last answer to a stale client: all that happened before so long ago was in it.
  std::chrono::microseconds age() const;
  // Not lost, by the clock.
  bool is_alive() const;
  std::stop_token lost() const;
  Failure why_lost() const;
  std::chrono::microseconds lease_left() const;
  void on_lost(std::function<void(const Failure&)> callback);
  void on_jeopardy(std::function<void(bool)> callback);

  Result<Lock> lock(Names names, LockOptions options = {});
  // Error::busy if it is held, Error::timed_out if nobody could be given it now.
  Result<Lock> try_lock(Names names, LockOptions options = {});
  // Error::timed_out if it is not had by then.
  Result<Lock> lock_until(Names names, std::chrono::steady_clock::time_point deadline,
                          LockOptions options = {});
  void async_lock(Names names, LockOptions options, Callback<Lock> done);

  Election election(std::string name);

  Result<Stored> put(std::string key, std::string value, PutOptions options = {});
  Result<File> get(std::string key);
  Result<FileList> list(std::string prefix, bool keys_only = false);
  Result<void> remove(std::string key, std::optional<std::uint64_t> version = {});
  // Every change of the files with this prefix, in order, on the client's own thread.
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

  // What outlives sessions, as bytes for `baton restore`.
  Result<std::string> backup();

  // For operators. The holder is told, and the lock is free when it has stopped or its lease, from
  // now on, is over; by force it is free at once, and two may believe that they hold it.
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
