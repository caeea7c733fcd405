// A server's membership in a cluster: etcd, the member that follows and leads there, and the connection
// to whoever leads, on the server's loop.
#pragma once

#include <spdlog/logger.h>

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "baton/client.pb.h"
#include "service/cluster/replica.h"
#include "service/cluster/replica_host.h"
#include "service/etcd/grpc_etcd.h"
#include "service/server/histogram.h"
#include "service/server/leader_probe.h"
#include "service/state/command.h"

namespace baton::server {

struct ClusterOptions {
  // etcd::connect, in programs that shall know etcd: only they need gRPC.
  std::function<std::unique_ptr<etcd::Etcd>(const etcd::EtcdOptions&)> connect;
  std::string cluster = "baton";
  std::string advertise;  // the URL under which others find this server
  std::int64_t lease_s = 2;
  bool is_dedicated = false;                 // etcd has nobody else's data
  std::int64_t quota_bytes = 2'147'483'648;  // of an etcd that does not say it: its default
  // Towards etcd.
  bool tls = false;
  std::string ca_file;
  std::string certificate_file;
  std::string key_file;
  std::string server_name;
  std::string user;
  std::string password;
};

struct MembershipCounters {
  std::uint64_t suspected = 0;  // leaders that were taken for dead
  // What was left of the proof of its lease whenever etcd confirmed the next.
  Histogram margin_seconds{0.05, 0.1, 0.2, 0.5, 1, 1.5, 2, 5, 10, 20, 60};
};

// What the journal's name says: "etcd://HOST:PORT,HOST:PORT/PREFIX".
struct EtcdPlace {
  std::vector<std::string> endpoints;
  std::string prefix;
};
bool names_etcd(const std::string& journal);
// Throws journal::Unusable.
EtcdPlace parse_etcd(const std::string& journal);

class ClusterMembership final : private cluster::ReplicaHost {
 public:
  struct Events {
    std::function<void(const std::string& why)> forget;
    std::function<void(journal::Position, std::string_view)> read_snapshot;
    std::function<void(journal::Position, std::string_view)> read_record;
    std::function<void(const std::string& leader_url)> follow;
    std::function<void(service::Duration promised)> lead;
    std::function<void(const std::string& why)> give_up;
  };

  // Throws journal::Unusable.
  ClusterMembership(boost::asio::io_context& io, const std::string& journal,
                    const std::string& name, const std::string& program, ClusterOptions options,
                    std::shared_ptr<spdlog::logger> log, Events events);
  ~ClusterMembership() override;

  void start() { replica_->start(); }
  void leave(std::function<void()> done);

  journal::Journal& journal() { return replica_->journal(); }
  const cluster::Replica& replica() const { return *replica_; }
  const MembershipCounters& counters() const { return counters_; }
  // How long ago it had certainly seen everything.
  service::Duration age();
  void complete(proto::Status status, std::function<void(const proto::Status&)> done);

 private:
  std::int64_t clock_us() override;
  void after(std::int64_t us, std::function<void()> what) override;
  void forget(const std::string& why) override;
  void read_snapshot(journal::Position position, std::string_view bytes) override;
  void read_record(journal::Position position, std::string_view bytes) override;
  void follow(const cluster::LeaderInfo* leader) override;
  void lead(std::int64_t wait_us) override;
  void give_up(const std::string& why) override;
  void renewed(std::int64_t left_us) override;
  void warn(const std::string& what) override;

  boost::asio::io_context& io_;
  std::shared_ptr<spdlog::logger> log_;
  Events events_;
  std::unique_ptr<etcd::Etcd> etcd_;
  std::unique_ptr<cluster::Replica> replica_;
  LeaderProbe probe_;
  MembershipCounters counters_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace baton::server
