#include <algorithm>

#include "service/state/machine.h"

namespace baton::service {
namespace {

bool is_same(const Reclaim::Held& held, const Party& party, const Lock& lock, const Hold& hold) {
  return held.space == lock.space && held.owner == party.owner && held.fence == hold.fence &&
         held.name == lock.name;
}

bool is_compatible(const Reclaim::Held& held, const Lock& lock, const Hold& hold) {
  if (held.slots != lock.slots) return false;
  if (lock.slots > 1) return held.slot != hold.slot;
  return held.mode == Mode::shared && hold.mode == Mode::shared && held.fence == hold.fence;
}

// It was taken away while the client was away.
std::optional<HoldOver> find_ending(const Session& session, const Reclaim::Held& held) {
  for (const HoldOver& over : session.endings)
    if (over.space == held.space && over.owner == held.owner && over.fence == held.fence &&
        over.name == held.name)
      return over;
  return std::nullopt;
}

}  // namespace

// The journal may lack the last grants and releases of the fast grade, so what the client says
// counts. Of two that say they hold the same, the later grant, that is the higher fence, is right:
// the other must have let go before, and only the journal of that was lost.
void Machine::carry_out(const Asker& asker, const Reclaim& reclaim) {
  Session& session = *asker.session;
  if (!tables_.unreported.contains(session.id)) {
    tell_what_is_lost(asker, reclaim);
    return answer(asker, Error::none);
  }
  give_up_unreported(session, reclaim);
  forget_unheard_grants(session, reclaim);
  for (const auto& held : reclaim.held) restore(session, held);
  // Under the number of the report nothing can wait: it would be answered twice.
  for (const auto& waiting : reclaim.waiting)
    if (waiting.request != asker.request) restore(session, waiting);
  answer(asker, Error::none);
  end_recovery_of(session.id);
}

// The state is complete, or the session's part of it is: it is the client that learns.
void Machine::tell_what_is_lost(const Asker& asker, const Reclaim& reclaim) {
  for (const auto& held : reclaim.held) {
    const Lock* lock = tables_.lock(held.space, held.name);
    const Party party{asker.id, held.owner};
    const bool is_kept = lock != nullptr && lock->holds.contains(party) &&
                         is_same(held, party, *lock, lock->holds.at(party));
    if (!is_kept)
      effects_->push_back(HoldOver{asker.id, held.space, held.name, held.owner, held.fence,
                                   "the server does not know of it"});
  }
}

// What the client does not name it does not have, or has never heard of. Nobody is told.
void Machine::give_up_unreported(Session& session, const Reclaim& reclaim) {
  std::vector<Held> lost;
  for (const Held& own : session.held) {
    const Party party{session.id, own.owner};
    const bool is_named =
        std::any_of(reclaim.held.begin(), reclaim.held.end(), [&](const Reclaim::Held& held) {
          return is_same(held, party, *own.lock, own.lock->holds.at(party));
        });
    if (!is_named) lost.push_back(own);
  }
  std::vector<RequestId> unwanted;
  for (const auto& [id, request] : session.waiting) {
    const bool is_named =
        std::any_of(reclaim.waiting.begin(), reclaim.waiting.end(),
                    [id = id](const Reclaim::Waiting& waiting) { return waiting.request == id; });
    if (!is_named || request.upgrade) unwanted.push_back(id);
  }
  for (const RequestId id : unwanted) {
    const Request gone = take_out(session.waiting.at(id));
    for (Lock* lock : gone.locks) touch(*lock);
  }
  for (const Held& own : lost) let_go(*own.lock, {session.id, own.owner});
}

// A grant whose answer never arrived is not among what the client holds. It will ask again, and
// must not be told of a hold that has just been given up.
void Machine::forget_unheard_grants(Session& session, const Reclaim& reclaim) {
  const auto is_awaited = [&](RequestId request) {
    return std::any_of(reclaim.waiting.begin(), reclaim.waiting.end(),
                       [&](const Reclaim::Waiting& waiting) { return waiting.request == request; });
  };
  const auto is_reported = [&](FencingToken fence) {
    return std::any_of(reclaim.held.begin(), reclaim.held.end(),
                       [&](const Reclaim::Held& held) { return held.fence == fence; });
  };
  const auto is_unheard = [&](const Reply& reply) {
    const auto* granted = std::get_if<Granted>(&reply.result);
    return granted != nullptr && (is_awaited(reply.request) || !is_reported(granted->fence));
  };
  std::erase_if(session.answers, is_unheard);
}

void Machine::restore(Session& session, const Reclaim::Held& held) {
  const Party party{session.id, held.owner};
  Lock* known = tables_.lock(held.space, held.name);
  const bool is_own = known != nullptr && known->holds.contains(party);
  if (const auto ended = is_own ? std::nullopt : find_ending(session, held)) {
    effects_->push_back(*ended);
    return;
  }
  const bool is_possible = !refuse(held) && held.fence < fence_floor_ && held.fence.value > 0 &&
                           (!is_own || known->holds.at(party).fence == held.fence);
  if (!is_possible || !prevails(party, held)) {
    const char* reason =
        is_possible ? "it was granted to another since" : "it cannot have been granted";
    tell({session.id, held.space, held.name, held.owner, held.fence, reason});
    if (!is_possible || !is_own) return;
    take_back_answers(*known, party, known->holds.at(party), reason);
    return let_go(*known, party);
  }
  if (is_own) return bring_up_to_date(*known, party, held);
  Lock& lock = lock_at(held.space, held.name, held.slots);
  touch(lock);
  Hold restored{.mode = held.mode, .slot = held.slot, .fence = held.fence, .times = held.times};
  restored.since = now_;
  restored.max_hold = held.max_hold;
  restored.value = held.value;
  restored.label = held.label;
  hold(lock, party, std::move(restored));
}

// The hold is known, but not all that was done to it since.
void Machine::bring_up_to_date(Lock& lock, const Party& party, const Reclaim::Held& held) {
  Hold& hold = lock.holds.at(party);
  hold.mode = held.mode;
  hold.times = held.times;
  if (hold.value == held.value) return;
  hold.value = held.value;
  if (lock.space == Namespace::election) tell_leader(Change::Kind::proclaim, lock, party, hold);
}

// Whether it was granted after all that is in its way, which then goes.
bool Machine::prevails(const Party& reporter, const Reclaim::Held& held) {
  Lock* lock = tables_.lock(held.space, held.name);
  if (lock == nullptr) return true;
  std::vector<Party> in_the_way;
  for (const auto& [party, hold] : lock->holds) {
    if (party == reporter || is_compatible(held, *lock, hold)) continue;
    if (hold.fence >= held.fence) return false;
    in_the_way.push_back(party);
  }
  if (lock->slots != held.slots && (!lock->queue.empty() || lock->holds.size() > in_the_way.size()))
    return false;
  for (const Party& party : in_the_way) {
    Hold& hold = lock->holds.at(party);
    if (!hold.expired) tell_lost(*lock, party, hold, "it was granted to another since");
    let_go(*lock, party);
  }
  if (lock->holds.empty() && lock->slots != held.slots) {
    lock->slots = held.slots;
    lock->free_slots = held.slots > 1 ? std::make_unique<FreeSlots>() : nullptr;
  }
  return true;
}

void Machine::restore(Session& session, const Reclaim::Waiting& waiting) {
  const Asker asker{&session, session.id, waiting.request};
  if (waiting.request.value == 0 || is_repeated(asker)) return;
  if (waiting.request < session.confirmed) return;
  if (const auto refusal = refuse_to(asker, waiting.acquire)) return answer(asker, *refusal);
  const bool is_known = waiting.ticket > 0 && waiting.ticket < ticket_floor_;
  const std::uint64_t next = next_ticket_;
  if (is_known) next_ticket_ = waiting.ticket;
  carry_out(asker, waiting.acquire);
  if (is_known) next_ticket_ = next;
}

}  // namespace baton::service
