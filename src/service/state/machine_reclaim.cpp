#include <algorithm>

#include "service/state/machine.h"

namespace baton::service {
namespace {

bool is_same(const Reclaim::Held& held, const Lock& lock, const Hold& hold) {
  return held.space == lock.space && held.hold.party.owner == hold.party.owner &&
         held.hold.fence == hold.fence && held.name == lock.name;
}

bool is_compatible(const Reclaim::Held& held, const Lock& lock, const Hold& hold) {
  if (held.slots != lock.slots) return false;
  if (lock.slots > 1) return held.hold.slot != hold.slot;
  return held.hold.terms.mode == Mode::shared && hold.terms.mode == Mode::shared &&
         held.hold.fence == hold.fence;
}

HoldOver ending_of(SessionId session, const Reclaim::Held& held, std::string reason) {
  return {session,         held.space,       held.name, held.hold.party.owner,
          held.hold.fence, std::move(reason)};
}

// Finds the end of a hold that was taken away while the client was disconnected.
std::optional<HoldOver> find_ending(const Session& session, const Reclaim::Held& held) {
  for (const HoldOver& ending : session.endings)
    if (ending == ending_of(session.id, held, ending.reason)) return ending;
  return std::nullopt;
}

}  // namespace

// A client reports what it holds after a crash. The journal may lack the last grants and releases
// of the fast grade, so the client's report counts. If two clients report the same lock, the one
// with the higher fencing token is right: the other must have released the lock before, and the
// journal lost only that release.
void Machine::carry_out(const Asker& asker, const Reclaim& reclaim) {
  Session& session = *asker.session;
  if (!tables_.unreported.contains(session.id)) {
    tell_what_is_lost(asker, reclaim);
    return answer(asker, Error::none);
  }
  give_up_unreported(session, reclaim);
  forget_unheard_grants(session, reclaim);
  for (const auto& held : reclaim.held) restore(session, held);
  // A waiting request must not have the number of the report itself: it would be answered twice.
  for (const auto& waiting : reclaim.waiting)
    if (waiting.request != asker.request) restore(session, waiting);
  answer(asker, Error::none);
  end_recovery_of(session.id);
}

// Nothing of this session is missing in the state, so the state is right: it tells the client which
// of the reported holds are over.
void Machine::tell_what_is_lost(const Asker& asker, const Reclaim& reclaim) {
  for (const auto& held : reclaim.held) {
    const Lock* lock = tables_.lock(held.space, held.name);
    const Party party{asker.id, held.hold.party.owner};
    const bool is_kept = lock != nullptr && lock->holds.contains(party) &&
                         is_same(held, *lock, lock->holds.at(party));
    if (!is_kept) effects_->push_back(ending_of(asker.id, held, "the server does not know of it"));
  }
}

// The client has released, or has never received, each hold that its report does not name. The
// state ends those holds and tells nobody.
void Machine::give_up_unreported(Session& session, const Reclaim& reclaim) {
  std::vector<HoldKey> lost;
  for (const HoldKey& own : session.held) {
    const Hold& hold = own.lock->holds.at({session.id, own.owner});
    const bool is_named =
        std::any_of(reclaim.held.begin(), reclaim.held.end(),
                    [&](const Reclaim::Held& held) { return is_same(held, *own.lock, hold); });
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
  for (const HoldKey& own : lost) let_go(*own.lock, {session.id, own.owner});
}

// The client does not report a grant whose answer it never received. It will retry that request,
// and the kept answer must not grant a hold that give_up_unreported() has just ended.
void Machine::forget_unheard_grants(Session& session, const Reclaim& reclaim) {
  const auto is_awaited = [&](RequestId request) {
    return std::any_of(reclaim.waiting.begin(), reclaim.waiting.end(),
                       [&](const Reclaim::Waiting& waiting) { return waiting.request == request; });
  };
  const auto is_reported = [&](FencingToken fence) {
    return std::any_of(reclaim.held.begin(), reclaim.held.end(),
                       [&](const Reclaim::Held& held) { return held.hold.fence == fence; });
  };
  const auto is_unheard = [&](const Reply& reply) {
    const auto* grant = std::get_if<Grant>(&reply.result);
    return grant != nullptr && (is_awaited(reply.request) || !is_reported(grant->fence));
  };
  std::erase_if(session.answers, is_unheard);
}

void Machine::restore(Session& session, const Reclaim::Held& held) {
  const Party party{session.id, held.hold.party.owner};
  Lock* known = tables_.lock(held.space, held.name);
  Hold* own = known != nullptr && known->holds.contains(party) ? &known->holds.at(party) : nullptr;
  if (const auto ended = own != nullptr ? std::nullopt : find_ending(session, held)) {
    effects_->push_back(*ended);
    return;
  }
  const FencingToken fence = held.hold.fence;
  const bool is_possible = !refuse(held) && fence < fence_floor_ && fence.value > 0 &&
                           (own == nullptr || own->fence == fence);
  if (!is_possible || !prevails(party, held)) {
    const char* reason =
        is_possible ? "it was granted to another since" : "it cannot have been granted";
    tell(ending_of(session.id, held, reason));
    if (!is_possible || own == nullptr) return;
    take_back_answers(*known, *own, reason);
    return let_go(*known, party);
  }
  if (own != nullptr) return bring_up_to_date(*known, held, *own);
  Lock& lock = lock_at(held.space, held.name, held.slots);
  touch(lock);
  add_hold(lock, {.party = party,
                  .terms = held.hold.terms,
                  .slot = held.hold.slot,
                  .fence = fence,
                  .times = held.hold.times,
                  .since = now_});
}

// The state knows the hold, but the journal may have lost later changes to it.
void Machine::bring_up_to_date(Lock& lock, const Reclaim::Held& held, Hold& own) {
  own.terms.mode = held.hold.terms.mode;
  own.times = held.hold.times;
  if (own.terms.value == held.hold.terms.value) return;
  own.terms.value = held.hold.terms.value;
  if (lock.space == Namespace::election) tell_leader(Change::Kind::proclaim, lock, own);
}

// True if the reported hold was granted after all holds that exclude it; the state then ends those.
bool Machine::prevails(const Party& reporter, const Reclaim::Held& held) {
  Lock* lock = tables_.lock(held.space, held.name);
  if (lock == nullptr) return true;
  std::vector<Party> in_the_way;
  for (const auto& [party, hold] : lock->holds) {
    if (party == reporter || is_compatible(held, *lock, hold)) continue;
    if (hold.fence >= held.hold.fence) return false;
    in_the_way.push_back(party);
  }
  if (lock->slots != held.slots && (!lock->queue.empty() || lock->holds.size() > in_the_way.size()))
    return false;
  for (const Party& party : in_the_way)
    take_away(*lock, lock->holds.at(party), "it was granted to another since");
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
