// A server of the cluster in virtual time: the real member, engine and frontend, on a host of the
// test's own that does as server::Host and server::ClusterMembership do.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "service/cluster/replica.h"
#include "service/cluster_sim/process.h"
#include "service/cluster_sim/process_etcd.h"
#include "service/cluster_sim/scene.h"
#include "service/cluster_sim/wire.h"
#include "service/server/engine.h"
#include "service/server/session_frontend.h"

namespace baton::cluster_sim {

inline constexpr const char* prefix_in_etcd = "baton";

struct ServerPlan {
  int number = 0;
  ProcessClock clock;
  std::int64_t wall_origin_us = 0;
  server::EngineOptions engine;
  cluster::EtcdJournalOptions journal;
};

class SimServer final : public Process, private server::EngineHost, private cluster::ReplicaHost {
 public:
  SimServer(Scene& scene, const ServerPlan& plan);
  ~SimServer() override { crash(); }

  void boot();
  void crash();
  // Cleanly; it is down some time later.
  void stop();
  void resume_after_pause();

  bool is_up() const { return member_ != nullptr; }
  bool is_listening() const { return is_listening_; }
  bool is_serving() const { return is_serving_; }
  const std::string& url() const { return url_; }
  const cluster::Replica& member() const { return *member_; }
  const server::Engine& engine() const { return *engine_; }
  etcd::ModelClient& etcd() { return etcd_->client(); }
  // Takes the leader that it follows for dead.
  void suspect();
  // Serves and leads in truth, as etcd has it.
  bool is_leader_in_etcd() const;
  // Since when it has served.
  std::int64_t serving_since_us() const { return serving_since_us_; }
  // Whether the session was there when it began to serve.
  bool has_taken_over(std::uint64_t session) const { return taken_over_.contains(session); }
  // When it last had the session; its end is told when that is durable.
  std::optional<std::int64_t> last_had_us(std::uint64_t session) const;
  // Since when it has served and was sure of it each time that it looked.
  std::int64_t sure_since_us() const { return sure_since_us_; }

  std::uint64_t snapshots() const {
    return snapshots_ + (engine_ ? engine_->counters().snapshots : 0);
  }
  std::uint64_t leaderships() const { return leaderships_; }

  // For wires.
  void accept(const std::shared_ptr<Wire>& wire);
  void receive(Wire& wire, std::string_view frame);
  void left(Wire& wire);
  void notice(Wire& wire, const proto::ServerMessage& message);

 private:
  // Of server::EngineHost.
  void post(std::function<void()> what) override;
  void run_aside(std::function<void()> what) override;
  std::int64_t clock_us() override { return local_us(); }
  std::int64_t wall_us() override { return plan_.wall_origin_us + now_us(); }
  void deliver(service::Effects& effects) override;
  void fail(const journal::Fault& fault) override;

  // Of cluster::ReplicaHost.
  void after(std::int64_t us, std::function<void()> what) override { later(us, std::move(what)); }
  void forget(const std::string& why) override;
  void read_snapshot(journal::Position position, std::string_view bytes) override;
  void read_record(journal::Position position, std::string_view bytes) override;
  void follow(const cluster::LeaderInfo* leader) override;
  void lead(std::int64_t wait_us) override;
  void give_up(const std::string& why) override;
  void warn(const std::string& what) override;

  void make_engine();
  void begin_listening();
  void serve(std::int64_t promised_us);
  void pulse();
  void look_whether_sure();
  void turn();
  void end_turn();
  void watch_due();
  void leave();

  Scene& scene_;
  ServerPlan plan_;
  std::string url_;
  int lives_ = 0;
  std::unique_ptr<ProcessEtcd> etcd_;
  std::unique_ptr<cluster::Replica> member_;
  std::unique_ptr<server::Engine> engine_;
  std::unique_ptr<server::SessionFrontend> frontend_;
  std::vector<std::shared_ptr<Wire>> wires_;
  bool is_listening_ = false;
  bool has_started_ = false;
  bool is_serving_ = false;
  bool is_stopping_ = false;
  bool has_left_ = false;
  bool is_turn_due_ = false;
  std::optional<service::Time> due_at_;
  std::uint64_t due_round_ = 0;
  std::int64_t serving_since_us_ = 0;
  std::set<std::uint64_t> taken_over_;                 // sessions
  std::map<std::uint64_t, std::int64_t> last_had_us_;  // by session
  std::int64_t sure_since_us_ = 0;
  std::int64_t looked_at_us_ = 0;
  std::uint64_t snapshots_ = 0;
  std::uint64_t leaderships_ = 0;
};

}  // namespace baton::cluster_sim
