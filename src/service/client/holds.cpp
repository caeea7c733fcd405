// The core's holds: what is held, how it is lost, and what is reported after a server's crash.
#include <algorithm>
#include <optional>
#include <tuple>

#include "service/client/convert.h"
#include "service/client/core.h"

namespace baton::client {

namespace {

using What = proto::Request;

// Keeps the callback of a stop token for as long as the wait lasts.
struct GivingUp {
  std::optional<std::stop_callback<std::function<void()>>> callback;
};

proto::Reply::Granted::Part part_of(const proto::Reply::Granted& granted, int index) {
  if (index < granted.parts_size()) return granted.parts(index);
  proto::Reply::Granted::Part part;
  part.set_fence(granted.fence());
  part.set_slot(granted.slot());
  return part;
}

}  // namespace

void Core::acquire(std::shared_ptr<HeldLock> hold, std::stop_token give_up,
                   std::function<void(Result<std::shared_ptr<HeldLock>>)> done) {
  auto giving_up = std::make_shared<GivingUp>();
  proto::Request message;
  *message.mutable_acquire() = hold->asked;
  const std::uint64_t id = request(
      std::move(message),
      [this, hold, giving_up, done = std::move(done)](Result<proto::Reply> reply) {
        giving_up->callback.reset();
        if (!reply) return done(reply.failure());
        // It was granted, but how long ago?
        if (!is_alive()) return done(why_lost());
        done(hold);
      },
      hold);
  if (id == 0 || !give_up.stop_possible()) return;
  auto cancel_it = [self = weak_from_this(), id] {
    if (const auto core = self.lock()) core->cancel(id);
  };
  // On the core's thread, where the answer is taken as well.
  call([self = weak_from_this(), id, giving_up, give_up = std::move(give_up),
        cancel_it = std::move(cancel_it)] {
    const auto core = self.lock();
    if (!core) return;
    {
      const std::lock_guard lock(core->mutex_);
      if (!core->pending_.contains(id)) return;
    }
    giving_up->callback.emplace(give_up, std::function<void()>(cancel_it));
  });
}

// Deadlines are the server's matter; if none answers, they are kept here. Should a server have
// granted the lock, or do so later, it is released again.
void Core::give_up_waits(Micros now) {
  constexpr Micros grace = 1'000'000;
  if (is_lost_) return;
  std::vector<std::uint64_t> overdue;
  for (auto& [id, pending] : pending_) {
    const proto::Request& request = pending.message.request();
    if (!request.has_acquire() || !request.acquire().has_wait() || pending.is_given_up) continue;
    if (now - pending.made - grace < request.acquire().wait()) continue;
    pending.is_given_up = true;
    const Failure failure{Error::timed_out, "no server has answered"};
    calls_.push_back([done = std::move(pending.done), failure] { done(failure); });
    pending.done = [this, hold = pending.hold](const Result<proto::Reply>& reply) {
      if (reply) release(hold, [](const Result<proto::Reply>&) {});
    };
    overdue.push_back(id);
  }
  for (const std::uint64_t id : overdue) {
    proto::Request cancel;
    cancel.mutable_cancel()->set_waiting(id);
    add_request(std::move(cancel), [](const Result<proto::Reply>&) {}, {});
  }
  wake();
}

// With the mutex held: from here on the hold is known to have been granted.
void Core::granted(const Pending& pending, const proto::Reply& reply) {
  const std::shared_ptr<HeldLock>& hold = pending.hold;
  if (!hold) return;
  const proto::Request& request = pending.message.request();
  if (request.has_acquire()) {
    hold->fence = reply.granted().fence();
    hold->slot = reply.granted().slot();
    for (int i = 0; i < static_cast<int>(hold->names.size()); ++i)
      hold->parts.push_back(part_of(reply.granted(), i));
    hold->state = HeldLock::State::held;
    holds_.insert(hold);
  } else if (request.has_upgrade() && hold->state == HeldLock::State::held) {
    hold->fence = reply.granted().fence();
    hold->parts.front() = part_of(reply.granted(), 0);
    hold->is_shared = false;
  } else if (request.has_downgrade()) {
    hold->is_shared = true;
  } else if (request.has_proclaim()) {
    hold->asked.set_value(request.proclaim().value());
  }
}

void Core::release(const std::shared_ptr<HeldLock>& hold, Replied done) {
  std::unique_lock lock(mutex_);
  // While it still counts as held: what is released too late was lost.
  if (!is_closed_) woken();
  hold->on_lost.clear();
  hold->on_jeopardy.clear();
  const HeldLock::State before = hold->state;
  if (before == HeldLock::State::lost || before == HeldLock::State::held)
    hold->state = HeldLock::State::released;
  holds_.erase(hold);
  stopping_.erase(hold);
  if (is_closed_ || is_lost_ || before != HeldLock::State::held) {
    const Failure failure = before == HeldLock::State::released
                                ? Failure{Error::not_held, "it was released already"}
                            : before == HeldLock::State::lost ? hold->why
                                                              : why_lost_;
    if (!is_lost_) acknowledge(*hold);
    if (is_closed_ || is_own_thread()) {
      lock.unlock();
      return done(failure);
    }
    calls_.push_back([done = std::move(done), failure] { done(failure); });
    flush();
    return wake();
  }
  proto::Request message;
  proto::Release& release = *message.mutable_release();
  release.set_space(hold->asked.space());
  release.set_owner(hold->asked.owner());
  for (const std::string& name : hold->names) release.add_names(name);
  add_request(std::move(message), std::move(done), hold);
  flush();
  wake();
}

void Core::change_mode(const std::shared_ptr<HeldLock>& hold, proto::Request message,
                       Replied done) {
  {
    std::unique_lock lock(mutex_);
    if (!is_closed_) woken();
    if (hold->state != HeldLock::State::held) {
      const Failure failure =
          hold->state == HeldLock::State::lost ? hold->why : Failure{Error::not_held, {}};
      lock.unlock();
      return done(failure);
    }
  }
  request(std::move(message), std::move(done), hold);
}

void Core::lose_hold(const std::shared_ptr<HeldLock>& hold, const Failure& why) {
  if (hold->state != HeldLock::State::held) return;
  hold->state = HeldLock::State::lost;
  hold->why = why;
  calls_.push_back([hold] { hold->lost.request_stop(); });
  for (auto& callback : std::exchange(hold->on_lost, {}))
    calls_.push_back([hold, callback = std::move(callback), why] {
      if (hold->state == HeldLock::State::lost) callback(why);
    });
}

// The server wants a name back. It is lost at once; that the work on it has stopped is only known
// when its Lock is released or gone. Until then the server says so again after each reconnect.
void Core::hear(const proto::HoldOver& over) {
  bool is_known = false;
  auto concerned = holds_;
  concerned.insert(stopping_.begin(), stopping_.end());
  for (const auto& hold : concerned) {
    if (hold->asked.space() != over.space() || hold->asked.owner() != over.owner()) continue;
    for (std::size_t i = 0; i < hold->names.size(); ++i) {
      if (hold->names[i] != over.name() || hold->parts[i].fence() > over.fence()) continue;
      is_known = true;
      const std::pair<std::string, std::uint64_t> wanted(over.name(), over.fence());
      auto& all = hold->wanted_back;
      if (std::find(all.begin(), all.end(), wanted) == all.end()) all.push_back(wanted);
      holds_.erase(hold);
      stopping_.insert(hold);
      lose_hold(hold, {Error::lock_lost, over.reason()});
    }
  }
  if (!is_known) hear_unknown(over);
  if (reminders_left_ > 0 && --reminders_left_ == 0) settle_if_entered();
}

// Nobody works on what this client has never heard that it was granted, and its request will not be
// answered with that grant any more. But what the session of a ticket held somebody else works on,
// and only they know whether they have stopped.
void Core::hear_unknown(const proto::HoldOver& over) {
  if (is_attached_) {
    const bool is_election = over.space() == proto::ELECTION;
    const LostHold lost{over.name(), is_election, over.fence(), over.reason()};
    if (std::find(lost_holds_.begin(), lost_holds_.end(), lost) == lost_holds_.end())
      lost_holds_.push_back(lost);
    return;
  }
  proto::Request message;
  proto::Acknowledge& acknowledge = *message.mutable_acknowledge();
  acknowledge.set_space(over.space());
  acknowledge.set_name(over.name());
  acknowledge.set_owner(over.owner());
  acknowledge.set_fence(over.fence());
  add_request(std::move(message), [](const Result<proto::Reply>&) {}, {});
  flush();
}

std::vector<LostHold> Core::lost_holds() const {
  const std::lock_guard lock(mutex_);
  return lost_holds_;
}

// Of several names that were granted together before this client could hear of it, some are lost:
// nobody works on the others.
void Core::give_back(const proto::Acquire& asked, const proto::Reply::Granted& granted) {
  for (int i = 0; i < std::min(granted.parts_size(), asked.names_size()); ++i) {
    if (granted.parts(i).fence() == 0) continue;
    proto::Request message;
    proto::Release& release = *message.mutable_release();
    release.set_space(asked.space());
    release.set_owner(asked.owner());
    release.add_names(asked.names(i));
    add_request(std::move(message), [](const Result<proto::Reply>&) {}, {});
  }
  flush();
}

// Nobody works on what the server wanted back. Of several names that were taken together the others
// go with it.
void Core::acknowledge(HeldLock& hold) {
  if (hold.wanted_back.empty()) return;
  for (const auto& [name, fence] : hold.wanted_back) {
    proto::Request message;
    proto::Acknowledge& acknowledge = *message.mutable_acknowledge();
    acknowledge.set_space(hold.asked.space());
    acknowledge.set_name(name);
    acknowledge.set_owner(hold.asked.owner());
    acknowledge.set_fence(fence);
    add_request(std::move(message), [](const Result<proto::Reply>&) {}, {});
  }
  proto::Request message;
  proto::Release& release = *message.mutable_release();
  release.set_space(hold.asked.space());
  release.set_owner(hold.asked.owner());
  for (const std::string& name : hold.names) {
    const bool is_wanted = std::any_of(hold.wanted_back.begin(), hold.wanted_back.end(),
                                       [&](const auto& wanted) { return wanted.first == name; });
    if (!is_wanted) release.add_names(name);
  }
  hold.wanted_back.clear();
  if (release.names_size() > 0)
    add_request(std::move(message), [](const Result<proto::Reply>&) {}, {});
}

void Core::add_on_lost(const std::shared_ptr<HeldLock>& hold,
                       std::function<void(const Failure&)> callback) {
  std::unique_lock lock(mutex_);
  if (hold->state == HeldLock::State::held) {
    hold->on_lost.push_back(std::move(callback));
  } else if (hold->state == HeldLock::State::lost) {
    deliver(lock, [callback = std::move(callback), why = hold->why] { callback(why); });
  }
}

void Core::add_on_jeopardy(const std::shared_ptr<HeldLock>& hold,
                           std::function<void(bool)> callback) {
  const std::lock_guard lock(mutex_);
  if (hold->state == HeldLock::State::held) hold->on_jeopardy.push_back(std::move(callback));
}

Failure Core::why_lost(const HeldLock& hold) const {
  const std::lock_guard lock(mutex_);
  return hold.state == HeldLock::State::lost ? hold.why : Failure{Error::none, {}};
}

// --- After a crash of the server ----------------------------------------------------------------

namespace {

using Key = std::tuple<int, std::string, std::uint64_t>;

void add_held(std::map<Key, proto::Reclaim::Held>& all, const HeldLock& hold) {
  for (std::size_t i = 0; i < hold.names.size(); ++i) {
    auto& known = all[{hold.asked.space(), hold.names[i], hold.asked.owner()}];
    proto::Reclaim::Held held = held_of(hold.asked, hold.names[i]);
    held.set_mode(hold.is_shared ? proto::SHARED : proto::EXCLUSIVE);
    held.set_slot(hold.parts[i].slot());
    held.set_fence(std::max<std::uint64_t>(known.fence(), hold.parts[i].fence()));
    held.set_times(known.times() + 1);
    known = std::move(held);
  }
}

}  // namespace

// Says what is held and waited for, as it is after everything that was let go of: those requests
// are answered by the report, whether the last server carried them out or not. Requests whose
// effect the report may undo are made anew; all others are repeated and recognised.
void Core::report() {
  proto::Request message;
  proto::Reclaim& reclaim = *message.mutable_reclaim();
  std::vector<Replied> answered;
  std::vector<Pending> anew;
  for (auto at = pending_.begin(); at != pending_.end();) {
    Pending& pending = at->second;
    const What& request = pending.message.request();
    const bool lets_go =
        request.has_release() || request.has_downgrade() || request.has_acknowledge();
    const bool may_be_undone = request.has_upgrade() || request.has_proclaim();
    if (request.has_downgrade() && pending.hold) pending.hold->is_shared = true;
    if (request.has_acquire()) {
      auto& waiting = *reclaim.add_waiting();
      waiting.set_request(at->first);
      waiting.set_ticket(pending.ticket);
      *waiting.mutable_acquire() = request.acquire();
    }
    if (lets_go || request.has_reclaim()) {
      answered.push_back(std::move(pending.done));
      at = pending_.erase(at);
    } else if (may_be_undone) {
      anew.push_back(std::move(pending));
      at = pending_.erase(at);
    } else {
      ++at;
    }
  }
  std::map<Key, proto::Reclaim::Held> held;
  for (const auto& hold : holds_) add_held(held, *hold);
  for (auto& [key, entry] : held) *reclaim.add_held() = std::move(entry);

  // It goes first, and what is repeated after it.
  const std::uint64_t id = next_request_++;
  Pending& pending = pending_[id];
  pending.made = boottime_us();
  pending.done = [answered = std::move(answered)](const Result<proto::Reply>& reply) {
    for (const Replied& done : answered) done(reply);
  };
  *pending.message.mutable_request() = std::move(message);
  pending.message.mutable_request()->set_request(id);
  send(pending);
  for (Pending& again : anew)
    add_request(std::move(*again.message.mutable_request()), std::move(again.done), again.hold);
}

}  // namespace baton::client
