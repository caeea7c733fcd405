#include "service/client/holds.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/invariant.h"
#include "service/client/convert.h"

namespace baton::client {

namespace {

using State = HeldLock::State;

proto::Reply::Granted::Part part_of(const proto::Reply::Granted& granted, int index) {
  if (index < granted.parts_size()) return granted.parts(index);
  proto::Reply::Granted::Part part;
  part.set_fence(granted.fence());
  part.set_slot(granted.slot());
  return part;
}

proto::Request release_of(const proto::Acquire& asked) {
  proto::Request message;
  message.mutable_release()->set_space(asked.space());
  message.mutable_release()->set_owner(asked.owner());
  return message;
}

proto::Request acknowledgement_of(proto::Namespace space, const std::string& name,
                                  std::uint64_t owner, std::uint64_t fence) {
  proto::Request message;
  proto::Acknowledge& acknowledge = *message.mutable_acknowledge();
  acknowledge.set_space(space);
  acknowledge.set_name(name);
  acknowledge.set_owner(owner);
  acknowledge.set_fence(fence);
  return message;
}

// Of an earlier hold of the same name the server may be reminding too late: a newer one goes on.
bool concerns(const proto::HoldOver& over, const HeldLock& hold) {
  if (hold.asked.space() != over.space() || hold.asked.owner() != over.owner()) return false;
  for (std::size_t i = 0; i < hold.names.size(); ++i)
    if (hold.names[i] == over.name() && hold.parts[i].fence() <= over.fence()) return true;
  return false;
}

void lose(const std::shared_ptr<HeldLock>& hold, const Failure& why, Outbox& out) {
  hold->lose(why);
  tell_lost(hold, out);
}

}  // namespace

proto::Request release_of(const HeldLock& hold) {
  proto::Request message = release_of(hold.asked);
  for (const std::string& name : hold.names) message.mutable_release()->add_names(name);
  return message;
}

std::vector<proto::Request> release_of_rest(const proto::Acquire& asked,
                                            const proto::Reply::Granted& granted) {
  std::vector<proto::Request> all;
  for (int i = 0; i < std::min(granted.parts_size(), asked.names_size()); ++i) {
    if (granted.parts(i).fence() == 0) continue;
    all.push_back(release_of(asked));
    all.back().mutable_release()->add_names(asked.names(i));
  }
  return all;
}

void Holds::answered(const std::shared_ptr<HeldLock>& hold, const proto::Request& request,
                     const proto::Reply::Granted& granted) {
  if (request.has_acquire()) {
    invariant(hold->state == State::asked, "a lock was granted twice");
    hold->fence = granted.fence();
    hold->slot = granted.slot();
    for (int i = 0; i < static_cast<int>(hold->names.size()); ++i)
      hold->parts.push_back(part_of(granted, i));
    hold->state = State::held;
    held_.insert(hold);
  } else if (request.has_upgrade() && hold->state == State::held) {
    hold->fence = granted.fence();
    hold->parts.front() = part_of(granted, 0);
    hold->is_shared = false;
  } else if (request.has_downgrade()) {
    hold->is_shared = true;
  } else if (request.has_proclaim()) {
    hold->asked.set_value(request.proclaim().value());
  }
}

// --- Letting go ---------------------------------------------------------------------------------

Failure Holds::why_not_held(const HeldLock& hold) {
  if (hold.state == State::held) return {Error::none, {}};
  return hold.state == State::lost ? hold.why : Failure{Error::not_held, {}};
}

Failure Holds::let_go(const std::shared_ptr<HeldLock>& hold, Outbox& out) {
  const bool was_released = hold->state == State::released;
  const Failure why =
      was_released ? Failure{Error::not_held, "it was released already"} : why_not_held(*hold);
  const bool was_counted = held_.erase(hold) != 0;
  invariant(was_counted == (hold->state == State::held),
            "the client's list of locks differs from their states");
  stopping_.erase(hold);
  hold->state = State::released;
  // Do not destroy the callbacks here: they may own another Lock of this client.
  if (!hold->on_lost.empty() || !hold->on_jeopardy.empty())
    out.call([lost = std::move(hold->on_lost), jeopardy = std::move(hold->on_jeopardy)] {});
  return why;
}

std::vector<proto::Request> Holds::acknowledgements(HeldLock& hold) {
  std::vector<proto::Request> all;
  const auto wanted_back = std::exchange(hold.wanted_back, {});
  if (wanted_back.empty()) return all;
  for (const auto& [name, fence] : wanted_back)
    all.push_back(acknowledgement_of(hold.asked.space(), name, hold.asked.owner(), fence));
  proto::Request rest = release_of(hold.asked);
  for (const std::string& name : hold.names) {
    const bool is_wanted = std::any_of(wanted_back.begin(), wanted_back.end(),
                                       [&](const auto& wanted) { return wanted.first == name; });
    if (!is_wanted) rest.mutable_release()->add_names(name);
  }
  if (rest.release().names_size() > 0) all.push_back(std::move(rest));
  return all;
}

// --- Losing -------------------------------------------------------------------------------------

void Holds::tell_jeopardy(bool is_near, Outbox& out) const {
  for (const auto& hold : held_) client::tell_jeopardy(hold, is_near, out);
}

void Holds::lose_all(const Failure& why, Outbox& out) {
  for (const auto& hold : std::exchange(held_, {})) lose(hold, why, out);
  stopping_.clear();
}

std::optional<proto::Request> Holds::hear(const proto::HoldOver& over, Outbox& out) {
  if (reminders_left_ > 0) --reminders_left_;
  bool is_known = false;
  for (const Set& set : {held_, stopping_})
    for (const auto& hold : set) {
      if (!concerns(over, *hold)) continue;
      is_known = true;
      const std::pair<std::string, std::uint64_t> wanted(over.name(), over.fence());
      auto& all = hold->wanted_back;
      if (std::find(all.begin(), all.end(), wanted) == all.end()) all.push_back(wanted);
      if (held_.erase(hold) != 0) lose(hold, {Error::lock_lost, over.reason()}, out);
      stopping_.insert(hold);
    }
  if (is_known) return std::nullopt;
  // Nobody works on what this client has never heard that it was granted, and its request will not
  // be answered with that grant any more.
  if (!is_attached_)
    return acknowledgement_of(over.space(), over.name(), over.owner(), over.fence());
  // But what the session of a ticket held somebody else works on, and only they know whether they
  // have stopped.
  const LostHold lost{over.name(), over.space() == proto::ELECTION, over.fence(), over.reason()};
  if (std::find(unknown_.begin(), unknown_.end(), lost) == unknown_.end()) unknown_.push_back(lost);
  return std::nullopt;
}

// --- After a crash of the server ----------------------------------------------------------------

// A lock that its owner took several times is held once, so many times, with the latest fence.
void Holds::describe(proto::Reclaim& reclaim) const {
  using Key = std::tuple<int, std::string, std::uint64_t>;
  std::map<Key, proto::Reclaim::Held> all;
  for (const auto& hold : held_) {
    for (std::size_t i = 0; i < hold->names.size(); ++i) {
      auto& known = all[{hold->asked.space(), hold->names[i], hold->asked.owner()}];
      proto::Reclaim::Held held = held_of(hold->asked, hold->names[i]);
      held.set_mode(hold->is_shared ? proto::SHARED : proto::EXCLUSIVE);
      held.set_slot(hold->parts[i].slot());
      held.set_fence(std::max<std::uint64_t>(known.fence(), hold->parts[i].fence()));
      held.set_times(known.times() + 1);
      known = std::move(held);
    }
  }
  for (auto& [key, held] : all) *reclaim.add_held() = std::move(held);
}

}  // namespace baton::client
