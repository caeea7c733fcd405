#include "service/server/cluster_membership.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <random>
#include <utility>

namespace baton::server {

namespace {

namespace asio = boost::asio;
constexpr std::string_view scheme = "etcd://";
constexpr const char* usage = ": use etcd://HOST:PORT,HOST:PORT/PREFIX";

bool names_port(const std::string& endpoint) {
  const std::size_t colon = endpoint.rfind(':');
  return colon > 0 && colon + 1 < endpoint.size() &&
         endpoint.find_first_not_of("0123456789", colon + 1) == std::string::npos;
}

std::string new_nonce() {
  std::random_device random;
  std::string nonce;
  for (int i = 0; i < 16; ++i) nonce.push_back(static_cast<char>(random() & 0xFF));
  return nonce;
}

}  // namespace

bool names_etcd(const std::string& journal) { return journal.starts_with(scheme); }

EtcdPlace parse_etcd(const std::string& journal) {
  const std::string rest = journal.substr(scheme.size());
  const std::size_t slash = rest.find('/');
  EtcdPlace place;
  std::string hosts = rest.substr(0, slash);
  while (!hosts.empty()) {
    const std::size_t comma = std::min(hosts.find(','), hosts.size());
    std::string one = hosts.substr(0, comma);
    hosts.erase(0, comma + 1);
    if (one.empty()) continue;
    if (one.find(':') == std::string::npos || one.ends_with(']')) one += ":2379";
    if (!names_port(one)) {
      throw journal::Unusable("'" + one + "' in '" + journal + "' is not HOST:PORT" + usage);
    }
    place.endpoints.push_back(std::move(one));
  }
  if (slash != std::string::npos) place.prefix = rest.substr(slash + 1);
  while (place.prefix.ends_with('/')) place.prefix.pop_back();
  if (place.prefix.empty()) place.prefix = "baton";
  if (place.endpoints.empty()) {
    throw journal::Unusable("'" + journal + "' does not say where etcd is" + usage);
  }
  return place;
}

void run_after(asio::io_context& io, std::int64_t us, std::function<void()> what) {
  auto timer = std::make_shared<asio::steady_timer>(io, std::chrono::microseconds(us));
  timer->async_wait([timer, what = std::move(what)](const auto& error) {
    if (!error) what();
  });
}

ClusterMembership::ClusterMembership(asio::io_context& io, const std::string& journal,
                                     const std::string& name, const std::string& program,
                                     const ClusterOptions& options, cluster::ReplicaHost& host)
    : host_(host) {
  const EtcdPlace place = parse_etcd(journal);
  if (!options.connect) throw journal::Unusable(journal + ": this program was built without etcd");
  etcd::EtcdOptions of_etcd = options.etcd;
  of_etcd.endpoints = place.endpoints;
  of_etcd.post = [&io](std::function<void()> what) { asio::post(io, std::move(what)); };
  try {
    etcd_ = options.connect(of_etcd);
  } catch (const std::runtime_error& problem) {
    throw journal::Unusable(journal + ": " + problem.what());
  }
  cluster::ReplicaOptions of_replica;
  of_replica.prefix = place.prefix;
  of_replica.cluster = options.cluster;
  of_replica.name = name;
  of_replica.url = options.advertise;
  of_replica.program = program;
  of_replica.nonce = new_nonce();
  of_replica.lease_s = options.lease_s;
  of_replica.etcd_quota_bytes = options.quota_bytes;
  of_replica.journal.name = journal;
  of_replica.journal.is_dedicated = options.is_dedicated;
  replica_ = std::make_unique<cluster::Replica>(*etcd_, host, std::move(of_replica));
}

ClusterMembership::~ClusterMembership() { replica_->journal().close(); }

service::Duration ClusterMembership::age() const {
  return {host_.clock_us() - replica_->seen_all_at_us()};
}

void ClusterMembership::complete_status(proto::Status status,
                                        std::function<void(const proto::Status&)> done) {
  status.set_trouble(replica_->trouble());
  status.set_proof_left(replica_->is_leading() ? replica_->proof_left_us() : 0);
  status.set_position(replica_->position());
  if (const auto& leader = replica_->leader()) {
    status.set_leader(leader->name);
    status.set_leader_url(leader->url);
  }
  auto both = std::make_shared<std::pair<proto::Status, int>>(std::move(status), 2);
  const auto one_is_there = [both, done = std::move(done)] {
    if (--both->second == 0) done(both->first);
  };
  replica_->peers([both, one_is_there](const std::string&, const auto& peers) {
    for (const cluster::PeerInfo& peer : peers) {
      proto::ClusterServer& server = *both->first.add_servers();
      server.set_name(peer.name);
      server.set_url(peer.url);
      server.set_program(peer.program);
      server.set_position(peer.position);
      server.set_leads(peer.leads);
    }
    one_is_there();
  });
  etcd_->members([this, both, one_is_there](const std::vector<etcd::MemberStatus>& members) {
    for (const etcd::MemberStatus& one : members) {
      proto::EtcdMember& member = *both->first.add_etcd();
      member.set_endpoint(one.endpoint);
      member.set_healthy(one.is_healthy);
      member.set_leads(one.leads);
      member.set_version(one.version);
      member.set_bytes(one.store_bytes);
      member.set_problem(one.problem.empty() ? replica_->quota().shortage_of(one) : one.problem);
    }
    one_is_there();
  });
}

}  // namespace baton::server
