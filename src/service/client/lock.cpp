#include "baton/lock.h"

#include <sys/random.h>

#include <atomic>
#include <cstdlib>
#include <utility>

#include "service/client/access.h"

namespace baton {
inline namespace v1 {

using client::Core;
using client::only_error;
using client::wait_for;
using detail::HeldLock;

namespace {

// A session can be detached in one process and attached in another, so owners of different
// processes must differ too: each process counts from a random number. 48 bits are exact in JSON.
std::uint64_t first_owner() {
  std::uint32_t random = 0;
  if (getrandom(&random, sizeof random, 0) != static_cast<ssize_t>(sizeof random)) abort();
  return std::uint64_t{random} << 16;
}

std::uint64_t new_owner() {
  static std::atomic<std::uint64_t> last{first_owner()};
  return ++last;
}

Failure nothing_held() { return {Error::not_held, "the lock object holds nothing"}; }

const std::vector<std::string> no_names;

}  // namespace

Owner::Owner() : id_(new_owner()) {}

Owner Owner::of_this_thread() {
  thread_local const Owner owner;
  return owner;
}

Lock& Lock::operator=(Lock&& other) noexcept {
  Lock before(std::exchange(hold_, std::exchange(other.hold_, nullptr)));
  return *this;
}

Lock::~Lock() {
  if (!hold_ || hold_->state == HeldLock::State::released) return;
  hold_->core->release(hold_, {});
}

bool Lock::is_held() const {
  return hold_ && hold_->core->is_alive() && hold_->state == HeldLock::State::held;
}

std::uint64_t Lock::fence() const { return hold_ ? hold_->fence.load() : 0; }
std::uint32_t Lock::slot() const { return hold_ ? hold_->slot.load() : 0; }
bool Lock::shared() const { return hold_ && hold_->is_shared; }
const std::vector<std::string>& Lock::names() const { return hold_ ? hold_->names : no_names; }
Owner Lock::owner() const { return Owner(hold_ ? hold_->asked.owner() : 0); }

void Lock::async_release(Callback<void> done) {
  if (!hold_) return done(nothing_held());
  hold_->core->release(hold_, only_error(std::move(done)));
}

Result<void> Lock::release() {
  if (!hold_) return nothing_held();
  if (hold_->core->is_own_thread()) {
    hold_->core->release(hold_, {});
    return {};
  }
  return wait_for<void>(*hold_->core, [this](auto done) { async_release(std::move(done)); });
}

void Lock::async_downgrade(Callback<void> done) {
  if (!hold_) return done(nothing_held());
  if (hold_->names.size() != 1)
    return done(Failure{Error::bad_request, "only a lock of one name can be downgraded"});
  proto::Request request;
  request.mutable_downgrade()->set_name(hold_->names.front());
  request.mutable_downgrade()->set_owner(hold_->asked.owner());
  hold_->core->change_mode(hold_, std::move(request), only_error(std::move(done)));
}

Result<void> Lock::downgrade() {
  if (!hold_) return nothing_held();
  return wait_for<void>(*hold_->core, [this](auto done) { async_downgrade(std::move(done)); });
}

void Lock::async_upgrade(std::optional<std::chrono::microseconds> wait, bool despite_deadlock,
                         Callback<void> done) {
  if (!hold_) return done(nothing_held());
  if (hold_->names.size() != 1)
    return done(Failure{Error::bad_request, "only a lock of one name can be upgraded"});
  proto::Request request;
  proto::Upgrade& upgrade = *request.mutable_upgrade();
  upgrade.set_name(hold_->names.front());
  upgrade.set_owner(hold_->asked.owner());
  if (wait) upgrade.set_wait(wait->count());
  upgrade.set_despite_deadlock(despite_deadlock);
  hold_->core->change_mode(hold_, std::move(request), only_error(std::move(done)));
}

Result<void> Lock::upgrade(std::optional<std::chrono::microseconds> wait, bool despite_deadlock) {
  if (!hold_) return nothing_held();
  return wait_for<void>(*hold_->core,
                        [&](auto done) { async_upgrade(wait, despite_deadlock, std::move(done)); });
}

std::stop_token Lock::lost() const { return hold_ ? hold_->lost.get_token() : std::stop_token(); }

Failure Lock::why_lost() const {
  return hold_ ? hold_->core->why_lost(*hold_) : Failure{Error::none, {}};
}

void Lock::on_lost(std::function<void(const Failure&)> callback) {
  if (hold_) hold_->core->add_on_lost(*hold_, std::move(callback));
}

void Lock::on_jeopardy(std::function<void(bool)> callback) {
  if (hold_) hold_->core->add_on_jeopardy(*hold_, std::move(callback));
}

std::chrono::microseconds Lock::lease_left() const {
  return std::chrono::microseconds(is_held() ? hold_->core->lease_left() : 0);
}

}  // namespace v1
}  // namespace baton
