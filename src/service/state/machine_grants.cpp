#include <algorithm>

#include "service/state/machine.h"
#include "service/state/wait_graph.h"

namespace baton::service {
namespace {

bool is_first(const Lock& lock, const Request& request) {
  return lock.queue.empty() || !(lock.queue.begin()->first < request.key());
}

bool has_exclusive_ahead(const Lock& lock, const Request& request) {
  if (lock.exclusive_waiting == 0) return false;
  for (const auto& [key, other] : lock.queue) {
    if (!(key < request.key())) return false;
    if (other->is_exclusive()) return true;
  }
  return false;
}

bool has_slot(const Lock& lock, const Request& request) {
  std::size_t taken = lock.holds.size();
  for (auto at = lock.queue.begin(); taken < lock.slots; ++at, ++taken)
    if (at == lock.queue.end() || !(at->first < request.key())) return true;
  return false;
}

}  // namespace

Lock& Machine::lock_at(Namespace space, const std::string& name, std::uint32_t slots) {
  const auto [at, is_new] = tables_.table(space).try_emplace(name);
  Lock& lock = at->second;
  if (!is_new) return lock;
  lock.space = space;
  lock.name = at->first;
  lock.slots = slots;
  if (slots > 1) lock.free_slots = std::make_unique<FreeSlots>();
  return lock;
}

// Notes that settle() must look at this lock: it may be the turn of a request, or the lock may be
// unused.
void Machine::touch(Lock& lock) {
  if (!lock.to_pump) {
    lock.to_pump = true;
    to_pump_.push_back(&lock);
  }
  if (!lock.to_check) {
    lock.to_check = true;
    to_check_.push_back(&lock);
  }
}

// Grants every request whose turn has come, and forgets unused locks. Called after each timer and
// each command, when the tables are consistent.
void Machine::settle() {
  while (!to_pump_.empty() || !own_changes_.empty()) {
    for (std::size_t i = 0; i < to_pump_.size(); ++i) {
      to_pump_[i]->to_pump = false;
      pump(*to_pump_[i]);
    }
    to_pump_.clear();
    for (const OwnChange& change : std::exchange(own_changes_, {})) look_again(change);
  }
  for (Lock* lock : to_check_) {
    lock->to_check = false;
    if (is_gated_) watch_door(*lock);
    if (lock->holds.empty() && lock->queue.empty()) forget(*lock);
  }
  to_check_.clear();
}

// Grants the requests of one lock's queue whose turn has come.
//
// A worked example with two names; all requests are exclusive, and the number behind a request that
// waits is its ticket. A request that is granted at once uses no ticket.
//
//   command             left held by   right held by   queue of left   queue of right
//   A asks left         A              -               -               -
//   B asks left+right   A              -               B1              B1
//   C asks right        A              -               B1              B1 C2
//   D asks left         A              -               B1 D3           B1 C2
//   A releases left     B              B               D3              C2
//   B releases both     D              C               -               -
//
// B waits in both queues under one ticket, and holds neither name while it waits. C waits although
// nobody holds right, because B came earlier. When A releases left, pump(left) finds B first there;
// is_open(B) also looks at right, which nobody holds and where B is first. So one command grants B
// both names, each with its own fencing token. All queues are in the order of the tickets, so a
// request for left+right and one for right+left cannot deadlock.
//
// Two kinds of requests overtake others. An owner that already holds the name enters it again at
// once. An upgrade goes before all ordinary requests, which wait for the upgrading holder anyway.
//
// One pass over the queue is enough: the requests behind wait for a holder exactly as they waited
// for its request, so a grant makes it nobody else's turn. (When a holder enters again its place in
// the queue becomes free, so grant() touches the lock.) The pass ends at the first request whose
// turn it is not, because the same obstacle stops all requests behind it. The exception: a request
// that is stopped by its own party's old hold, which is over but not released yet.
void Machine::pump(Lock& lock) {
  for (auto at = lock.queue.begin(); at != lock.queue.end();) {
    Request& request = *at->second;
    ++at;
    if (!is_open(lock, request)) {
      const auto own = lock.holds.find(request.party);
      if (own != lock.holds.end() && own->second.is_over()) continue;
      return;
    }
    if (is_open(request) && may_grant(request)) grant(request);
  }
}

void Machine::forget(Lock& lock) {
  constexpr std::size_t few = 1024;
  auto& table = tables_.table(lock.space);
  table.erase(table.find(lock.name));
  // A crowd that has gone leaves no room behind.
  if (table.bucket_count() > few && table.size() < table.bucket_count() / 16)
    table.rehash(table.size() * 4);
}

// A party may wait for several names at once, or hold one while it waits for another. When it gets
// or loses a name, its other requests for that name may have become possible (it enters again) or
// impossible, so settle() looks at them again.
void Machine::note_own(const Party& party, Lock& lock) {
  const Session& session = *tables_.session(party.session);
  const auto other = first_waiting(session, party.owner);
  if (other != session.waiting_of.end() && other->first == party.owner)
    own_changes_.push_back({party, &lock});
}

void Machine::look_again(const OwnChange& change) {
  Session* session = tables_.session(change.party.session);
  if (session == nullptr) return;
  std::vector<RequestId> ids;
  const OwnerId owner = change.party.owner;
  for (auto at = first_waiting(*session, owner);
       at != session->waiting_of.end() && at->first == owner; ++at) {
    const auto& locks = session->waiting.at(at->second).locks;
    if (std::find(locks.begin(), locks.end(), change.lock) != locks.end())
      ids.push_back(at->second);
  }
  for (const RequestId id : ids) {
    Request& request = session->waiting.at(id);
    if (!is_open(request))
      refuse_deadlocked(request);
    else if (may_grant(request))
      grant(request);
  }
}

void Machine::refuse_deadlocked(Request& request) {
  if (request.terms.despite_deadlock || !tables_.unreported.empty()) return;
  if (const auto cycle = find_cycle(tables_, request))
    give_up(request, Error::would_deadlock, describe(tables_, *cycle));
}

bool Machine::is_open(const Lock& lock, const Request& request) const {
  const auto own = lock.holds.find(request.party);
  if (own != lock.holds.end()) {
    const Hold& hold = own->second;
    if (hold.is_over()) return false;
    if (hold.terms.mode == Mode::exclusive || request.mode() == Mode::shared) return true;
    return request.upgrade && lock.holds.size() == 1 && is_first(lock, request);
  }
  if (request.upgrade || is_gated_) return false;
  if (lock.slots > 1) return has_slot(lock, request);
  if (request.is_exclusive()) return lock.holds.empty() && is_first(lock, request);
  const bool is_kept_out =
      !lock.holds.empty() && tables_.keeps_out(lock.holds.begin()->second, request.mode());
  return !is_kept_out && !has_exclusive_ahead(lock, request);
}

bool Machine::is_open(const Request& request) const {
  return std::all_of(request.locks.begin(), request.locks.end(),
                     [&](const Lock* lock) { return is_open(*lock, request); });
}

bool Machine::may_grant(const Request& request) {
  if (!tables_.unreported.empty() || stalled_) return false;
  stalled_ = reserve_.value - next_fence_.value < request.locks.size();
  return !stalled_;
}

void Machine::grant(Request& request) {
  Session& session = *tables_.session(request.party.session);
  const Asker asker{&session, session.id, request.id};
  Grant grant;
  if (request.locks.size() > 1) grant.parts.reserve(request.locks.size());
  for (Lock* lock : request.locks) {
    const Grant::Part part = take(*lock, request);
    note_answer(lock->holds.at(request.party), asker);
    if (lock == request.locks.front()) grant.slot = part.slot;
    grant.fence = std::max(grant.fence, part.fence);
    if (request.locks.size() > 1) grant.parts.push_back(part);
  }
  const bool fast = request.terms.fast;
  if (session.waiting.contains(request.id)) {
    const Request granted = take_out(request);
    for (Lock* lock : granted.locks) {
      note_own(granted.party, *lock);
      const bool has_entered_again = lock->holds.at(granted.party).times > 1;
      if (has_entered_again) touch(*lock);  // its place in line was one for nothing
    }
  }
  answer(asker, Result{std::move(grant)}, fast);
}

Grant::Part Machine::take(Lock& lock, const Request& request) {
  const auto own = lock.holds.find(request.party);
  if (own != lock.holds.end()) {
    Hold& hold = own->second;
    if (!request.upgrade) {
      ++hold.times;
    } else if (hold.terms.mode == Mode::shared) {
      disarm(lock, hold);
      hold.terms.mode = Mode::exclusive;
      hold.fence = fresh_fence();
      arm(lock, hold);
    }
    return {hold.fence, hold.slot};
  }
  Hold taken{.party = request.party, .terms = request.terms.hold, .since = now_};
  taken.fence = lock.is_shared() ? lock.holds.begin()->second.fence : fresh_fence();
  if (lock.free_slots) taken.slot = lock.free_slots->lowest();
  const Grant::Part part{taken.fence, taken.slot};
  add_hold(lock, std::move(taken));
  return part;
}

FencingToken Machine::fresh_fence() {
  if (is_gated_) return opened_fence_;
  const FencingToken fence = next_fence_;
  ++next_fence_.value;
  return fence;
}

Request& Machine::enqueue(Session& session, Request request) {
  const RequestId id = request.id;
  Request& waiting = session.waiting.emplace(id, std::move(request)).first->second;
  session.waiting_of.emplace(waiting.party.owner, id);
  ++tables_.waiting;
  for (Lock* lock : waiting.locks) {
    lock->queue.emplace(waiting.key(), &waiting);
    if (waiting.is_exclusive()) ++lock->exclusive_waiting;
  }
  if (waiting.deadline)
    tables_.timers.insert({*waiting.deadline, Timer::Kind::wait, session.id, id.value, {}, {}});
  return waiting;
}

Request Machine::take_out(Request& request) {
  Session& session = *tables_.session(request.party.session);
  const RequestId id = request.id;
  for (Lock* lock : request.locks) {
    lock->queue.erase(request.key());
    if (request.is_exclusive()) --lock->exclusive_waiting;
  }
  if (request.deadline)
    tables_.timers.erase({*request.deadline, Timer::Kind::wait, session.id, id.value, {}, {}});
  session.waiting_of.erase({request.party.owner, id});
  --tables_.waiting;
  return std::move(session.waiting.extract(id).mapped());
}

void Machine::give_up(Request& request, Error error, std::string message) {
  Session& session = *tables_.session(request.party.session);
  const Asker asker{&session, session.id, request.id};
  const Request given_up = take_out(request);
  for (Lock* lock : given_up.locks) {
    touch(*lock);
    note_own(given_up.party, *lock);
  }
  answer(asker, error, std::move(message));
}

// The party has lost its shared hold, so its request to upgrade that hold fails.
void Machine::give_up_upgrade(Lock& lock, const Party& party, Error error) {
  for (auto at = lock.queue.begin(); at != lock.queue.end() && !at->first.ordinary;) {
    Request& request = *at->second;
    ++at;
    if (request.party == party) give_up(request, error);
  }
}

void Machine::add_hold(Lock& lock, Hold hold) {
  const Party party = hold.party;
  Hold& kept = lock.holds.emplace(party, std::move(hold)).first->second;
  tables_.session(party.session)->held.insert({party.owner, &lock});
  if (lock.free_slots) lock.free_slots->take(kept.slot);
  arm(lock, kept);
  if (lock.space == Namespace::election) tell_leader(Change::Kind::elect, lock, kept);
}

void Machine::let_go(Lock& lock, const Party& party) {
  const auto at = lock.holds.find(party);
  const Hold& hold = at->second;
  disarm(lock, hold);
  if (!hold.expired) {
    if (lock.space == Namespace::election) tell_leader(Change::Kind::resign, lock, hold);
    give_up_upgrade(lock, hold.party, Error::not_held);
    tables_.session(hold.party.session)->held.erase({hold.party.owner, &lock});
    note_own(hold.party, lock);
  }
  if (lock.free_slots) lock.free_slots->give_back(hold.slot);
  lock.holds.erase(at);
  touch(lock);
}

namespace {

std::optional<Timer> timer_of(Lock& lock, const Hold& hold) {
  const std::optional<Time> at = hold.is_over() ? hold.ends : hold.limit();
  if (!at) return std::nullopt;
  const auto& [session, owner] = hold.party;
  return Timer{*at, Timer::Kind::hold, session, owner.value, hold.fence, &lock};
}

}  // namespace

void Machine::arm(Lock& lock, const Hold& hold) {
  if (const auto timer = timer_of(lock, hold)) tables_.timers.insert(*timer);
}

void Machine::disarm(Lock& lock, const Hold& hold) {
  if (const auto timer = timer_of(lock, hold)) tables_.timers.erase(*timer);
}

Request* Machine::find_waiting(const QueueKey& key) {
  Session& session = *tables_.session(key.session);
  const auto found = session.waiting.find(key.request);
  return found == session.waiting.end() ? nullptr : &found->second;
}

// The state may grant again, after a crash or after it had run out of fencing tokens. It grants the
// waiting requests in order, then answers those that did not want to wait, and then refuses the
// deadlocked ones, the youngest first.
void Machine::resume() {
  if (!tables_.unreported.empty() || stalled_) return;
  std::set<QueueKey> line;
  for (const auto& [id, session] : tables_.sessions)
    for (const auto& [request, waiting] : session.waiting) line.insert(waiting.key());
  for (const QueueKey& key : line) {
    Request& request = *find_waiting(key);
    if (!is_open(request)) continue;
    if (!may_grant(request)) return;
    grant(request);
  }
  for (const QueueKey& key : line) {
    Request* request = find_waiting(key);
    if (request == nullptr || !request->once) continue;
    if (!is_open(*request))
      give_up(*request, Error::busy, busy_message(*request));
    else if (may_grant(*request))
      grant(*request);
  }
  for (auto key = line.rbegin(); key != line.rend(); ++key)
    if (Request* request = find_waiting(*key)) refuse_deadlocked(*request);
}

}  // namespace baton::service
