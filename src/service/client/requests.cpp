#include "service/client/requests.h"

#include <iterator>

#include "core/invariant.h"
#include "service/client/holds.h"

namespace baton::client {

namespace {

// A report says so by leaving the hold out.
bool lets_go(const proto::Request& request) {
  return request.has_release() || request.has_downgrade() || request.has_acknowledge();
}

bool may_be_undone(const proto::Request& request) {
  return request.has_upgrade() || request.has_proclaim();
}

}  // namespace

proto::Request cancel_of(std::uint64_t waiting) {
  proto::Request message;
  message.mutable_cancel()->set_waiting(waiting);
  return message;
}

void Requests::confirm(proto::Request& request) const {
  const std::uint64_t first = all_.begin()->first;
  invariant(first <= request.request(), "a request confirms its own answer");
  request.set_confirmed(first);
}

const proto::ClientMessage& Requests::add(proto::Request&& request, Replied&& done,
                                          std::shared_ptr<HeldLock>&& hold, Micros now) {
  const std::uint64_t id = next_++;
  Pending& pending = all_[id];
  pending.done = std::move(done);
  pending.hold = std::move(hold);
  pending.made = now;
  *pending.message.mutable_request() = std::move(request);
  pending.message.mutable_request()->set_request(id);
  confirm(*pending.message.mutable_request());
  return pending.message;
}

Pending Requests::take(std::uint64_t id) {
  auto taken = all_.extract(id);
  invariant(!taken.empty(), "a request was answered twice");
  return std::move(taken.mapped());
}

void Requests::hear(const proto::Queued& queued) {
  const auto found = all_.find(queued.request());
  if (found != all_.end()) found->second.ticket = queued.ticket();
}

void Requests::report(const Holds& holds, Micros now, Outbox& out) {
  proto::Request message;
  proto::Reclaim& reclaim = *message.mutable_reclaim();
  std::vector<Replied> answered;
  std::vector<Pending> anew;
  for (auto at = all_.begin(); at != all_.end();) {
    Pending& pending = at->second;
    const proto::Request& request = pending.asked();
    if (request.has_downgrade()) pending.hold->is_shared = true;
    if (request.has_acquire()) {
      auto& waiting = *reclaim.add_waiting();
      waiting.set_request(at->first);
      waiting.set_ticket(pending.ticket);
      *waiting.mutable_acquire() = request.acquire();
    }
    const bool is_answered = lets_go(request) || request.has_reclaim();
    const bool is_made_anew = may_be_undone(request);
    if (is_answered) answered.push_back(std::move(pending.done));
    if (is_made_anew) anew.push_back(std::move(pending));
    at = is_answered || is_made_anew ? all_.erase(at) : std::next(at);
  }
  holds.describe(reclaim);
  // It goes out first, before what is repeated.
  out.send(add(
      std::move(message),
      [answered = std::move(answered)](const Result<proto::Reply>& reply) {
        for (const Replied& done : answered)
          if (done) done(reply);
      },
      {}, now));
  for (Pending& again : anew)
    add(std::move(*again.message.mutable_request()), std::move(again.done), std::move(again.hold),
        now);
}

void Requests::repeat(bool has_reported, Outbox& out) {
  for (auto at = all_.begin(); at != all_.end();) {
    Pending& pending = at->second;
    const bool is_report = pending.asked().has_reclaim();
    if (is_report && !has_reported) {
      // The server does not ask for a report again: this one has arrived.
      out.answer(pending.done, proto::Reply());
      at = all_.erase(at);
      continue;
    }
    if (!is_report) {
      confirm(*pending.message.mutable_request());
      out.send(pending.message);
    }
    ++at;
  }
}

std::vector<std::uint64_t> Requests::give_up_overdue(Micros now, Outbox& out) {
  constexpr Micros grace = 1'000'000;
  std::vector<std::uint64_t> overdue;
  for (auto& [id, pending] : all_) {
    const proto::Request& request = pending.asked();
    const bool has_deadline = request.has_acquire() && request.acquire().has_wait();
    if (!pending.done || !has_deadline || now - pending.made - grace < request.acquire().wait())
      continue;
    out.answer(pending.done, Failure{Error::timed_out, "no server has answered"});
    overdue.push_back(id);
  }
  return overdue;
}

// --- Reads --------------------------------------------------------------------------------------

const proto::ClientMessage& Reads::add(proto::Read read, Answered done, Micros now) {
  const std::uint64_t number = next_++;
  Reading& reading = all_[number];
  reading.done = std::move(done);
  reading.made = now;
  *reading.message.mutable_read() = std::move(read);
  reading.message.mutable_read()->set_number(number);
  return reading.message;
}

void Reads::hear(proto::Answer& answer, Outbox& out) {
  const auto found = all_.find(answer.number());
  if (found == all_.end()) return;
  Reading& reading = found->second;
  if (answer.error() != 0) {
    out.answer(reading.done, Failure{error_of(answer.error()), answer.message()});
    all_.erase(found);
    return;
  }
  proto::Answer& so_far = reading.so_far;
  // Of a list in parts the first revision counts: a watch after it misses nothing.
  const std::uint64_t revision = so_far.revision() != 0 ? so_far.revision() : answer.revision();
  const bool is_last = !answer.more();
  so_far.MergeFrom(answer);
  so_far.set_revision(revision);
  if (!is_last) return;
  age_ = so_far.age();
  out.answer(reading.done, std::move(so_far));
  all_.erase(found);
}

void Reads::repeat(Outbox& out) {
  for (auto& [number, reading] : all_) {
    reading.so_far.Clear();
    out.send(reading.message);
  }
}

}  // namespace baton::client
