#include "service/cluster_sim/sim_client.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "service/cluster_sim/sim_server.h"
#include "service/state/versions.h"

namespace baton::cluster_sim {

namespace {

constexpr std::int64_t shortest_wait_us = 10'000;  // before the next connection
constexpr std::int64_t longest_wait_us = 1'000'000;

}  // namespace

SimClient::SimClient(Scene& scene, Judge& judge, const ClientPlan& plan,
                     std::function<std::shared_ptr<Wire>(SimClient&, std::size_t)> connect,
                     std::size_t servers)
    : Process(scene.timeline, plan.clock),
      scene_(scene),
      judge_(judge),
      plan_(plan),
      connect_(std::move(connect)),
      servers_(servers),
      next_server_(static_cast<std::size_t>(plan.number)) {}

// --- Beginning and end --------------------------------------------------------------------------

void SimClient::begin() {
  ++life_;
  epoch_ = session_ = 0;
  nonce_.clear();
  lease_.reset();
  is_lost_ = false;
  asked_us_.clear();
  keep_alives_.clear();
  next_request_ = 1;
  pending_.clear();
  job_ = Job::none;
  is_counting_ = knows_version_ = false;
  reading_ = 0;
  failures_ = 0;
  preferred_.reset();
  connect();
}

void SimClient::die() {
  scene_.note("client {} dies", plan_.number);
  if (job_ == Job::held) judge_.left(*this);
  if (wire_) std::exchange(wire_, nullptr)->hang_up_by_client();
  forget_everything();
  later(scene_.between(1000, 300'000), [this] { begin(); });
}

// For ever; then a new session is opened, as a program that is started again would.
void SimClient::lose(const std::string& why) {
  if (is_lost_) return;
  scene_.note("client {} loses its session {}: {}", plan_.number, session_, why);
  is_lost_ = true;
  ++life_;
  if (job_ == Job::held) judge_.left(*this);
  job_ = Job::none;
  if (wire_) std::exchange(wire_, nullptr)->hang_up_by_client();
  ++attempt_;
  phase_ = Phase::away;
  later(scene_.between(1000, 300'000), [this] { begin(); });
}

bool SimClient::is_idle() const {
  return is_finishing_ && job_ == Job::none && pending_.empty() && !is_counting_ && !is_lost_;
}

bool SimClient::has_lease() const { return lease_ && lease_->has_lease(clock()); }

void SimClient::count_grants_from_now_on() {
  counted_from_us_ = now_us();
  grants_ = 0;
}

std::optional<SimClient::Waiting> SimClient::waiting() const {
  for (const auto& [id, pending] : pending_) {
    const proto::Request& request = pending.message.request();
    if (!request.has_acquire()) continue;
    return Waiting{.name = request.acquire().names(0),
                   .ticket = pending.ticket,
                   .is_exclusive = request.acquire().mode() == proto::EXCLUSIVE,
                   .is_patient = !request.acquire().has_wait()};
  }
  return std::nullopt;
}

// --- The connection -----------------------------------------------------------------------------

void SimClient::connect() {
  std::size_t server = next_server_ % servers_;
  if (preferred_) {
    server = *std::exchange(preferred_, std::nullopt);
  } else {
    ++next_server_;
  }
  is_settled_ = false;
  phase_ = Phase::away;
  wire_ = connect_(*this, server);
  wire_->connect();
  proto::ClientMessage message;
  message.mutable_hello()->set_protocol(service::protocol_version);
  wire_->say(message);
  const std::int64_t patience_us = std::clamp<std::int64_t>(plan_.ttl_us / 3, 300'000, 800'000);
  later(patience_us, [this, attempt = ++attempt_] {
    if (attempt == attempt_ && !is_settled_) drop("no answer");
  });
}

void SimClient::drop(const std::string& why) {
  if (!wire_) return;
  scene_.note("client {} hangs up on server {}: {}", plan_.number, wire_->server().url(), why);
  wire_->hang_up_by_client();
  disconnected();
}

void SimClient::disconnected() {
  woken();
  if (!wire_ || is_lost_) return;
  wire_.reset();
  phase_ = Phase::away;
  keep_alives_.clear();
  failures_ = is_settled_ ? 0 : failures_ + 1;
  later(pause_before_next(), [this, attempt = ++attempt_] {
    if (attempt == attempt_ && !is_lost_) connect();
  });
}

std::int64_t SimClient::pause_before_next() {
  const int rounds = failures_ / static_cast<int>(servers_);
  const bool is_sent_on = preferred_ && failures_ > 0 && rounds < 2;
  if (is_sent_on || (failures_ > 0 && rounds == 0)) return 0;
  const std::int64_t most = std::min(shortest_wait_us << std::min(rounds, 10), longest_wait_us);
  return scene_.between(most / 2, most);
}

void SimClient::hear(const proto::ServerMessage& message) {
  woken();
  if (is_lost_ || !wire_) return;
  using What = proto::ServerMessage;
  const auto what = message.what_case();
  if (phase_ == Phase::away && what != What::kWelcome && what != What::kGoodbye) {
    return drop("it does not greet");
  }
  if (what == What::kWelcome) hear(message.welcome());
  if (what == What::kReply) hear(message.reply());
  if (what == What::kAlive) hear(message.alive());
  if (what == What::kResumed) hear(message.resumed());
  if (what == What::kAnswer) hear(message.answer());
  if (what == What::kHoldOver) hear(message.hold_over());
  if (what == What::kGoodbye) drop(message.goodbye().message());
  if (what == What::kSessionOver && message.session_over().session() == session_) {
    lose(message.session_over().reason());
  }
  if (what == What::kQueued) {
    const auto found = pending_.find(message.queued().request());
    if (found == pending_.end()) return;
    found->second.ticket = message.queued().ticket();
    scene_.note("client {} has place {} at server {}", plan_.number, found->second.ticket,
                wire_->server().url());
  }
}

void SimClient::hear(const proto::Welcome& welcome) {
  if (phase_ != Phase::away) return;
  if (welcome.following()) {
    if (welcome.leader().empty()) return drop("no server leads at this moment");
    preferred_ = std::stoul(welcome.leader());
    return drop("another server leads");
  }
  const bool is_old =
      welcome.epoch() < epoch_ || (lease_ && !lease_->is_current({welcome.epoch()}));
  if (is_old) return drop("it is out of date");
  epoch_ = welcome.epoch();
  is_settled_ = true;
  phase_ = Phase::entering;
  const std::int64_t patience_us =
      session_ == 0 ? plan_.ttl_us : std::max<std::int64_t>(plan_.ttl_us / 3, 300'000);
  later(patience_us, [this, attempt = attempt_] {
    if (attempt == attempt_ && phase_ == Phase::entering) drop("it only greets");
  });
  if (session_ == 0) return open_session();
  resume_session();
}

// --- The session --------------------------------------------------------------------------------

void SimClient::open_session() {
  const std::int64_t now_us = local_us();
  if (nonce_.empty() || now_us - opening_sent_us_ > plan_.ttl_us / 4) {
    nonce_ = fmt::format("{}/{}", plan_.number, ++openings_);
    opening_sent_us_ = now_us;
    opening_request_ = next_request_++;
    opening_tries_ = 0;
  }
  ++opening_tries_;
  proto::ClientMessage message;
  proto::Request& request = *message.mutable_request();
  request.set_request(opening_request_);
  request.set_confirmed(opening_request_);
  proto::OpenSession& open = *request.mutable_open_session();
  open.set_nonce(nonce_);
  open.set_ttl(plan_.ttl_us);
  open.set_fast(plan_.is_fast);
  wire_->say(message);
}

void SimClient::hear_opened(const proto::Reply& reply) {
  if (session_ != 0) return;
  if (reply.error() != 0 || !reply.has_opened()) return drop(reply.message());
  session_ = reply.opened().session();
  asked_us_[&wire_->server()] = now_us();
  scene_.note("client {} has session {} of server {}", plan_.number, session_,
              wire_->server().url());
  terms_ = service::LeaseTerms::of({reply.opened().ttl()}, {0});
  lease_.emplace(nonce_, terms_, plan_.is_fast, scene_.omitted_by_clients);
  const service::Welcome welcome{{epoch_}, nonce_, {session_}, {opening_sent_us_}};
  carry_out(lease_->receive(clock(), welcome));
  ask_later();
  if (plan_.counts) count_later();
  if (opening_tries_ > 1) return resume_session();
  become_ready(false);
}

std::optional<std::int64_t> SimClient::asked_us(const SimServer& server) const {
  const auto at = asked_us_.find(&server);
  return at == asked_us_.end() ? std::nullopt : std::optional(at->second);
}

void SimClient::resume_session() {
  std::int64_t& asked_us = asked_us_.try_emplace(&wire_->server(), now_us()).first->second;
  if (asked_us < wire_->server().sure_since_us()) asked_us = now_us();
  proto::ClientMessage message;
  message.mutable_resume()->set_session(session_);
  message.mutable_resume()->set_nonce(nonce_);
  wire_->say(message);
}

void SimClient::hear(const proto::Resumed& resumed) {
  if (phase_ != Phase::entering || resumed.session() != session_) return;
  if (error_of(resumed.error()) == Error::session_lost) return lose(resumed.message());
  if (resumed.error() != 0) return drop(resumed.message());
  if (resumed.must_report()) report();
  become_ready(resumed.must_report());
}

void SimClient::become_ready(bool has_reported) {
  phase_ = Phase::ready;
  carry_out(lease_->connected(clock()));
  for (auto at = pending_.begin(); at != pending_.end();) {
    Pending& pending = at->second;
    const bool is_report = pending.message.request().has_reclaim();
    if (!is_report) send(pending);
    if (is_report && !has_reported) {
      // Nobody asks for it any more: it has arrived.
      const proto::Request request = pending.message.request();
      at = pending_.erase(at);
      answered(request, {});
    } else {
      ++at;
    }
  }
  if (reading_ != 0) read();
  set_alarm();
}

// As Core::report() does.
void SimClient::report() {
  proto::Request message;
  proto::Reclaim& reclaim = *message.mutable_reclaim();
  for (auto at = pending_.begin(); at != pending_.end();) {
    const proto::Request& request = at->second.message.request();
    if (request.has_acquire()) {
      auto& waiting = *reclaim.add_waiting();
      waiting.set_request(at->first);
      waiting.set_ticket(at->second.ticket);
      *waiting.mutable_acquire() = request.acquire();
    }
    const bool is_answered =
        request.has_release() || request.has_acknowledge() || request.has_reclaim();
    at = is_answered ? pending_.erase(at) : std::next(at);
  }
  if (job_ == Job::held) {
    auto& held = *reclaim.add_held();
    held.set_name(entry_.name);
    held.set_mode(entry_.is_shared ? proto::SHARED : proto::EXCLUSIVE);
    held.set_slots(1);
    held.set_fence(entry_.fence);
    held.set_times(1);
  }
  scene_.note("client {} reports {} held and {} waiting to server {}", plan_.number,
              reclaim.held_size(), reclaim.waiting_size(), wire_->server().url());
  const std::uint64_t id = next_request_++;
  Pending& pending = pending_[id];
  *pending.message.mutable_request() = std::move(message);
  pending.message.mutable_request()->set_request(id);
  send(pending);
}

void SimClient::carry_out(const service::LeaseClient::Step& step) {
  using Event = service::LeaseClient::Event;
  if (step.event == Event::lost) {
    judge_.unanswered(*this, terms_.length().value);
    return lose("no server has answered for as long as the lease lasts");
  }
  if (!step.send || phase_ != Phase::ready) return;
  if (const auto* keep_alive = std::get_if<service::KeepAlive>(&*step.send)) {
    proto::ClientMessage message;
    message.mutable_keep_alive()->set_number(next_keep_alive_);
    keep_alives_.emplace(next_keep_alive_++, keep_alive->sent.value);
    wire_->say(message);
  }
}

void SimClient::hear(const proto::Alive& alive) {
  const auto sent = keep_alives_.find(alive.number());
  if (sent == keep_alives_.end() || !lease_) return;
  const service::Alive message{{alive.epoch()}, {session_}, {sent->second}};
  keep_alives_.erase(keep_alives_.begin(), std::next(sent));
  carry_out(lease_->receive(clock(), message));
  set_alarm();
}

// However long it has not run: first of all the clock.
void SimClient::woken() {
  if (!lease_ || is_lost_) return;
  lease_->set_holding(job_ == Job::held);
  carry_out(lease_->wake(clock()));
}

void SimClient::tick() {
  woken();
  if (is_lost_) return;
  if (!keep_alives_.empty() && phase_ == Phase::ready &&
      local_us() - keep_alives_.begin()->second >= terms_.length().value / 3) {
    drop("it does not answer");
  }
  set_alarm();
}

void SimClient::set_alarm() {
  if (!lease_ || is_lost_) return;
  std::int64_t next_us = local_us() + 1'000'000;
  if (const auto wake = lease_->next_wake()) next_us = std::min(next_us, wake->value);
  later(std::max<std::int64_t>(next_us - local_us(), 1000), [this, alarm = ++alarm_] {
    if (alarm == alarm_) tick();
  });
}

void SimClient::told_over(const Wire& wire, std::uint64_t session) {
  const bool is_meant = wire_.get() == &wire && session_ == session && !is_lost_;
  if (is_meant) judge_.told_over(*this, wire.server());
}

}  // namespace baton::cluster_sim
