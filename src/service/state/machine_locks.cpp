#include <algorithm>

#include "service/state/machine.h"
#include "service/state/wait_graph.h"

namespace baton::service {
namespace {

// Whether it is about this hold.
template <class Other>
bool is_same(const HoldOver& over, const Other& other) {
  return over.fence == other.fence && over.owner == other.owner && over.space == other.space &&
         over.name == other.name;
}

// No holder and no earlier request of this server is in its way.
bool is_alone(const Request& request) {
  const Lock& lock = *request.locks.front();
  return lock.holds.empty() && lock.queue.empty();
}

}  // namespace

// --- Acquire ------------------------------------------------------------------------------------

void Machine::carry_out(const Asker& asker, const Acquire& acquire) {
  if (asker.request.value == 0) return;  // nobody would know
  if (const auto refusal = refuse_to(asker, acquire)) return answer(asker, *refusal);
  Request request{
      {.id = asker.request, .party = {asker.id, acquire.owner}, .terms = acquire.terms}};
  request.locks.reserve(acquire.names.size());
  for (const auto& name : acquire.names)
    request.locks.push_back(&lock_at(acquire.space, name, acquire.terms.slots));
  take_or_wait(asker, std::move(request), acquire.wait);
}

std::optional<Refusal> Machine::refuse_to(const Asker& asker, const Acquire& acquire) const {
  if (auto refusal = refuse(acquire)) return refusal;
  if (acquire.terms.fast && !asker.session->terms.fast)
    return Refusal{Error::bad_request, "the session was not opened for the fast grade"};
  for (const auto& name : acquire.names)
    if (const Lock* lock = tables_.lock(acquire.space, name))
      if (auto refusal = refuse_lock(asker, acquire, *lock)) return refusal;
  return std::nullopt;
}

std::optional<Refusal> Machine::refuse_lock(const Asker& asker, const Acquire& acquire,
                                            const Lock& lock) const {
  if (lock.slots != acquire.terms.slots)
    return Refusal{Error::slots_differ, quoted(lock.name) + " is in use with " +
                                            std::to_string(lock.slots) +
                                            (lock.slots == 1 ? " slot" : " slots")};
  const auto own = lock.holds.find({asker.id, acquire.owner});
  if (own != lock.holds.end() && own->second.is_over())
    return Refusal{Error::lock_lost, quoted(lock.name)};
  if (acquire.terms.hold.mode == Mode::shared) return std::nullopt;
  const bool holds_shared = own != lock.holds.end() && own->second.terms.mode == Mode::shared;
  if (holds_shared || waits_at(asker, acquire.owner, lock, Mode::shared))
    return Refusal{Error::bad_request, "this owner shares " + quoted(lock.name) +
                                           " or waits to: it must upgrade, or let go first"};
  return std::nullopt;
}

bool Machine::waits_at(const Asker& asker, OwnerId owner, const Lock& lock, Mode mode) const {
  const Session& session = *asker.session;
  for (auto at = first_waiting(session, owner);
       at != session.waiting_of.end() && at->first == owner; ++at) {
    const Request& request = session.waiting.at(at->second);
    const auto& locks = request.locks;
    if (request.mode() == mode && std::find(locks.begin(), locks.end(), &lock) != locks.end())
      return true;
  }
  return false;
}

void Machine::take_or_wait(const Asker& asker, Request request,
                           const std::optional<Duration>& wait) {
  request.ticket = next_ticket_;  // after all who wait
  const bool open = is_open(request);
  if (open && may_grant(request)) return grant(request);
  for (Lock* lock : request.locks) touch(*lock);
  const bool is_suspended = !tables_.unreported.empty() || stalled_;
  request.once = wait && wait->value == 0;
  const bool is_unknown = is_gated_ && is_alone(request);
  if (request.once && !is_suspended && !is_unknown)
    return answer(asker, Error::busy, busy_message(request));
  if (asker.session->waiting.size() >= most_waiting)
    return answer(asker, Error::too_many, "too many requests of this session wait");
  ++next_ticket_;
  request.space = request.locks.front()->space;
  for (const Lock* lock : request.locks) request.names.emplace_back(lock->name);
  request.since = now_;
  if (wait && !request.once) request.deadline = now_ + *wait;
  if (request.once && is_unknown) request.deadline = now_ + longest_try;
  Request& waiting = enqueue(*asker.session, std::move(request));
  const RequestId id = waiting.id;
  const std::uint64_t ticket = waiting.ticket;
  refuse_deadlocked(waiting);
  if (asker.session->waiting.contains(id)) effects_->push_back(Queued{asker.id, id, ticket});
}

std::string Machine::busy_message(const Request& request) const {
  for (const Lock* lock : request.locks) {
    if (is_open(*lock, request)) continue;
    for (const auto& [party, hold] : lock->holds)
      if (party != request.party)
        return quoted(lock->name) +
               (hold.expired ? " stays closed for a while after " : " is held by ") +
               tables_.describe(party.session);
    for (const auto& [key, other] : lock->queue)
      if (other->party != request.party)
        return tables_.describe(key.session) + " is ahead in line for " + quoted(lock->name);
  }
  return {};
}

void Machine::carry_out(const Asker& asker, const Cancel& cancel) {
  const auto found = asker.session->waiting.find(cancel.waiting);
  if (found == asker.session->waiting.end())
    return answer(asker, Error::not_found, "no such request waits");
  answer(asker, Error::none);
  give_up(found->second, Error::cancelled);
}

// --- Holds --------------------------------------------------------------------------------------

void Machine::carry_out(const Asker& asker, const Release& release) {
  if (const auto refusal = refuse_names(release.names)) return answer(asker, *refusal);
  std::erase_if(asker.session->endings, [&](const HoldOver& over) {
    return over.space == release.space && over.owner == release.owner &&
           std::find(release.names.begin(), release.names.end(), over.name) != release.names.end();
  });
  const Party party{asker.id, release.owner};
  for (const auto& name : release.names) {
    const Lock* lock = tables_.lock(release.space, name);
    if (lock == nullptr || !lock->holds.contains(party))
      return answer(asker, Error::not_held, quoted(name));
  }
  answer(asker, Error::none);
  for (const auto& name : release.names) {
    Lock& lock = *tables_.lock(release.space, name);
    Hold& hold = lock.holds.at(party);
    if (--hold.times == 0) let_go(lock, party);
  }
}

void Machine::carry_out(const Asker& asker, const Downgrade& downgrade) {
  if (const auto refusal = refuse_name(downgrade.name)) return answer(asker, *refusal);
  Lock* lock = tables_.lock(Namespace::lock, downgrade.name);
  const Party party{asker.id, downgrade.owner};
  const auto own = lock == nullptr ? std::map<Party, Hold>::iterator{} : lock->holds.find(party);
  if (lock == nullptr || own == lock->holds.end())
    return answer(asker, Error::not_held, quoted(downgrade.name));
  Hold& hold = own->second;
  if (hold.is_over()) return answer(asker, Error::lock_lost, quoted(downgrade.name));
  if (lock->slots > 1) return answer(asker, Error::bad_request, "a slot cannot be shared");
  if (waits_at(asker, downgrade.owner, *lock, Mode::exclusive))
    return answer(asker, Error::bad_request,
                  "this owner waits for " + quoted(downgrade.name) + " exclusively");
  hold.terms.mode = Mode::shared;
  touch(*lock);
  note_answer(hold, asker);
  answer(asker, Result{Grant{.fence = hold.fence}});
}

void Machine::carry_out(const Asker& asker, const Upgrade& upgrade) {
  if (asker.request.value == 0) return;
  Lock* lock = tables_.lock(Namespace::lock, upgrade.name);
  if (const auto refusal = refuse_upgrade(asker, upgrade, lock)) return answer(asker, *refusal);
  const Party party{asker.id, upgrade.owner};
  const Hold& own = lock->holds.at(party);
  Request request{{.id = asker.request, .party = party, .upgrade = true}};
  request.terms.despite_deadlock = upgrade.despite_deadlock;
  request.locks.push_back(lock);
  if (own.terms.mode == Mode::shared && is_open(request) && would_deadlock_at_once(request)) return;
  take_or_wait(asker, std::move(request), upgrade.wait);
}

std::optional<Refusal> Machine::refuse_upgrade(const Asker& asker, const Upgrade& upgrade,
                                               const Lock* lock) const {
  if (auto refusal = refuse_name(upgrade.name)) return refusal;
  if (auto refusal = refuse_wait(upgrade.wait)) return refusal;
  if (lock == nullptr) return Refusal{Error::not_held, quoted(upgrade.name)};
  const auto own = lock->holds.find({asker.id, upgrade.owner});
  if (own == lock->holds.end()) return Refusal{Error::not_held, quoted(upgrade.name)};
  if (own->second.is_over()) return Refusal{Error::lock_lost, quoted(upgrade.name)};
  if (lock->slots > 1) return Refusal{Error::bad_request, "a slot is not shared"};
  return std::nullopt;
}

// An upgrade that is granted at once makes queued readers wait for its owner. That closes a cycle
// if the owner waits for one of them at another name.
bool Machine::would_deadlock_at_once(const Request& upgrade) {
  Session& session = *tables_.session(upgrade.party.session);
  const bool waits = !session.waiting.empty() || !session.inner.empty();
  Lock& lock = *upgrade.locks.front();
  if (upgrade.terms.despite_deadlock || !waits || lock.queue.empty()) return false;
  Hold& hold = lock.holds.at(upgrade.party);
  hold.terms.mode = Mode::exclusive;
  const auto cycle = find_cycle(tables_, upgrade.party);
  hold.terms.mode = Mode::shared;
  if (cycle)
    answer({&session, session.id, upgrade.id}, Error::would_deadlock, describe(tables_, *cycle));
  return cycle.has_value();
}

// --- Taken away ---------------------------------------------------------------------------------

// Tells the session that a hold is over, and keeps the message because the client may be
// disconnected. A later message about the same hold replaces it.
void Machine::tell(HoldOver over) {
  auto& endings = tables_.session(over.session)->endings;
  std::erase_if(endings, [&](const HoldOver& one) { return is_same(one, over); });
  if (endings.size() < most_endings) endings.push_back(over);
  effects_->push_back(std::move(over));
}

void Machine::tell_lost(const Lock& lock, Hold& hold, const std::string& reason) {
  const auto& [session, owner] = hold.party;
  tell({session, lock.space, std::string(lock.name), owner, hold.fence, reason});
  take_back_answers(lock, hold, reason);
}

void Machine::tell_over(Lock& lock, Hold& hold, const std::string& reason) {
  disarm(lock, hold);
  hold.ends = now_ + tables_.session(hold.party.session)->terms.ttl;
  arm(lock, hold);
  tell_lost(lock, hold, reason);
  give_up_upgrade(lock, hold.party, Error::lock_lost);
  note_own(hold.party, lock);
}

void Machine::break_hold(Lock& lock, Hold& hold, bool force) {
  if (force)
    take_away(lock, hold, "it was broken by an operator, by force");
  else if (!hold.is_over())
    tell_over(lock, hold, "it was broken by an operator");
}

// Ends the hold at once, without waiting for the holder's acknowledgement.
void Machine::take_away(Lock& lock, Hold& hold, const std::string& reason) {
  if (!hold.expired) tell_lost(lock, hold, reason);
  let_go(lock, hold.party);
}

void Machine::carry_out(const Asker& asker, const Break& breaking) {
  if (const auto refusal = refuse_name(breaking.name)) return answer(asker, *refusal);
  Lock* lock = tables_.lock(breaking.space, breaking.name);
  if (lock == nullptr || lock->holds.empty())
    return answer(asker, Error::not_found,
                  "nobody holds " + quoted(breaking.name) +
                      (is_gated_ ? " here: it is broken at the member whose client holds it" : ""));
  std::vector<Party> parties;
  for (const auto& [party, hold] : lock->holds)
    if (breaking.force || !hold.expired) parties.push_back(party);
  if (parties.empty())
    return answer(asker, Error::busy,
                  quoted(breaking.name) +
                      " has no holder, but stays closed for a while; only force opens it");
  answer(asker, Error::none);
  for (const Party& party : parties) break_hold(*lock, lock->holds.at(party), breaking.force);
}

void Machine::carry_out(const Asker& asker, const Acknowledge& acknowledge) {
  if (const auto refusal = refuse_name(acknowledge.name)) return answer(asker, *refusal);
  std::erase_if(asker.session->endings,
                [&](const HoldOver& over) { return is_same(over, acknowledge); });
  Lock* lock = tables_.lock(acknowledge.space, acknowledge.name);
  const Party party{asker.id, acknowledge.owner};
  const auto own = lock == nullptr ? std::map<Party, Hold>::iterator{} : lock->holds.find(party);
  if (lock == nullptr || own == lock->holds.end() || own->second.fence != acknowledge.fence)
    return answer(asker, Error::not_held, quoted(acknowledge.name));
  if (!own->second.is_over())
    return answer(asker, Error::bad_request, "the hold is not over: it must be released");
  answer(asker, Error::none);
  let_go(*lock, party);
}

}  // namespace baton::service
