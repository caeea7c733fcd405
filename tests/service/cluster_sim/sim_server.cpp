#include "service/cluster_sim/sim_server.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "service/cluster/keys.h"
#include "service/cluster_sim/sim_client.h"

namespace baton::cluster_sim {

namespace {

constexpr std::int64_t between_pulses_us = 100'000;
constexpr std::int64_t longest_farewell_us = 3'000'000;
constexpr std::int64_t longest_turn_us = 500'000;
constexpr std::int64_t lease_s = 2;
constexpr std::int64_t longest_afterlife_us = 5'000'000;

}  // namespace

SimServer::SimServer(Scene& scene, const ServerPlan& plan)
    : Process(scene.timeline, plan.clock),
      scene_(scene),
      plan_(plan),
      url_(std::to_string(plan.number)) {
  plan_.engine.server = "server " + url_;
}

// --- Beginning and end --------------------------------------------------------------------------

void SimServer::boot() {
  if (is_up()) return;
  scene_.note("server {} starts", url_);
  ++lives_;
  cluster::ReplicaOptions options;
  options.prefix = prefix_in_etcd;
  options.name = "server " + url_;
  options.url = url_;
  options.nonce = fmt::format("{}/{}", url_, lives_);
  options.lease_s = lease_s;
  options.journal = plan_.journal;
  etcd_ = std::make_unique<ProcessEtcd>(*this, scene_.etcd.connect(), scene_.flaw);
  member_ = std::make_unique<cluster::Replica>(*etcd_, static_cast<cluster::ReplicaHost&>(*this),
                                               std::move(options));
  make_engine();
  frontend_ = std::make_unique<server::SessionFrontend>(
      *engine_, static_cast<server::EngineHost&>(*this), server::FrontendOptions{.server = url_});
  member_->start();
}

void SimServer::crash() {
  if (!is_up()) return;
  scene_.note("server {} is gone", url_);
  for (const auto& wire : std::exchange(wires_, {})) {
    frontend_->leave(*wire);
    wire->lose_server();
  }
  forget_everything();
  snapshots_ = snapshots();
  member_->journal().close();
  frontend_.reset();
  engine_.reset();
  member_.reset();
  etcd_.reset();
  is_listening_ = has_started_ = is_serving_ = is_stopping_ = has_left_ = is_turn_due_ = false;
  due_at_.reset();
}

void SimServer::stop() {
  if (!is_up() || std::exchange(is_stopping_, true)) return;
  scene_.note("server {} is to stop", url_);
  sure_since_us_ = now_us();
  frontend_->close();
  if (!is_serving_) return leave();
  engine_->stop([this] { leave(); });
  // Without etcd there is no farewell.
  later(longest_farewell_us, [this] { leave(); });
}

void SimServer::leave() {
  if (std::exchange(has_left_, true)) return;
  scene_.note("server {} leaves", url_);
  frontend_->dismiss(Error::shutting_down, "the server is stopping");
  member_->leave([this] {
    scene_.timeline.in(0, [this, life = lives_] {
      if (life == lives_) crash();
    });
  });
}

void SimServer::resume_after_pause() {
  if (!is_paused()) return;
  scene_.note("server {} runs again", url_);
  sure_since_us_ = now_us();
  resume();
}

void SimServer::make_engine() {
  snapshots_ = snapshots();
  engine_ = std::make_unique<server::Engine>(member_->journal(),
                                             static_cast<server::EngineHost&>(*this), plan_.engine);
}

// --- As server::Host does -----------------------------------------------------------------------

void SimServer::forget(const std::string& why) {
  scene_.note("server {} begins anew: {}", url_, why);
  is_serving_ = false;
  due_at_.reset();
  ++due_round_;
  frontend_->dismiss(Error::not_leader, "this server no longer leads");
  if (scene_.flaw != Flaw::no_forgetting) make_engine();
  frontend_->attach(*engine_);
  if (!is_stopping_) return;
  frontend_->close();
  later(0, [this] { leave(); });
}

void SimServer::read_snapshot(journal::Position position, std::string_view bytes) {
  scene_.note("server {} reads the snapshot of {}", url_, position);
  engine_->read_snapshot(position, bytes);
}

void SimServer::read_record(journal::Position position, std::string_view bytes) {
  engine_->read_record(position, bytes);
}

void SimServer::follow(const cluster::LeaderInfo* leader) {
  if (is_stopping_) return;
  const std::string url = leader == nullptr ? "" : leader->url;
  scene_.note("server {} follows {}", url_, url.empty() ? "nobody" : url);
  frontend_->follow(url);
  begin_listening();
}

void SimServer::lead(std::int64_t wait_us) {
  scene_.note("server {} comes to lead from record {} on", url_, member_->position());
  ++leaderships_;
  engine_->lead([this, wait_us] { serve(wait_us); });
}

void SimServer::serve(std::int64_t promised_us) {
  if (is_stopping_) return;
  scene_.note("server {} leads in epoch {}", url_, engine_->epoch());
  is_serving_ = true;
  serving_since_us_ = sure_since_us_ = now_us();
  taken_over_.clear();
  last_had_us_.clear();
  for (const auto& session : engine_->state().sessions()) taken_over_.insert(session.id.value);
  frontend_->open({promised_us});
  begin_listening();
}

void SimServer::begin_listening() {
  if (std::exchange(has_started_, true)) return;
  is_listening_ = true;
  pulse();
}

void SimServer::pulse() {
  frontend_->wake();
  look_whether_sure();
  run([this] {
    if (is_stopping_) return;
    frontend_->expire();
    turn();
  });
  later(between_pulses_us, [this] { pulse(); });
}

std::optional<std::int64_t> SimServer::last_had_us(std::uint64_t session) const {
  const auto at = last_had_us_.find(session);
  return at == last_had_us_.end() ? std::nullopt : std::optional(at->second);
}

void SimServer::look_whether_sure() {
  const bool has_been_away = now_us() - looked_at_us_ > longest_turn_us;
  looked_at_us_ = now_us();
  const bool is_well = is_serving_ && !is_stopping_ && !has_been_away && engine_->is_sure();
  if (!is_well) sure_since_us_ = now_us();
  if (!is_serving_) return;
  for (const auto& session : engine_->state().sessions()) last_had_us_[session.id.value] = now_us();
}

void SimServer::turn() {
  if (std::exchange(is_turn_due_, true)) return;
  later(scene_.between(1, 200), [this] { end_turn(); });
}

void SimServer::end_turn() {
  is_turn_due_ = false;
  engine_->flush();
  watch_due();
}

void SimServer::watch_due() {
  if (!is_serving_ || is_stopping_) return;
  const auto next = engine_->state().next_due();
  if (next == due_at_) return;
  due_at_ = next;
  const std::uint64_t round = ++due_round_;
  if (!next) return;
  const std::int64_t left_us = std::max<std::int64_t>((*next - engine_->now()).value, 0);
  later(left_us + 1, [this, round] {
    if (round != due_round_ || is_stopping_) return;
    due_at_.reset();
    if (const auto at = engine_->state().next_due(); at && *at <= engine_->now()) engine_->tick();
    turn();
  });
}

void SimServer::post(std::function<void()> what) {
  run([this, what = std::move(what)] {
    what();
    turn();
  });
}

void SimServer::run_aside(std::function<void()> what) {
  later(scene_.between(0, 5000), std::move(what));
}

void SimServer::deliver(service::Effects& effects) { frontend_->deliver(effects); }

void SimServer::fail(const journal::Fault& fault) {
  scene_.wrong("server {}'s engine failed: {}", url_, fault.what);
}

// Each new leader of etcd gives every lease its time anew, also that of a life before this one. If
// there are many of them a server takes that life for another server: then it is started again.
void SimServer::give_up(const std::string& why) {
  const bool is_calm = now_us() - scene_.etcd_calm_since_us > longest_afterlife_us;
  if (is_calm || why.find("already runs") == why.npos) {
    return scene_.wrong("server {} gave up: {}", url_, why);
  }
  scene_.note("server {} gives up: {}", url_, why);
  scene_.timeline.in(0, [this, life = lives_] {
    if (life != lives_ || !is_up()) return;
    crash();
    boot();
  });
}

void SimServer::warn(const std::string& what) { scene_.note("server {} warns: {}", url_, what); }

// --- Of the cluster -----------------------------------------------------------------------------

void SimServer::suspect() {
  if (!is_up() || is_stopping_) return;
  run([this] {
    const auto& leader = member_->leader();
    if (!leader || leader->is_self) return;
    scene_.note("server {} takes server {} for dead", url_, leader->url);
    member_->suspect(*leader);
  });
}

bool SimServer::is_leader_in_etcd() const {
  if (!is_serving_ || !member_->is_leading()) return false;
  etcd::RangeResult found;
  scene_.etcd.store().range({etcd::KeyRange::one(cluster::Keys(prefix_in_etcd).leader())}, found);
  return !found.items.empty() && found.items[0].create_revision == member_->leader()->since;
}

// --- Wires --------------------------------------------------------------------------------------

void SimServer::accept(const std::shared_ptr<Wire>& wire) {
  wire->accepted();
  wires_.push_back(wire);
  frontend_->arrive(*wire);
}

void SimServer::receive(Wire& wire, std::string_view frame) {
  frontend_->wake();
  frontend_->receive(wire, frame);
  turn();
}

void SimServer::left(Wire& wire) {
  frontend_->leave(wire);
  std::erase(wires_, wire.shared_from_this());
}

void SimServer::notice(Wire& wire, const proto::ServerMessage& message) {
  const auto over = static_cast<std::uint32_t>(Error::session_lost);
  if (message.has_session_over()) {
    wire.client().told_over(wire, message.session_over().session());
  } else if (message.resumed().error() == over) {
    wire.client().told_over(wire, message.resumed().session());
  }
}

}  // namespace baton::cluster_sim
