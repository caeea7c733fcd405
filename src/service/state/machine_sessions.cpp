#include "service/state/machine.h"

namespace baton::service {

void Machine::carry_out(const Asker& asker, const OpenSession& open) {
  if (const auto refusal = refuse(open)) return answer(asker, *refusal);
  const auto known = tables_.nonces.find(open.nonce);
  if (known != tables_.nonces.end()) {
    const Session& session = *tables_.session(known->second);
    return answer(asker, Result{Opened{session.id, session.terms.ttl}});
  }
  if (tables_.sessions.size() >= most_sessions)
    return answer(asker, Error::too_many, "there are too many sessions");
  const SessionId id{next_session_++};
  Session& session = tables_.sessions[id.value];
  session.id = id;
  session.terms = open;
  session.since = now_;
  Session* outer = open.within == id ? nullptr : tables_.session(open.within);
  if (outer != nullptr)
    outer->inner.insert(id);
  else
    session.terms.within = no_session;
  tables_.nonces.emplace(open.nonce, id);
  answer(asker, Result{Opened{id, open.ttl}});
}

void Machine::carry_out(const Asker& asker, const CloseSession&) {
  end(*asker.session, End::closed, "it was closed");
  answer({nullptr, asker.id, asker.request}, Error::none);
}

void Machine::carry_out(const Asker& asker, const ExpireSession& expire) {
  Session* session = tables_.session(expire.session);
  if (session == nullptr) return answer(asker, Error::not_found);
  end(*session, End::expired, "its lease has run out");
  answer(asker, Error::none);
}

void Machine::carry_out(const Asker& asker, const BreakSession& breaking) {
  Session* session = tables_.session(breaking.session);
  if (session == nullptr) return answer(asker, Error::not_found);
  if (breaking.force) {
    const bool is_own = session == asker.session;
    end(*session, End::broken, "it was broken by an operator, by force");
    return answer({is_own ? nullptr : asker.session, asker.id, asker.request}, Error::none);
  }
  answer(asker, Error::none);
  if (session->is_over()) return;
  session->ends = now_ + session->terms.ttl;
  tables_.timers.insert({session->ends, Timer::Kind::session, session->id, 0, {}, {}});
  effects_->push_back(SessionOver{session->id, "it was broken by an operator"});
  give_up_all(*session, "it was broken by an operator");
}

void Machine::give_up_all(Session& session, const std::string& reason) {
  while (!session.waiting.empty())
    give_up(session.waiting.begin()->second, Error::session_lost, reason);
}

// The session gives up all its holds, requests and tied files at once. The state grants nothing to
// others before all of that is done.
void Machine::end(Session& session, End how, const std::string& reason) {
  give_up_all(session, reason);
  while (!session.held.empty()) end_hold(session, *session.held.begin(), how);
  while (!session.tied.empty()) remove_file(std::string(*session.tied.begin()));
  if (session.is_over())
    tables_.timers.erase({session.ends, Timer::Kind::session, session.id, 0, {}, {}});
  else if (how != End::closed)
    effects_->push_back(SessionOver{session.id, reason});
  for (const SessionId inner : session.inner) tables_.session(inner)->terms.within = no_session;
  if (Session* outer = tables_.session(session.terms.within)) outer->inner.erase(session.id);
  const SessionId id = session.id;
  tables_.nonces.erase(session.terms.nonce);
  tables_.sessions.erase(id.value);
  end_recovery_of(id);
}

void Machine::end_hold(Session& session, const HoldKey& key, End how) {
  if (how == End::expired && session.terms.lock_delay.value > 0)
    close_for_a_while(session, HoldKey(key));
  else
    let_go(*key.lock, {session.id, key.owner});
}

// The lock-delay: the expired hold excludes the same requests as before until the delay is over.
void Machine::close_for_a_while(Session& session, const HoldKey& key) {
  Lock& lock = *key.lock;
  Hold& hold = lock.holds.at({session.id, key.owner});
  disarm(lock, hold);
  if (lock.space == Namespace::election) tell_leader(Change::Kind::resign, lock, hold);
  hold.ends = now_ + session.terms.lock_delay;
  hold.expired = true;
  session.held.erase(key);
  arm(lock, hold);
}

void Machine::end_recovery_of(SessionId id) {
  if (tables_.unreported.erase(id) > 0 && tables_.unreported.empty()) resume();
}

}  // namespace baton::service
