// The core's requests, reads and watches.
#include <boost/asio/post.hpp>
#include <iterator>

#include "service/client/core.h"

namespace baton::client {

namespace {

// As many answers as the server keeps for one session.
constexpr std::size_t most_pending = 10'000;

}  // namespace

bool is_elsewhere(Error error) {
  return error == Error::shutting_down || error == Error::not_leader || error == Error::unavailable;
}

Error error_of(std::uint32_t number) {
  return number > 255 ? Error::internal : static_cast<Error>(number);
}

// --- Requests -----------------------------------------------------------------------------------

std::uint64_t Core::confirmed() const {
  return pending_.empty() ? next_request_ : pending_.begin()->first;
}

std::uint64_t Core::request(proto::Request request, Replied done, std::shared_ptr<HeldLock> hold) {
  std::unique_lock lock(mutex_);
  if (is_closed_) {
    lock.unlock();
    done(why_lost_);
    return 0;
  }
  woken();
  const std::uint64_t id = add_request(std::move(request), std::move(done), std::move(hold));
  flush();
  wake();
  return id;
}

std::uint64_t Core::add_request(proto::Request request, Replied done,
                                std::shared_ptr<HeldLock> hold) {
  const Failure refusal = is_lost_ ? why_lost_
                          : pending_.size() >= most_pending
                              ? Failure{Error::too_many, "too many requests are unanswered"}
                              : Failure{Error::none, {}};
  if (refusal.error != Error::none) {
    calls_.push_back([done = std::move(done), refusal] { done(refusal); });
    return 0;
  }
  const std::uint64_t id = next_request_++;
  Pending& pending = pending_[id];
  pending.done = std::move(done);
  pending.hold = std::move(hold);
  pending.made = boottime_us();
  *pending.message.mutable_request() = std::move(request);
  pending.message.mutable_request()->set_request(id);
  if (phase_ == Phase::ready) send(pending);
  return id;
}

void Core::send(Pending& pending) {
  pending.message.mutable_request()->set_confirmed(confirmed());
  link_.write(pending.message);
}

void Core::cancel(std::uint64_t request) {
  const std::lock_guard lock(mutex_);
  if (is_closed_ || !pending_.contains(request)) return;
  proto::Request cancel;
  cancel.mutable_cancel()->set_waiting(request);
  add_request(std::move(cancel), [](const Result<proto::Reply>&) {}, {});
  flush();
  wake();
}

void Core::hear(proto::Reply& reply) {
  if (reply.request() == opening_request_) return hear_opened(reply);
  const auto found = pending_.find(reply.request());
  if (found == pending_.end()) return;
  if (reply.has_granted() && lease_ && !lease_->has_lease({boottime_us()})) {
    // It may be another's already. The lease comes first; then the answer is asked for again.
    return link_.drop("a grant came before the lease");
  }
  const Error error = error_of(reply.error());
  if (session_ != 0 && is_elsewhere(error)) return link_.drop(reply.message());
  Pending pending = std::move(found->second);
  pending_.erase(found);
  if (error == Error::session_lost) {
    calls_.push_back([done = std::move(pending.done), failure = Failure{error, reply.message()}] {
      done(failure);
    });
    return lose({error, reply.message()});
  }
  if (error != Error::none) {
    const proto::Request& request = pending.message.request();
    if (request.has_acquire() && reply.has_granted()) give_back(request.acquire(), reply.granted());
    calls_.push_back([done = std::move(pending.done), failure = Failure{error, reply.message()}] {
      done(failure);
    });
    return;
  }
  granted(pending, reply);
  calls_.push_back([done = std::move(pending.done), reply = std::move(reply)] { done(reply); });
}

void Core::hear(const proto::Queued& queued) {
  const auto found = pending_.find(queued.request());
  if (found != pending_.end()) found->second.ticket = queued.ticket();
}

// --- Reads --------------------------------------------------------------------------------------

void Core::read(proto::Read read, Answered done) {
  std::unique_lock lock(mutex_);
  if (is_closed_) {
    lock.unlock();
    done(why_lost_);
    return;
  }
  woken();
  if (is_lost_) {
    calls_.push_back([done = std::move(done), why = why_lost_] { done(why); });
    return wake();
  }
  const std::uint64_t number = next_number_++;
  Reading& reading = readings_[number];
  reading.done = std::move(done);
  reading.made = boottime_us();
  *reading.message.mutable_read() = std::move(read);
  reading.message.mutable_read()->set_number(number);
  reading.message.mutable_read()->set_stale(options_.stale);
  if (phase_ == Phase::ready) link_.write(reading.message);
  flush();
}

void Core::hear(proto::Answer& answer) {
  const auto found = readings_.find(answer.number());
  if (found == readings_.end()) return;
  Reading& reading = found->second;
  if (answer.error() != 0) {
    calls_.push_back(
        [done = std::move(reading.done),
         failure = Failure{error_of(answer.error()), answer.message()}] { done(failure); });
    readings_.erase(found);
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
  calls_.push_back([done = std::move(reading.done), whole = std::move(so_far)] { done(whole); });
  readings_.erase(found);
}

// --- Watches ------------------------------------------------------------------------------------

std::uint64_t Core::watch(WatchRequest request) {
  const std::lock_guard lock(mutex_);
  if (is_lost_) {
    if (request.ended)
      calls_.push_back([ended = std::move(request.ended), why = why_lost_] { ended(why); });
    wake();
    return 0;
  }
  const std::uint64_t number = next_number_++;
  if (phase_ == Phase::ready) {
    proto::ClientMessage message;
    proto::Watch& watch = *message.mutable_watch();
    watch.set_number(number);
    watch.set_space(request.space);
    watch.set_prefix(request.prefix);
    watch.set_after(request.after);
    link_.write(message);
  }
  watches_.emplace(number, std::move(request));
  flush();
  return number;
}

void Core::unwatch(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  if (watches_.erase(number) == 0 || phase_ != Phase::ready) return;
  proto::ClientMessage message;
  message.mutable_unwatch()->set_number(number);
  link_.write(message);
  flush();
}

void Core::hear(const proto::Changes& changes) {
  const auto found = watches_.find(changes.number());
  if (found == watches_.end()) return;
  WatchRequest& watch = found->second;
  if (changes.error() != 0) {
    if (watch.ended)
      calls_.push_back(
          [ended = std::move(watch.ended),
           failure = Failure{error_of(changes.error()), changes.message()}] { ended(failure); });
    watches_.erase(found);
    return;
  }
  for (const proto::Change& change : changes.changes()) {
    // After a reconnect some may come again.
    if (change.revision() <= watch.after) continue;
    watch.after = change.revision();
    calls_.push_back([changed = watch.changed, change] { changed(change); });
  }
  watch.after = std::max(watch.after, changes.revision());
}

}  // namespace baton::client
