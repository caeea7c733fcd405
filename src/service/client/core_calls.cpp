// The calls of the application: each is a turn.
#include <algorithm>
#include <limits>

#include "service/client/core.h"

namespace baton::client {

// --- Requests -----------------------------------------------------------------------------------

std::uint64_t Core::request(proto::Request request, Replied done, std::shared_ptr<HeldLock> hold) {
  const Turn turn(*this);
  return ask(std::move(request), turn.now, std::move(done), std::move(hold));
}

void Core::cancel(std::uint64_t waiting) {
  const Turn turn(*this);
  if (requests_.contains(waiting)) ask(cancel_of(waiting), turn.now);
}

void Core::read(proto::Read read, Answered done) {
  const Turn turn(*this);
  if (session_.is_lost()) return out_.answer(done, session_.why());
  read.set_stale(session_.options().stale);
  say(reads_.add(std::move(read), std::move(done), turn.now));
}

std::uint64_t Core::watch(WatchRequest request) {
  const Turn turn(*this);
  const proto::ClientMessage message = watches_.add(std::move(request));
  if (session_.is_lost()) watches_.fail_all(session_.why(), out_);
  say(message);
  return message.watch().number();
}

void Core::unwatch(std::uint64_t number) {
  std::optional<WatchRequest> removed;  // what its owner gave it is destroyed without the lock
  const Turn turn(*this);
  removed = watches_.remove(number);
  if (!removed) return;
  proto::ClientMessage message;
  message.mutable_unwatch()->set_number(number);
  say(message);
}

// --- Holds --------------------------------------------------------------------------------------

namespace {

// Keeps the callback of a stop token for as long as the wait lasts.
struct GivingUp {
  std::optional<std::stop_callback<std::function<void()>>> callback;
};

}  // namespace

void Core::acquire(proto::Acquire asked, std::stop_token give_up,
                   std::function<void(Result<std::shared_ptr<HeldLock>>)> done) {
  const auto hold = std::make_shared<HeldLock>(std::move(asked));
  hold->core = shared_from_this();
  const auto giving_up = give_up.stop_possible() ? std::make_shared<GivingUp>() : nullptr;
  proto::Request message;
  *message.mutable_acquire() = hold->asked;
  const Turn turn(*this);
  const std::uint64_t id = ask(
      std::move(message), turn.now,
      [this, hold, giving_up, done = std::move(done)](const Result<proto::Reply>& reply) {
        if (giving_up) giving_up->callback.reset();
        if (!reply) return done(reply.failure());
        // It was granted, but how long ago?
        if (!is_alive()) return done(why_lost(claim()));
        done(hold);
      },
      hold);
  if (id == 0 || !giving_up) return;
  // On the core's thread, where the answer is taken as well.
  out_.call([self = weak_from_this(), id, giving_up, give_up = std::move(give_up)] {
    const auto core = self.lock();
    if (!core) return;
    {
      const std::lock_guard lock(core->mutex_);
      if (!core->requests_.contains(id)) return;
    }
    giving_up->callback.emplace(give_up, [self, id] {
      if (const auto it = self.lock()) it->cancel(id);
    });
  });
}

void Core::release(const std::shared_ptr<HeldLock>& hold, Replied done) {
  const Turn turn(*this);
  // The turn has looked at the clock: what is released too late was lost.
  const Failure why_not = holds_.let_go(hold, out_);
  if (why_not.error == Error::none) {
    ask(release_of(*hold), turn.now, std::move(done));
    return;
  }
  for (auto& request : Holds::acknowledgements(*hold)) ask(std::move(request), turn.now);
  out_.answer(done, why_not);
}

void Core::change_mode(const std::shared_ptr<HeldLock>& hold, proto::Request request,
                       Replied done) {
  const Turn turn(*this);
  const Failure why_not = Holds::why_not_held(*hold);
  if (why_not.error != Error::none) return out_.answer(done, why_not);
  ask(std::move(request), turn.now, std::move(done), hold);
}

std::vector<LostHold> Core::lost_holds() const {
  const std::lock_guard lock(mutex_);
  return holds_.unknown();
}

// --- The session --------------------------------------------------------------------------------

bool Core::is_alive() {
  if (session_.is_lost()) return false;
  if (boottime_us() < lease_end_) return true;
  const Turn turn(*this);
  // In doubt nothing is certain.
  return !session_.is_lost() && session_.has_lease(turn.now);
}

Micros Core::age() const {
  const std::lock_guard lock(mutex_);
  return reads_.age();
}

Micros Core::lease_left() {
  if (!is_alive()) return 0;
  const Micros end = lease_end_;
  return end == std::numeric_limits<Micros>::max() ? end : std::max<Micros>(end - boottime_us(), 0);
}

void Core::add_on_lost(Claim& claim, std::function<void(const Failure&)> callback) {
  const Turn turn(*this);
  claim.add_on_lost(std::move(callback), out_);
}

void Core::add_on_jeopardy(Claim& claim, std::function<void(bool)> callback) {
  const Turn turn(*this);
  claim.add_on_jeopardy(std::move(callback));
}

Failure Core::why_lost(const Claim& claim) const {
  const std::lock_guard lock(mutex_);
  return claim.is(Claim::State::lost) ? claim.why : Failure{Error::none, {}};
}

}  // namespace baton::client
