#include "service/state/machine.h"

namespace baton::service {

// The host opens a name for the first request that waits for it. A lock in the table that is not
// open always has a request that waits: the timers ran before this command, and settle() forgets
// all others.
void Machine::carry_out(const Asker& asker, const Open& open) {
  if (!is_gated_) return answer(asker, Error::bad_request, "nothing is closed here");
  answer(asker, Error::none);
  Lock* lock = tables_.lock(open.space, open.name);
  if (lock == nullptr) {
    effects_->push_back(Unwanted{open.space, open.name});
    return;
  }
  if (lock->door == Door::open) return;
  lock->door = Door::open;
  opened_fence_ = open.fence;
  grant(*lock->queue.begin()->second);
}

void Machine::carry_out(const Asker& asker, const Revoke& revoke) {
  Lock* lock = is_gated_ ? tables_.lock(revoke.space, revoke.name) : nullptr;
  if (lock == nullptr || lock->door != Door::open) return answer(asker, Error::not_held);
  answer(asker, Error::none);
  Hold& hold = lock->holds.begin()->second;
  if (!revoke.is_notice) return take_away(*lock, hold, revoke.reason);
  if (!hold.is_over()) tell_over(*lock, hold, revoke.reason);
}

// Tells the host if the lock became wanted or unwanted since the last look.
void Machine::watch_door(Lock& lock) {
  if (!lock.holds.empty()) return;
  const bool is_useless = lock.door == Door::open || lock.queue.empty();
  if (is_useless && lock.door != Door::closed) {
    lock.door = Door::closed;
    effects_->push_back(Unwanted{lock.space, std::string(lock.name)});
  }
  if (lock.door == Door::closed && !lock.queue.empty()) {
    lock.door = Door::wanted;
    effects_->push_back(Wanted{lock.space, std::string(lock.name)});
  }
}

// Another server reports a leader. As long as a session of this server leads the election, watches
// are told of that one; they are told of the other leader when it ends.
void Machine::carry_out(const Asker& asker, const Elsewhere& elsewhere) {
  if (!is_gated_) return answer(asker, Error::bad_request, "there is nobody elsewhere");
  answer(asker, Error::none);
  const auto* own = tables_.leader(elsewhere.name);
  const auto known = tables_.elsewhere.find(elsewhere.name);
  const bool is_known = known != tables_.elsewhere.end();
  const bool is_over = is_known && known->second.fence != elsewhere.fence;
  const bool is_outdated =
      elsewhere.fence.value != 0 && ((own != nullptr && elsewhere.fence <= own->fence) ||
                                     (is_known && elsewhere.fence < known->second.fence));
  if (is_outdated) return;
  if (is_over) {
    if (own == nullptr) tell_elsewhere(Change::Kind::resign, known->first, known->second);
    tables_.elsewhere.erase(known);
  }
  if (elsewhere.fence.value == 0) return;
  const bool is_new = is_over || !is_known;
  LeaderElsewhere& leader = tables_.elsewhere[elsewhere.name];
  const bool is_told = !is_new && leader.value == elsewhere.value;
  leader = {elsewhere.fence, elsewhere.value, elsewhere.who, is_new ? now_ : leader.since};
  if (own == nullptr && !is_told)
    tell_elsewhere(is_new ? Change::Kind::elect : Change::Kind::proclaim, elsewhere.name, leader);
}

// The leader's session belongs to another server, so the change names no session.
void Machine::tell_elsewhere(Change::Kind kind, const std::string& name,
                             const LeaderElsewhere& leader) {
  tell_all({.kind = kind,
            .key = name,
            .value = kind == Change::Kind::resign ? std::string() : leader.value,
            .fence = leader.fence});
}

}  // namespace baton::service
