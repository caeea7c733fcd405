// A whole server in one object: journal, engine, frontend and sockets on one loop.
//
//   Host host({.listen = {"unix:/tmp/socket"}, .journal = "memory:"});
//   std::thread thread([&] { host.run(); });
//   ...
//   host.stop();
//
// All but the constructor, urls() and stop() happen on the thread that calls run().
#pragma once

#include <spdlog/logger.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "service/journal/journal.h"
#include "service/server/cluster_membership.h"
#include "service/server/engine.h"
#include "service/server/gate.h"
#include "service/server/histogram.h"
#include "service/server/leader_probe.h"
#include "service/server/server.h"
#include "service/server/session_frontend.h"
#include "service/server/side_server.h"

namespace baton::server {

struct HostOptions {
  std::vector<std::string> listen;  // unix:PATH or HOST:PORT (port 0: any that is free)
  io::SocketAccess access;          // of Unix sockets
  std::vector<int> descriptors;     // sockets that listen already
  // As service/journal/open.h has it, or etcd://HOST:PORT,…/PREFIX.
  std::string journal = "memory:";
  ClusterOptions cluster;       // if it is etcd
  bool accept_loss = false;     // of what the journal has lost
  std::string name;             // for people; empty: the machine's
  std::string scope;            // for people
  std::size_t idle_stop_s = 0;  // stops after so many seconds without sessions; 0: never
  ServerLimits limits;
  EngineOptions engine{.longest_linger = {20'000}};
  Gate* gate = nullptr;                 // or none; with a journal in memory only
  MakeSideServer side_server;           // or none
  std::shared_ptr<spdlog::logger> log;  // or none
  std::function<void()> on_ready;       // clients are served from now on
};

struct LeadershipCounters {
  std::uint64_t begun = 0;      // times that this server became leader
  std::uint64_t lost = 0;       // times that it lost the leadership without having been stopped
  std::uint64_t suspected = 0;  // leaders that it took for dead
  // How long the leader's proof still had to run, each time that etcd confirmed a renewal.
  Histogram margin_seconds{0.05, 0.1, 0.2, 0.5, 1, 1.5, 2, 5, 10, 20, 60};
};

// Why a server does not serve now.
struct NotServing {
  Error error = Error::unavailable;
  std::string message;
  std::string leader;  // the URL of the server that leads, if this one knows it
};

class Host final : private EngineHost, private cluster::ReplicaHost {
 public:
  // Listens and reads the journal. Throws io::AddressError, io::ListenError, journal::Unusable.
  explicit Host(HostOptions options);
  ~Host() override;

  // Serves until somebody calls stop(). Returns an error message if the server failed; then it has
  // told clients nothing that the journal may not have.
  std::optional<std::string> run();
  // Stops cleanly: the next server need not ask clients what they hold. Any thread may call this,
  // more than once.
  void stop();

  std::vector<std::string> urls() const { return server_->addresses(); }
  Engine& engine() { return *engine_; }
  SessionFrontend& frontend() { return *frontend_; }
  boost::asio::io_context& io() { return io_; }
  const std::shared_ptr<spdlog::logger>& log() const { return log_; }

  // Empty while this server leads and serves.
  std::optional<NotServing> not_serving() const;
  std::size_t connections() const { return server_->connections(); }
  const LeadershipCounters& leaderships() const { return leaderships_; }
  // Null if this server is not in a cluster.
  const ClusterMembership* membership() const { return membership_.get(); }
  // A side server (HTTP) calls wake() before it handles what has arrived, and turn() after that.
  void wake() { frontend_->wake(); }
  void turn() { server_->turn(); }

  // The gate calls these, on the loop's thread. open(): this server may grant the name once, with
  // this fencing token.
  void open(service::Namespace space, const std::string& name, service::FencingToken fence);
  // The host has more to say to the gate about names that it wanted.
  bool has_more_for_gate() const { return engine_->has_more_for_gate(); }
  // The group took the name away, or soon will: a client that holds it here loses it.
  void revoke(const service::Revoke& revoke);
  // A client of another server leads this election, or leads it no longer.
  void elsewhere(const service::Elsewhere& leader);

 private:
  // Of EngineHost; the clock is that of the replica, too.
  void post(std::function<void()> what) override;
  void turn_in(std::int64_t microseconds) override;
  void run_aside(std::function<void()> what) override;
  std::int64_t clock_us() override;
  std::int64_t wall_us() override;
  void want(const service::Wanted& wanted) override;
  void leave(const service::Unwanted& unwanted) override;
  bool is_held_up() const override;
  void deliver(service::Effects& effects) override;
  void fail(const journal::Fault& fault) override;

  // Of ReplicaHost.
  void after(std::int64_t us, std::function<void()> what) override;
  void forget(const std::string& why) override;
  void read_snapshot(journal::Position position, std::string_view bytes) override;
  void read_record(journal::Position position, std::string_view bytes) override;
  void follow(const cluster::LeaderInfo* leader) override;
  void lead(std::int64_t wait_us) override;
  void give_up(const std::string& why) override;
  void renewed(std::int64_t left_us) override;
  void warn(const std::string& what) override;

  void open_journal();
  void join_cluster();
  void make_engine();
  void lead_alone();
  void suspect_leader();
  void begin_listening();
  void be_ready();
  void serve(service::Duration promised);
  void pulse();
  void watch_due();
  void watch_proof();
  void stop_when_idle();
  void begin_stop();
  // Everything is written, or the server gave up writing: now it hangs up and ends.
  void take_leave();
  void end_stop(int tries_left);

  std::shared_ptr<spdlog::logger> log_;
  HostOptions options_;
  boost::asio::io_context io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::unique_ptr<journal::Journal> own_journal_;
  std::unique_ptr<ClusterMembership> membership_;  // in a cluster
  LeaderProbe probe_;                              // of the server that leads it
  journal::Journal* journal_ = nullptr;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<SessionFrontend> frontend_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<SideServer> side_server_;
  boost::asio::steady_timer pulse_;
  boost::asio::steady_timer due_;
  boost::asio::steady_timer turn_;
  boost::asio::steady_timer ending_;
  std::optional<service::Time> due_at_;
  std::optional<std::int64_t> idle_since_us_;
  LeadershipCounters leaderships_;
  bool is_serving_ = false;
  bool is_listening_ = false;
  bool is_ready_ = false;
  bool was_sure_ = true;
  bool is_stopping_ = false;
  bool has_left_ = false;
  std::optional<std::string> problem_;
  std::thread aside_;
};

}  // namespace baton::server
