#include "service/state/oracle.h"

#include <algorithm>

namespace baton::service {

std::string Oracle::judge(const Command& command, const Effects& effects, const State& state) {
  granted_.clear();
  if (auto wrong = recall(command, effects); !wrong.empty()) return wrong;
  note(command);
  if (auto wrong = hear(command, effects); !wrong.empty()) return wrong;
  look(state);
  remember(command, effects);
  std::string wrong;
  const auto judges = {&Oracle::judge_holders, &Oracle::judge_fences, &Oracle::judge_order,
                       &Oracle::judge_queues, &Oracle::judge_cycles};
  for (const auto part : judges)
    if (wrong.empty()) wrong = (this->*part)();
  if (wrong.empty()) wrong = judge_idleness(state);
  if (wrong.empty()) wrong = judge_refusal(command, effects);
  for (const auto& [wish, granted] : granted_)
    for (const auto& name : wish.names) {
      auto& highest = highest_[{wish.space, name}];
      highest = std::max(highest, granted.fence);
    }
  before_ = locks_;
  return wrong;
}

void Oracle::note(const Command& command) {
  const Id id{command.session, command.request};
  if (const auto* release = std::get_if<Release>(&command.what))
    for (const auto& name : release->names)
      note_end({command.session, release->owner}, release->space, name, true);
  if (command.request.value == 0 || answered_.contains(id) || open_.contains(id)) return;
  if (const auto* acquire = std::get_if<Acquire>(&command.what))
    open_[id] = {{command.session, acquire->owner}, acquire->space,       acquire->names,
                 acquire->terms.hold.mode,          acquire->terms.slots, false,
                 acquire->terms.despite_deadlock};
  else if (const auto* upgrade = std::get_if<Upgrade>(&command.what))
    open_[id] = {{command.session, upgrade->owner},
                 Namespace::lock,
                 {upgrade->name},
                 Mode::exclusive,
                 1,
                 true,
                 upgrade->despite_deadlock};
}

// What is remembered is said again, and nothing happens; but a grant whose hold was taken away is
// not.
std::string Oracle::recall(const Command& command, const Effects& effects) {
  const auto memory = memories_.find(command.session);
  if (memory == memories_.end() || command.request.value == 0) return {};
  for (const Reply& answer : memory->second.answers)
    if (answer.request == command.request) {
      if (is_taken_back(answer, effects)) {
        ++taken_back;
        return "";
      }
      const auto grant = grants_.find({command.session, command.request});
      if (grant != grants_.end() && grant->second.is_lost) return "a lost hold is granted again";
      return effects == Effects{answer} ? "" : "a repeated request is not answered as before";
    }
  return {};
}

bool Oracle::is_taken_back(const Reply& answer, const Effects& effects) const {
  const auto grant = grants_.find({answer.session, answer.request});
  const auto* reply = effects.size() == 1 ? std::get_if<Reply>(&effects[0]) : nullptr;
  return grant != grants_.end() && grant->second.may_be_lost && reply != nullptr &&
         reply->request == answer.request && reply->error == Error::lock_lost;
}

// A hold was taken away, or let go: then it is not known here which of the requests for the name
// still count, since the same party may have been granted it again at the same moment.
void Oracle::note_end(const Party& party, Namespace space, const std::string& name,
                      bool is_own_word) {
  for (auto& [id, grant] : grants_) {
    const auto& names = grant.wish.names;
    const bool is_concerned = grant.wish.party == party && grant.wish.space == space &&
                              std::find(names.begin(), names.end(), name) != names.end();
    if (!is_concerned) continue;
    if (is_own_word) {
      grant.is_let_go = true;
    } else {
      grant.may_be_lost = true;
      if (!grant.is_let_go) grant.is_lost = true;
    }
  }
}

// A session's latest answers. One that was broken is no longer judged: it is refused all but its
// clearing up, and refusals are not kept.
void Oracle::remember(const Command& command, const Effects& effects) {
  for (const Effect& effect : effects) {
    const auto* reply = std::get_if<Reply>(&effect);
    if (reply == nullptr || reply->request.value == 0) continue;
    const auto* open = std::get_if<OpenSession>(&command.what);
    const auto* opened = std::get_if<Opened>(&reply->result);
    if (open != nullptr && opened != nullptr && open->latest_answers > 0)
      memories_[opened->session].most = open->latest_answers;
    const auto memory = memories_.find(reply->session);
    if (memory == memories_.end()) continue;
    auto& answers = memory->second.answers;
    const auto is_it = [&](const Reply& one) { return one.request == reply->request; };
    if (std::any_of(answers.begin(), answers.end(), is_it)) continue;
    answers.push_back(*reply);
    if (reply->request < first_unrepeated && answers.size() <= memory->second.most) continue;
    const auto gone = reply->request < first_unrepeated ? answers.begin() : answers.end() - 1;
    answered_.erase({reply->session, gone->request});
    answers.erase(gone);
    ++forgotten;
  }
  std::erase_if(memories_, [&](const auto& one) {
    const auto session = sessions_.find(one.first);
    return session == sessions_.end() || session->second.ends;
  });
}

std::string Oracle::hear(const Command& command, const Effects& effects) {
  for (const Effect& effect : effects) {
    if (const auto* queued = std::get_if<Queued>(&effect)) {
      const auto found = open_.find({queued->session, queued->request});
      if (found == open_.end()) return "a request that is not open was queued";
      auto& ticket = found->second.ticket;
      if (ticket != UINT64_MAX && ticket != queued->ticket) return "a ticket has changed";
      if (ticket == UINT64_MAX) ++waits;
      ticket = queued->ticket;
    }
    if (const auto* reply = std::get_if<Reply>(&effect))
      if (auto wrong = hear(command, *reply); !wrong.empty()) return wrong;
    if (const auto* over = std::get_if<HoldOver>(&effect))
      note_end({over->session, over->owner}, over->space, over->name, false);
  }
  return {};
}

std::string Oracle::hear(const Command& command, const Reply& reply) {
  const Id id{reply.session, reply.request};
  const bool is_own = id == Id{command.session, command.request};
  const auto found = open_.find(id);
  if (found == open_.end()) return is_own ? "" : "a request was answered twice";
  answered_.insert(id);
  if (const auto* granted = std::get_if<Grant>(&reply.result)) {
    ++grants;
    granted_.emplace_back(found->second, *granted);
    grants_[id] = {.wish = found->second};
    const Wish& wish = found->second;
    if (wish.upgrade && wish.despite)
      upgraded_despite_.insert({wish.party, Place{wish.space, wish.names[0]}});
  }
  if (reply.error == Error::would_deadlock) ++deadlocks;
  if (reply.error != Error::none && std::holds_alternative<Grant>(reply.result))
    return "an error with a grant";
  if (!is_own || reply.error != Error::would_deadlock) open_.erase(found);
  return {};
}

void Oracle::look(const State& state) {
  locks_.clear();
  for (const Namespace space : {Namespace::lock, Namespace::election})
    for (auto& info : state.locks(space)) locks_[{space, info.name}] = info;
  sessions_.clear();
  for (auto& info : state.sessions()) sessions_[info.id] = info;
  std::erase_if(upgraded_despite_, [&](const auto& one) {
    const auto lock = locks_.find(one.second);
    return lock == locks_.end() ||
           std::none_of(lock->second.holders.begin(), lock->second.holders.end(),
                        [&](const Hold& holder) { return holder.party == one.first; });
  });
}

std::string Oracle::judge_holders() const {
  for (const auto& [place, lock] : locks_) {
    if (lock.holders.empty() && lock.queue.empty()) return "a lock was not forgotten";
    if (lock.holders.size() > lock.slots && lock.slots > 1) return "too many holders";
    std::set<std::uint32_t> slots;
    for (const auto& holder : lock.holders) {
      if (!slots.insert(holder.slot).second && lock.slots > 1) return "two in one slot";
      if (holder.slot >= lock.slots) return "no such slot";
      if (lock.slots == 1 && lock.holders.size() > 1 && holder.terms.mode == Mode::exclusive)
        return "an exclusive holder is not alone";
      if (holder.fence != lock.holders[0].fence && lock.slots == 1) return "readers' fences differ";
      if (!holder.expired && !sessions_.contains(holder.party.session)) return "a dead holder";
    }
  }
  return {};
}

// Fences of a name grow, unless one enters again or joins readers.
std::string Oracle::judge_fences() const {
  std::map<Place, FencingToken> highest = highest_;
  for (const auto& [wish, granted] : granted_)
    for (std::size_t i = 0; i < wish.names.size(); ++i) {
      const Place place{wish.space, wish.names[i]};
      const FencingToken fence = granted.parts.empty() ? granted.fence : granted.parts[i].fence;
      const auto now = locks_.find(place);
      if (now == locks_.end()) return "granted, but nobody holds it";
      bool is_held = false;
      bool is_known = false;
      for (const auto& holder : now->second.holders)
        is_held = is_held || (holder.party == wish.party && holder.fence == fence);
      // Unless it was upgraded at the same moment.
      for (const auto& [other, parts] : granted_)
        is_held = is_held || (other.upgrade && other.party == wish.party && parts.fence > fence &&
                              other.names == std::vector{wish.names[i]});
      if (!is_held) return "granted, but another holds it, or with another fence";
      if (const auto before = before_.find(place); before != before_.end())
        for (const auto& holder : before->second.holders)
          is_known =
              is_known || (holder.fence == fence && is_enough(holder.terms.mode, wish.mode) &&
                           (holder.party == wish.party || wish.mode == Mode::shared));
      for (const auto& [other, parts] : granted_) {
        const auto at = std::find(other.names.begin(), other.names.end(), wish.names[i]);
        if (other.space != wish.space || at == other.names.end()) continue;
        const auto which = static_cast<std::size_t>(at - other.names.begin());
        const auto same = parts.parts.empty() ? parts.fence : parts.parts[which].fence;
        is_known = is_known || (&other != &wish && same == fence &&
                                (other.party == wish.party || wish.mode == Mode::shared));
      }
      if (fence <= highest[place] && !is_known) return "a fence went back";
      for (const auto& holder : now->second.holders)
        if (wish.slots == 1 && wish.mode == Mode::exclusive && holder.fence > fence)
          return "a later grant has a lower fence";
    }
  return {};
}

bool Oracle::is_before(const Wish& a, const Wish& b) {
  return std::pair(!a.upgrade, a.ticket) < std::pair(!b.upgrade, b.ticket);
}

// Who was granted did not overtake anyone with whom it is incompatible.
std::string Oracle::judge_order() const {
  for (const auto& [wish, granted] : granted_) {
    for (const auto& name : wish.names) {
      const LockInfo& lock = locks_.at({wish.space, name});
      const auto own = std::find_if(lock.holders.begin(), lock.holders.end(),
                                    [&, &w = wish](const Hold& h) { return h.party == w.party; });
      if (own != lock.holders.end() && own->times > 1) continue;  // entered again
      std::size_t ahead = 0;
      for (const auto& [id, other] : open_) {
        if (other.ticket == UINT64_MAX) continue;  // refused
        if (other.space != wish.space || !is_before(other, wish)) continue;
        if (std::find(other.names.begin(), other.names.end(), name) == other.names.end()) continue;
        if (wish.slots == 1 && (other.mode == Mode::exclusive || wish.mode == Mode::exclusive) &&
            !wish.upgrade)
          return "'" + name + "' was granted out of order";
        ++ahead;
      }
      if (wish.slots > 1 && lock.holders.size() + ahead > wish.slots)
        return "a slot of '" + name + "' was granted out of order";
    }
  }
  return {};
}

// Those who wait are in line, at all their names and in order, and nobody else is.
std::string Oracle::judge_queues() const {
  std::map<Id, std::size_t> seen;
  for (const auto& [place, lock] : locks_) {
    const Wish* last = nullptr;
    for (const auto& waiter : lock.queue) {
      const auto found = open_.find({waiter.party.session, waiter.id});
      if (found == open_.end()) return "one waits whose request is not open";
      if (last != nullptr && !is_before(*last, found->second)) return "the line is out of order";
      last = &found->second;
      ++seen[found->first];
    }
  }
  for (const auto& [id, wish] : open_) {
    const bool is_refused = wish.ticket == UINT64_MAX;
    if (!is_refused && seen[id] != wish.names.size()) return "a waiting request is not in line";
  }
  return {};
}

const LockInfo* Oracle::lock(const Wish& wish, const std::string& name) const {
  const auto found = locks_.find({wish.space, name});
  return found == locks_.end() ? nullptr : &found->second;
}

bool Oracle::is_ending(const Hold& holder) const {
  const auto session = sessions_.find(holder.party.session);
  return holder.is_over() || session == sessions_.end() || session->second.ends;
}

bool Oracle::enters_again(const Wish& wish, const std::string& name) const {
  for (const auto& holder : lock(wish, name)->holders)
    if (holder.party == wish.party && !holder.is_over() && is_enough(holder.terms.mode, wish.mode))
      return true;
  return false;
}

bool Oracle::is_free(const Wish& wish, const std::string& name) const {
  if (enters_again(wish, name)) return true;
  const LockInfo& info = *lock(wish, name);
  std::size_t taken = info.holders.size();
  for (const auto& holder : info.holders)
    if (holder.party == wish.party && holder.is_over()) return false;
  for (const auto& holder : info.holders)
    if (wish.slots == 1 && (holder.terms.mode == Mode::exclusive || wish.mode == Mode::exclusive) &&
        !(wish.upgrade && holder.party == wish.party))
      return false;
  for (const auto& [id, other] : open_) {
    if (other.space != wish.space || !is_before(other, wish)) continue;
    if (std::find(other.names.begin(), other.names.end(), name) == other.names.end()) continue;
    if (wish.slots == 1 && (other.mode == Mode::exclusive || wish.mode == Mode::exclusive))
      return false;
    ++taken;
  }
  return wish.slots == 1 || taken < wish.slots;
}

std::string Oracle::judge_idleness(const State& state) const {
  if (state.is_recovering() || state.reserve() == state.next_fence()) return {};
  for (const auto& [id, wish] : open_) {
    if (wish.ticket == UINT64_MAX) continue;
    if (std::all_of(wish.names.begin(), wish.names.end(),
                    [&, &w = wish](const auto& name) { return is_free(w, name); }))
      return "session " + std::to_string(id.first.value) + " waits for what is free";
  }
  return {};
}

// Whether the request gets through at this name once these have ended.
bool Oracle::can_end(const Wish& wish, const std::string& name,
                     const std::set<Party>& ended) const {
  if (enters_again(wish, name)) return true;
  std::size_t in_the_way = 0;
  const LockInfo* info = lock(wish, name);
  for (const auto& holder : info->holders)
    if (holder.party != wish.party && !is_ending(holder) && !ended.contains(holder.party) &&
        (wish.slots > 1 || holder.terms.mode == Mode::exclusive || wish.mode == Mode::exclusive))
      ++in_the_way;
  for (const auto& [id, other] : open_) {
    if (&other == &wish || other.space != wish.space || !is_before(other, wish)) continue;
    if (std::find(other.names.begin(), other.names.end(), name) == other.names.end()) continue;
    if (other.party == wish.party) {
      if (is_enough(other.mode, wish.mode)) return true;  // then it enters with that one
      continue;
    }
    if (!ended.contains(other.party) &&
        (wish.slots > 1 || other.mode == Mode::exclusive || wish.mode == Mode::exclusive))
      ++in_the_way;
  }
  return in_the_way < wish.slots && (wish.slots > 1 || in_the_way == 0);
}

// Whoever waits only for those who will end, will end.
std::set<Party> Oracle::never_end(bool ignore_despite) const {
  std::set<Party> left;
  std::set<Party> despite;
  for (const auto& [id, wish] : open_) {
    left.insert(wish.party);
    if (wish.despite) despite.insert(wish.party);
  }
  for (const auto& [party, place] : upgraded_despite_) despite.insert(party);
  for (const auto& [place, lock] : locks_)
    for (const auto& holder : lock.holders) left.insert(holder.party);
  std::set<Party> ended;
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    for (auto at = left.begin(); at != left.end();) {
      const Party party = *at;
      bool ends = true;
      for (const auto& [id, wish] : open_)
        for (const auto& name : wish.names)
          if (wish.party == party) ends = ends && can_end(wish, name, ended);
      for (const Party& other : left) {
        auto session = sessions_.find(other.session);
        while (session != sessions_.end() && session->second.terms.within != no_session) {
          const bool is_waiting = std::any_of(
              open_.begin(), open_.end(), [&](const auto& o) { return o.second.party == other; });
          if (session->second.terms.within == party.session && is_waiting) ends = false;
          session = sessions_.find(session->second.terms.within);
        }
      }
      if (ends || (ignore_despite && despite.contains(party))) {
        ended.insert(party);
        at = left.erase(at);
        is_changed = true;
      } else {
        ++at;
      }
    }
  }
  return left;
}

