#include "service/state/machine.h"

#include <algorithm>
#include <utility>

namespace baton::service {
namespace {

// A broken session may still release, acknowledge and close.
bool is_clearing_up(const Command& command) {
  return std::holds_alternative<CloseSession>(command.what) ||
         std::holds_alternative<Release>(command.what) ||
         std::holds_alternative<Acknowledge>(command.what);
}

bool is_servers_own(const Command& command) {
  return std::holds_alternative<Tick>(command.what) || std::holds_alternative<Lead>(command.what) ||
         std::holds_alternative<Reserve>(command.what) ||
         std::holds_alternative<ExpireSession>(command.what) ||
         std::holds_alternative<OpenSession>(command.what) ||
         std::holds_alternative<Open>(command.what) ||
         std::holds_alternative<Revoke>(command.what) ||
         std::holds_alternative<Elsewhere>(command.what);
}

// Some commands need no session: those of operators, those of the server itself, and writes of
// files that are not tied to a session.
bool needs_session(const Command& command) {
  if (const auto* put = std::get_if<Put>(&command.what))
    return put->tied && put->tied_to == no_session;
  return !is_servers_own(command) && !std::holds_alternative<Remove>(command.what) &&
         !std::holds_alternative<Break>(command.what) &&
         !std::holds_alternative<BreakSession>(command.what);
}

auto place_of(std::deque<Reply>& answers, RequestId request) {
  return std::lower_bound(answers.begin(), answers.end(), request,
                          [](const Reply& reply, RequestId id) { return reply.request < id; });
}

Reply* find_answer(Session& session, RequestId request) {
  auto& answers = session.answers;
  const auto is_it = [&](const Reply& reply) { return reply.request == request; };
  const auto found = session.confirms() ? place_of(answers, request)
                                        : std::find_if(answers.begin(), answers.end(), is_it);
  return found != answers.end() && is_it(*found) ? &*found : nullptr;
}

bool is_kept(const Session& session, RequestId request) {
  return session.confirms() || request < first_unrepeated;
}

void keep(Session& session, const Reply& reply) {
  if (!is_kept(session, reply.request)) return;
  auto& answers = session.answers;
  if (!session.confirms()) {
    answers.push_back(reply);
    if (answers.size() > session.terms.latest_answers) answers.pop_front();
  } else if (answers.empty() || answers.back().request < reply.request) {
    answers.push_back(reply);
  } else {
    answers.insert(place_of(answers, reply.request), reply);
  }
}

}  // namespace

void Machine::apply(const Command& command, Effects& effects) {
  effects_ = &effects;
  now_ = std::max(now_, command.now);
  bring_about_due();
  serve(command);
  settle();
  effects_ = nullptr;
}

void Machine::bring_about_due() {
  while (!tables_.timers.empty() && tables_.timers.begin()->at <= now_) {
    const Timer timer = *tables_.timers.begin();
    tables_.timers.erase(tables_.timers.begin());
    bring_about(timer);
    settle();
  }
}

void Machine::bring_about(const Timer& timer) {
  switch (timer.kind) {
    case Timer::Kind::wait: {
      Session& session = *tables_.session(timer.session);
      Request& request = session.waiting.at(RequestId{timer.id});
      if (request.once)
        give_up(request, Error::busy, quoted(request.locks.front()->name) + " is in use elsewhere");
      else
        give_up(request, Error::timed_out);
      return;
    }
    case Timer::Kind::hold: {
      Hold& hold = timer.lock->holds.at({timer.session, OwnerId{timer.id}});
      if (hold.is_over())
        let_go(*timer.lock, hold.party);
      else
        tell_over(*timer.lock, hold, "it was held for as long as allowed");
      return;
    }
    case Timer::Kind::session:
      end(*tables_.session(timer.session), End::expired, "it was broken");
      return;
  }
}

void Machine::serve(const Command& command) {
  Asker asker{nullptr, command.session, command.request};
  if (command.session != no_session) {
    asker.session = tables_.session(command.session);
    if (asker.session == nullptr) return answer(asker, Error::session_lost);
    confirm(*asker.session, command.confirmed);
    if (is_repeated(asker) || !may_go_on(asker, command)) return;
  } else if (needs_session(command)) {
    return answer(asker, Error::bad_request, "this needs a session");
  }
  if (is_gated_)
    if (const auto refusal = refuse_in_gated(command)) return answer(asker, *refusal);
  std::visit([&](const auto& what) { carry_out(asker, what); }, command.what);
}

// The client retries a request. If the state has answered it, it sends the same answer again; if
// the request waits, it keeps waiting.
bool Machine::is_repeated(const Asker& asker) {
  if (asker.request.value == 0) return false;
  Session& session = *asker.session;
  if (const Reply* kept = find_answer(session, asker.request)) {
    effects_->push_back(*kept);
    return true;
  }
  const auto waiting = session.waiting.find(asker.request);
  if (waiting != session.waiting.end()) {
    effects_->push_back(Queued{session.id, asker.request, waiting->second.ticket});
    return true;
  }
  return false;
}

// The session does not keep these refusals: they change nothing, and a retry is refused again.
bool Machine::may_go_on(const Asker& asker, const Command& command) {
  const Session& session = *asker.session;
  const auto refuse_now = [&](Error error, std::string message) {
    send(nullptr, {.session = asker.id,
                   .request = asker.request,
                   .error = error,
                   .message = std::move(message)});
    return false;
  };
  if (is_servers_own(command)) return refuse_now(Error::bad_request, "not for clients");
  if (asker.request.value != 0 && asker.request < session.confirmed)
    return refuse_now(Error::bad_request, "its answer has already been confirmed");
  if (session.is_over() && !is_clearing_up(command))
    return refuse_now(Error::session_lost, "it was broken");
  if (session.confirms() && session.answers.size() >= most_unconfirmed && !is_clearing_up(command))
    return refuse_now(Error::too_many, "too many answers are unconfirmed");
  return true;
}

void Machine::confirm(Session& session, RequestId confirmed) {
  if (confirmed <= session.confirmed || !session.confirms()) return;
  session.confirmed = confirmed;
  while (!session.answers.empty() && session.answers.front().request < confirmed)
    session.answers.pop_front();
}

void Machine::answer(const Asker& asker, Error error, std::string message) {
  send(asker.session, {.session = asker.id,
                       .request = asker.request,
                       .error = error,
                       .message = std::move(message)});
}

void Machine::answer(const Asker& asker, const Refusal& refusal) {
  answer(asker, refusal.error, refusal.message);
}

void Machine::answer(const Asker& asker, Result result, bool fast) {
  send(asker.session,
       {.session = asker.id, .request = asker.request, .result = std::move(result), .fast = fast});
}

// Sends the reply; the session, if there is one, keeps it for retries.
void Machine::send(Session* session, Reply reply) {
  if (reply.request.value == 0) return;
  if (session != nullptr) keep(*session, reply);
  effects_->push_back(std::move(reply));
}

// Notes that the session keeps an answer that grants this hold, so that take_back_answers() finds
// it. Drops the numbers of answers that the session no longer keeps.
void Machine::note_answer(Hold& hold, const Asker& asker) {
  const Session& session = *asker.session;
  if (asker.request.value == 0 || !is_kept(session, asker.request)) return;
  auto& requests = hold.requests;
  if (session.confirms())
    std::erase_if(requests, [&](RequestId request) { return request < session.confirmed; });
  else if (requests.size() >= session.terms.latest_answers)
    requests.erase(requests.begin());
  requests.push_back(asker.request);
}

// The hold ends against its holder's will. If the client has not received the grant yet, a retry
// must not be told of a grant that is over: the kept answer becomes `lock_lost`. The answer keeps
// the other parts of a grant of several names, so that the client knows which of them it has to
// release.
void Machine::take_back_answers(const Lock& lock, Hold& hold, const std::string& reason) {
  Session& session = *tables_.session(hold.party.session);
  for (const RequestId request : std::exchange(hold.requests, {})) {
    Reply* kept = find_answer(session, request);
    auto* grant = kept == nullptr ? nullptr : std::get_if<Grant>(&kept->result);
    if (grant == nullptr) continue;
    for (Grant::Part& part : grant->parts)
      if (part.fence == hold.fence) part.fence = {};
    if (kept->error != Error::none) continue;
    kept->error = Error::lock_lost;
    kept->message = quoted(lock.name) + ": " + reason;
    kept->fast = false;
  }
}

void Machine::carry_out(const Asker& asker, const Tick&) { answer(asker, Error::none); }

// A new leader begins. All fencing tokens that earlier leaders gave out are below the reserve.
// Tickets continue above all that a crash may have lost.
void Machine::carry_out(const Asker& asker, const Lead& lead) {
  next_fence_ = std::max({next_fence_, lead.fences_from, reserve_});
  reserve_ = next_fence_;
  fence_floor_ = next_fence_;
  next_ticket_ = std::max(next_ticket_, lead.fences_from.value);
  ticket_floor_ = next_ticket_;
  is_gated_ = lead.gated;
  if (lead.after_crash)
    for (const auto& [id, session] : tables_.sessions)
      if (session.terms.fast) tables_.unreported.insert(SessionId{id});
  if (lead.after_crash && !tables_.unreported.empty()) tables_.joinable_from = fence_floor_;
  answer(asker, Error::none);
}

void Machine::carry_out(const Asker& asker, const Reserve& reserve) {
  reserve_ = std::max(reserve_, reserve.below);
  if (stalled_) {
    stalled_ = false;
    resume();
  }
  answer(asker, Error::none);
}

}  // namespace baton::service
