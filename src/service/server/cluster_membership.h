// A server's membership in a cluster: etcd, and the replica that follows and leads there, on the
// server's loop.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "baton/client.pb.h"
#include "service/cluster/replica.h"
#include "service/cluster/replica_host.h"
#include "service/etcd/grpc_etcd.h"
#include "service/server/other_servers.h"

namespace baton::server {

struct ClusterOptions {
  // etcd::connect, in programs that can use etcd: only they link gRPC.
  std::function<std::unique_ptr<etcd::Etcd>(const etcd::EtcdOptions&)> connect;
  std::string cluster = "baton";
  std::string advertise;  // the URL under which others find this server
  std::int64_t lease_s = 2;
  bool is_dedicated = false;                 // only this cluster uses this etcd
  std::int64_t quota_bytes = 2'147'483'648;  // if etcd does not tell its quota: etcd's default
  etcd::EtcdOptions etcd;                    // all but the endpoints: the journal's name has them
  bool uses_tls = false;                     // connects to etcd by TLS, even without files
};

// The parts of a journal's name "etcd://HOST:PORT,HOST:PORT/PREFIX".
struct EtcdPlace {
  std::vector<std::string> endpoints;
  std::string prefix;
};
bool names_etcd(const std::string& journal);
// Throws journal::Unusable.
EtcdPlace parse_etcd(const std::string& journal);

// Later, once, on the loop.
void run_after(boost::asio::io_context& io, std::int64_t us, std::function<void()> what);

class ClusterMembership final : public OtherServers {
 public:
  // Throws journal::Unusable.
  ClusterMembership(boost::asio::io_context& io, const std::string& journal,
                    const std::string& name, const std::string& program,
                    const ClusterOptions& options, cluster::ReplicaHost& host);
  ~ClusterMembership() override;

  cluster::Replica& replica() { return *replica_; }
  const cluster::Replica& replica() const { return *replica_; }
  void complete_status(proto::Status status,
                       std::function<void(const proto::Status&)> done) override;
  service::Duration age() const override;

 private:
  cluster::ReplicaHost& host_;
  std::unique_ptr<etcd::Etcd> etcd_;
  std::unique_ptr<cluster::Replica> replica_;
};

}  // namespace baton::server
