// A held lock as an object: the destructor releases it.
//
// A hold can end by itself: the lease expires because the server cannot be reached, an operator
// breaks the lock, or max_hold is over. is_held() reads the clock itself, so a process that was
// paused knows at once; lost() and the callbacks come from the client's own thread. Between a call
// of is_held() and the next step any time may pass. So protect what two processes must never do at
// once with the fence (baton/fence.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "baton/export.h"
#include "baton/owner.h"
#include "baton/result.h"

namespace baton {
inline namespace v1 {

namespace detail {
struct Access;
struct HeldLock;
}  // namespace detail

template <class T>
using Callback = std::function<void(Result<T>)>;

// One name, or several names that the server grants together: all or none.
class Names {
 public:
  Names(const char* name) : all_{std::string(name)} {}
  Names(std::string name) : all_{std::move(name)} {}
  Names(std::string_view name) : all_{std::string(name)} {}
  Names(std::initializer_list<std::string> names) : all_(names) {}
  Names(std::vector<std::string> names) : all_(std::move(names)) {}

  const std::vector<std::string>& all() const { return all_; }

 private:
  std::vector<std::string> all_;
};

struct LockOptions {
  bool shared = false;
  // How many may hold it at once; all users of a name must agree on the number.
  std::uint32_t slots = 1;
  // How long to wait at most; 0: do not wait; none: wait for ever.
  std::optional<std::chrono::microseconds> wait{};
  std::chrono::microseconds max_hold{0};  // 0: no limit
  std::string label{};                    // for people
  // The server grants before the grant is on disk; the session must be `fast` too.
  bool fast = false;
  bool despite_deadlock = false;  // wait even if the wait closes a cycle
  // None: the thread's own owner for blocking calls, a new owner for all others.
  std::optional<Owner> owner{};
  std::stop_token give_up{};  // ends the wait with Error::cancelled
};

class BATON_EXPORT Lock {
 public:
  Lock() = default;  // holds nothing
  Lock(Lock&&) noexcept = default;
  Lock& operator=(Lock&& other) noexcept;
  // Sends the release, and does not wait for the answer.
  ~Lock();

  // True if, by the clock, the lease cannot have expired: nobody else can have the lock yet.
  bool is_held() const;
  explicit operator bool() const { return is_held(); }

  // The fencing token: larger with every grant, for ever. Show it to the resource.
  std::uint64_t fence() const;
  // Which of the slots this holder has, from 0.
  std::uint32_t slot() const;
  bool shared() const;
  const std::vector<std::string>& names() const;
  Owner owner() const;

  // Waits for the answer. Error::not_held if this object held nothing. After a loss, release()
  // tells the server that the work under the lock has stopped. On the client's own thread it does
  // not wait.
  Result<void> release();
  void async_release(Callback<void> done);

  // Changes exclusive to shared at once.
  Result<void> downgrade();
  // Changes shared to exclusive without releasing. Refused with would_deadlock if another holder
  // already waits for an upgrade, because each would wait for the other.
  Result<void> upgrade(std::optional<std::chrono::microseconds> wait = {},
                       bool despite_deadlock = false);
  void async_downgrade(Callback<void> done);
  void async_upgrade(std::optional<std::chrono::microseconds> wait, bool despite_deadlock,
                     Callback<void> done);

  // Requests a stop when the lock is lost, not when it is released.
  std::stop_token lost() const;
  // The reason for the loss, once the lock is lost.
  Failure why_lost() const;
  // Calls back once, on the client's own thread, when the lock is lost; at once if it is lost
  // already. After release() or the destructor has returned it calls nothing, except for a callback
  // that already runs on another thread.
  void on_lost(std::function<void(const Failure&)> callback);
  // Calls back with true when the server has been silent for so long that the lock will soon be
  // lost, and with false when the server answers again.
  void on_jeopardy(std::function<void(bool)> callback);
  // The time until the lock is lost if the server stays silent; zero if it is lost.
  std::chrono::microseconds lease_left() const;

 private:
  friend struct detail::Access;
  explicit Lock(std::shared_ptr<detail::HeldLock> hold) : hold_(std::move(hold)) {}

  std::shared_ptr<detail::HeldLock> hold_;
};

}  // namespace v1
}  // namespace baton
