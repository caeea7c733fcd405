#include <algorithm>

#include "service/state/machine.h"

namespace baton::service {
namespace {

LockImage image_of(const Lock& lock) {
  LockImage image{lock.space, std::string(lock.name), lock.slots, {}};
  for (const auto& [party, hold] : lock.holds) image.holds.push_back(hold);
  return image;
}

SessionImage image_of(const Session& session, bool must_report) {
  SessionImage image{.id = session.id,
                     .terms = session.terms,
                     .since = session.since,
                     .ends = session.ends,
                     .confirmed = session.confirmed,
                     .must_report = must_report};
  for (const auto& [id, request] : session.waiting) image.waiting.push_back(request);
  image.answers.assign(session.answers.begin(), session.answers.end());
  image.endings = session.endings;
  return image;
}

}  // namespace

StateImage Machine::image() const {
  StateImage image{.now = now_,
                   .next_fence = next_fence_,
                   .reserve = reserve_,
                   .fence_floor = fence_floor_,
                   .joinable_from = tables_.joinable_from,
                   .next_ticket = next_ticket_,
                   .ticket_floor = ticket_floor_,
                   .next_session = next_session_,
                   .stalled = stalled_,
                   .revision = tables_.changes.last()};
  for (const auto& [id, session] : tables_.sessions)
    image.sessions.push_back(image_of(session, tables_.unreported.contains(session.id)));
  std::sort(image.sessions.begin(), image.sessions.end(),
            [](const SessionImage& a, const SessionImage& b) { return a.id < b.id; });
  for (const auto& table : tables_.locks)
    for (const auto& [name, lock] : table) image.locks.push_back(image_of(lock));
  std::sort(image.locks.begin(), image.locks.end(), [](const LockImage& a, const LockImage& b) {
    return std::tie(a.space, a.name) < std::tie(b.space, b.name);
  });
  for (const auto& [key, file] : tables_.files)
    image.files.push_back({key, file.value, file.version, file.revision, file.tied});
  image.changes = tables_.changes.kept();
  return image;
}

Machine::Machine(const StateImage& image)
    : now_(image.now),
      next_fence_(image.next_fence),
      reserve_(image.reserve),
      fence_floor_(image.fence_floor),
      next_ticket_(image.next_ticket),
      ticket_floor_(image.ticket_floor),
      next_session_(image.next_session),
      stalled_(image.stalled) {
  tables_.changes = Changes(image.revision, image.changes);
  tables_.joinable_from = image.joinable_from;
  for (const auto& session : image.sessions) restore(session);
  for (const auto& session : image.sessions)
    if (Session* outer = tables_.session(session.terms.within)) outer->inner.insert(session.id);
  for (const auto& lock : image.locks) restore(lock);
  for (const auto& session : image.sessions)
    for (const auto& waiting : session.waiting) restore(waiting);
  for (const auto& file : image.files) {
    tables_.files[file.key] = {file.value, file.version, file.revision, file.tied};
    tables_.file_bytes += file.key.size() + file.value.size();
    tie(file.key, no_session, file.tied);
  }
}

void Machine::restore(const SessionImage& image) {
  Session& session = tables_.sessions[image.id.value];
  session.id = image.id;
  session.terms = image.terms;
  session.since = image.since;
  session.ends = image.ends;
  session.confirmed = image.confirmed;
  session.answers.assign(image.answers.begin(), image.answers.end());
  session.endings = image.endings;
  tables_.nonces.emplace(image.terms.nonce, image.id);
  if (image.must_report) tables_.unreported.insert(image.id);
  if (session.is_over())
    tables_.timers.insert({session.ends, Timer::Kind::session, session.id, 0, {}, {}});
}

void Machine::restore(const LockImage& image) {
  Lock& lock = lock_at(image.space, image.name, image.slots);
  for (const Hold& hold : image.holds) {
    const auto& [session, owner] = hold.party;
    if (!hold.expired) tables_.session(session)->held.insert({owner, &lock});
    if (lock.free_slots) lock.free_slots->take(hold.slot);
    arm(lock, lock.holds.emplace(hold.party, hold).first->second);
  }
}

void Machine::restore(const WaitingRequest& image) {
  Request request{image};
  for (const auto& name : image.names)
    request.locks.push_back(&lock_at(image.space, name, image.terms.slots));
  enqueue(*tables_.session(image.party.session), std::move(request));
}

}  // namespace baton::service