std::string Oracle::judge_cycles() const {
  for (const auto& [id, wish] : open_)
    if (wish.ticket == UINT64_MAX) return {};  // the refused one is judged below
  const auto stuck = never_end(true);
  if (stuck.empty()) return {};
  return "session " + std::to_string(stuck.begin()->session.value) + " waits for ever";
}

// A request that was refused at once is still in the books here, last in line.
std::string Oracle::judge_refusal(const Command& command, const Effects& effects) const {
  auto* self = const_cast<Oracle*>(this);
  const auto found = self->open_.find({command.session, command.request});
  if (found == self->open_.end() || found->second.ticket != UINT64_MAX) return {};
  const Wish wish = found->second;
  const auto is_any_refusal = [&](const Effect& effect) {
    const auto* reply = std::get_if<Reply>(&effect);
    return reply != nullptr && reply->error == Error::would_deadlock;
  };
  const auto is_refusal = [&](const Effect& effect) {
    const auto* reply = std::get_if<Reply>(&effect);
    return is_any_refusal(effect) && reply->session == command.session &&
           reply->request == command.request;
  };
  const bool is_refused = std::any_of(effects.begin(), effects.end(), is_refusal);
  if (!is_refused) return "a request was neither answered nor queued";
  for (const auto& name : wish.names) self->locks_.try_emplace({wish.space, name});
  const auto stuck = never_end(false);
  self->open_.erase(found);
  // With more than one refused at once, the first may have been stuck only because of the others.
  const bool is_only_one = std::count_if(effects.begin(), effects.end(), is_any_refusal) == 1;
  if (is_only_one && !stuck.contains(wish.party)) return "refused without a deadlock";
  if (const auto others = never_end(true); !others.empty()) return "others wait for ever";
  return {};
}

}  // namespace baton::service
