// A lock that is held, as an object: it is released when the object goes.
//
// Holding is a claim that ends by itself: the session's lease runs out if the server cannot be
// reached, an operator may break the lock, the time that it may be held may be over. is_held()
// looks at the clock itself, so that a process that was paused knows at once; lost() and the
// callbacks come from the client's own thread. Between a look at is_held() and the next step any
// time may pass: what must never be done by two is to be protected by the fence (baton/fence.h).
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

// One name, or several that are taken together: all or none.
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
  std::uint32_t slots = 1;  // how many may hold it at once; all who use a name must agree
  // At most; 0: not at all; none: for ever.
  std::optional<std::chrono::microseconds> wait{};
  std::chrono::microseconds max_hold{0};  // 0: as long as it likes
  std::string label{};                    // for people
  bool fast = false;              // granted before it is durable; the session must be `fast` too
  bool despite_deadlock = false;  // wait even if it could never end
  std::optional<Owner> owner{};   // none: the thread's (blocking), a new one (otherwise)
  std::stop_token give_up{};      // ends the wait with Error::cancelled
};

class BATON_EXPORT Lock {
 public:
  Lock() = default;  // holds nothing
  Lock(Lock&&) noexcept = default;
  Lock& operator=(Lock&& other) noexcept;
  // Releases what is held, and does not wait for the answer.
  ~Lock();

  // True if it is certain, by the clock, that nobody else can have it yet.
  bool is_held() const;
  explicit operator bool() const { return is_held(); }

  // Strictly increasing from holder to holder, for ever: to be shown to the resource.
  std::uint64_t fence() const;
  // Which of several slots, from 0.
  std::uint32_t slot() const;
  bool shared() const;
  const std::vector<std::string>& names() const;
  Owner owner() const;

  // Waits for the answer. Error::not_held if nothing was held; of a lock that was lost, it tells
  // the server that the work on it has stopped. On the client's own thread it does not wait.
  Result<void> release();
  void async_release(Callback<void> done);

  // From exclusive to shared, at once.
  Result<void> downgrade();
  // From shared to exclusive without letting go. Refused (would_deadlock) if another is waiting for
  // the same, since each would wait for the other.
  Result<void> upgrade(std::optional<std::chrono::microseconds> wait = {},
                       bool despite_deadlock = false);
  void async_downgrade(Callback<void> done);
  void async_upgrade(std::optional<std::chrono::microseconds> wait, bool despite_deadlock,
                     Callback<void> done);

  // Stops when the lock is lost, not when it is released.
  std::stop_token lost() const;
  // Why, once it is.
  Failure why_lost() const;
  // Called once on the client's own thread when the lock is lost; at once if it is already.
  // After release() or the destructor has returned it is not called any more, unless it is under
  // way on another thread.
  void on_lost(std::function<void(const Failure&)> callback);
  // Called with true when the server has been silent for so long that loss is near, and with false
  // when all is well again.
  void on_jeopardy(std::function<void(bool)> callback);
  // Until it would be lost if the server stayed silent. Zero if it is.
  std::chrono::microseconds lease_left() const;

 private:
  friend struct detail::Access;
  explicit Lock(std::shared_ptr<detail::HeldLock> hold) : hold_(std::move(hold)) {}

  std::shared_ptr<detail::HeldLock> hold_;
};

}  // namespace v1
}  // namespace baton
