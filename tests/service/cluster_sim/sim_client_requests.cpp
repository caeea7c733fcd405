// What a client asks for, and what it does with its session.
#include <algorithm>
#include <utility>

#include "service/cluster_sim/sim_client.h"
#include "service/cluster_sim/sim_server.h"

namespace baton::cluster_sim {

namespace {

bool is_elsewhere(Error error) {
  return error == Error::shutting_down || error == Error::not_leader || error == Error::unavailable;
}

}  // namespace

// --- Requests -----------------------------------------------------------------------------------

std::uint64_t SimClient::confirmed() const {
  return pending_.empty() ? next_request_ : pending_.begin()->first;
}

std::uint64_t SimClient::add_request(proto::Request request) {
  const std::uint64_t id = next_request_++;
  Pending& pending = pending_[id];
  *pending.message.mutable_request() = std::move(request);
  pending.message.mutable_request()->set_request(id);
  if (phase_ == Phase::ready) send(pending);
  return id;
}

void SimClient::send(Pending& pending) {
  ++pending.times_sent;
  pending.message.mutable_request()->set_confirmed(confirmed());
  wire_->say(pending.message);
}

void SimClient::hear(const proto::Reply& reply) {
  if (reply.request() == opening_request_) return hear_opened(reply);
  const auto found = pending_.find(reply.request());
  if (found == pending_.end()) return;
  const bool needs_lease = scene_.omitted_by_clients != service::LeaseRule::grant_under_lease;
  if (reply.has_granted() && needs_lease && !has_lease()) {
    return drop("a grant came before the lease");
  }
  const Error error = error_of(reply.error());
  if (is_elsewhere(error)) return drop(reply.message());
  if (error == Error::session_lost) return lose(reply.message());
  if (error != Error::none) {
    const Pending pending = std::move(found->second);
    pending_.erase(found);
    return refused(pending, reply);
  }
  if (reply.has_granted()) {
    return granted(proto::Request(found->second.message.request()), reply);
  }
  const proto::Request request = found->second.message.request();
  pending_.erase(found);
  answered(request, reply);
}

void SimClient::granted(const proto::Request& request, const proto::Reply& reply) {
  const std::uint64_t ticket = pending_.at(request.request()).ticket;
  pending_.erase(request.request());
  entry_ = {.name = request.acquire().names(0),
            .is_shared = request.acquire().mode() == proto::SHARED,
            .fence = reply.granted().fence()};
  scene_.note("client {} is in '{}'{} with fence {}, by server {}", plan_.number, entry_.name,
              entry_.is_shared ? " (shared)" : "", entry_.fence, wire_->server().url());
  job_ = Job::held;
  if (asked_at_us_ >= counted_from_us_) ++grants_;
  judge_.entered(*this, entry_, ticket);
  const bool is_long = !is_finishing_ && scene_.one_in(6);
  const std::int64_t longest_us = is_long ? 6 * plan_.longest_hold_us : plan_.longest_hold_us;
  in_session(scene_.between(plan_.least_hold_us, longest_us), &SimClient::let_go);
}

void SimClient::answered(const proto::Request& request, const proto::Reply& reply) {
  const bool ends_release = request.has_release() || request.has_reclaim();
  const bool is_release_pending =
      std::any_of(pending_.begin(), pending_.end(),
                  [](const auto& one) { return one.second.message.request().has_release(); });
  if (ends_release && job_ == Job::released && !is_release_pending) {
    job_ = Job::none;
    ask_later();
  }
  if (request.has_put()) {
    is_counting_ = false;
    judge_.counted(*this, version_, reply.stored().version());
    version_ = reply.stored().version();
    count_later();
  }
}

void SimClient::refused(const Pending& pending, const proto::Reply& reply) {
  const proto::Request& request = pending.message.request();
  const Error error = error_of(reply.error());
  if (request.has_acquire() && error == Error::timed_out) {
    job_ = Job::none;
    return ask_later();
  }
  if (request.has_put() && error == Error::conflict) {
    is_counting_ = false;
    knows_version_ = false;
    return count_later();
  }
  if (request.has_acknowledge()) return;
  // A leader that has died may have let the next one in without a record of the release; who then
  // reports what it was granted takes the place of this one.
  if (request.has_release() && error == Error::not_held && pending.times_sent > 1) {
    job_ = Job::none;
    return ask_later();
  }
  scene_.wrong("client {} was refused by server {}: {} ({})", plan_.number, wire_->server().url(),
               request.ShortDebugString(), reply.message());
}

void SimClient::hear(const proto::HoldOver& over) {
  if (job_ == Job::held && entry_.name == over.name() && entry_.fence <= over.fence()) {
    scene_.wrong("client {} was told by server {} that it does not hold '{}' any more: {}",
                 plan_.number, wire_->server().url(), over.name(), over.reason());
  }
  proto::Request message;
  proto::Acknowledge& acknowledge = *message.mutable_acknowledge();
  acknowledge.set_space(over.space());
  acknowledge.set_name(over.name());
  acknowledge.set_owner(over.owner());
  acknowledge.set_fence(over.fence());
  add_request(std::move(message));
}

// --- What it does -------------------------------------------------------------------------------

void SimClient::in_session(std::int64_t us, void (SimClient::*what)()) {
  later(us, [this, what, life = life_] {
    if (life != life_) return;
    woken();
    if (life == life_) (this->*what)();
  });
}

void SimClient::ask_later() {
  if (!is_finishing_) in_session(scene_.between(0, plan_.longest_pause_us), &SimClient::ask);
}

void SimClient::ask() {
  if (is_finishing_ || job_ != Job::none) return;
  job_ = Job::asked;
  asked_at_us_ = now_us();
  proto::Request message;
  proto::Acquire& acquire = *message.mutable_acquire();
  acquire.add_names(plan_.names[scene_.below(plan_.names.size())]);
  if (plan_.shares && scene_.one_in(3)) acquire.set_mode(proto::SHARED);
  if (scene_.one_in(8)) acquire.set_wait(scene_.between(0, 1'000'000));
  acquire.set_fast(plan_.is_fast);
  add_request(std::move(message));
}

void SimClient::let_go() {
  if (job_ != Job::held) return;
  scene_.note("client {} leaves '{}'", plan_.number, entry_.name);
  judge_.left(*this);
  job_ = Job::released;
  proto::Request message;
  message.mutable_release()->add_names(entry_.name);
  add_request(std::move(message));
}

void SimClient::count_later() {
  if (!is_finishing_) in_session(scene_.between(20'000, 400'000), &SimClient::count);
}

void SimClient::count() {
  if (is_finishing_ || is_counting_) return;
  is_counting_ = true;
  if (!knows_version_ || scene_.one_in(3)) {
    reading_ = next_reading_++;
    least_version_ = judge_.most_counted();
    if (phase_ == Phase::ready) read();
    return;
  }
  proto::Request message;
  message.mutable_put()->set_key(counted_file);
  message.mutable_put()->set_value(std::to_string(version_ + 1));
  message.mutable_put()->set_version(version_);
  add_request(std::move(message));
}

void SimClient::read() {
  proto::ClientMessage message;
  message.mutable_read()->set_number(reading_);
  message.mutable_read()->mutable_files()->set_key(counted_file);
  wire_->say(message);
}

void SimClient::hear(const proto::Answer& answer) {
  if (answer.number() != reading_) return;
  reading_ = 0;
  is_counting_ = false;
  const bool is_there = answer.files_size() > 0;
  version_ = is_there ? answer.files(0).version() : 0;
  knows_version_ = true;
  judge_.read(*this, least_version_, version_, is_there ? answer.files(0).value() : "");
  count_later();
}

}  // namespace baton::cluster_sim
