#include "service/server/cluster_membership.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <random>
#include <utility>

#include "io/clock.h"

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

ClusterMembership::ClusterMembership(asio::io_context& io, const std::string& journal,
                                     const std::string& name, const std::string& program,
                                     ClusterOptions options, std::shared_ptr<spdlog::logger> log,
                                     Events events)
    : io_(io), log_(std::move(log)), events_(std::move(events)), probe_(io, [this] {
        const auto& leader = replica_->leader();
        if (!leader || leader->is_self) return;
        log_->warn("{} refuses connections: it is taken for dead", leader->url);
        ++counters_.suspected;
        replica_->suspect(*leader);
      }) {
  const EtcdPlace place = parse_etcd(journal);
  if (!options.connect) throw journal::Unusable(journal + ": this program knows nothing of etcd");
  etcd::EtcdOptions of_etcd;
  of_etcd.endpoints = place.endpoints;
  of_etcd.post = [&io](std::function<void()> what) { asio::post(io, std::move(what)); };
  of_etcd.user = options.user;
  of_etcd.password = options.password;
  if (options.tls) {
    of_etcd.tls =
        etcd::Tls{options.ca_file, options.certificate_file, options.key_file, options.server_name};
  }
  try {
    etcd_ = options.connect(of_etcd);
  } catch (const std::runtime_error& problem) {
    throw journal::Unusable(journal + ": " + problem.what());
  }
  cluster::ReplicaOptions of_member;
  of_member.prefix = place.prefix;
  of_member.cluster = options.cluster;
  of_member.name = name;
  of_member.url = options.advertise;
  of_member.program = program;
  of_member.nonce = new_nonce();
  of_member.lease_s = options.lease_s;
  of_member.etcd_quota_bytes = options.quota_bytes;
  of_member.journal.name = journal;
  of_member.journal.is_dedicated = options.is_dedicated;
  replica_ = std::make_unique<cluster::Replica>(*etcd_, static_cast<cluster::ReplicaHost&>(*this),
                                                std::move(of_member));
}

ClusterMembership::~ClusterMembership() {
  *alive_ = false;
  replica_->journal().close();
}

void ClusterMembership::leave(std::function<void()> done) {
  probe_.watch({});
  replica_->leave(std::move(done));
}

service::Duration ClusterMembership::age() { return {clock_us() - replica_->seen_all_at_us()}; }

void ClusterMembership::complete(proto::Status status,
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
      proto::EtcdMember& replica = *both->first.add_etcd();
      replica.set_endpoint(one.endpoint);
      replica.set_healthy(one.is_healthy);
      replica.set_leads(one.leads);
      replica.set_version(one.version);
      replica.set_bytes(one.store_bytes);
      replica.set_problem(one.problem.empty() ? replica_->quota().shortage_of(one) : one.problem);
    }
    one_is_there();
  });
}

// --- For the member -----------------------------------------------------------------------------

std::int64_t ClusterMembership::clock_us() { return io::boottime_us(); }

void ClusterMembership::after(std::int64_t us, std::function<void()> what) {
  auto timer = std::make_shared<asio::steady_timer>(io_, std::chrono::microseconds(us));
  timer->async_wait([timer, alive = alive_, what = std::move(what)](const auto& error) {
    if (!error && *alive) what();
  });
}

void ClusterMembership::forget(const std::string& why) { events_.forget(why); }

void ClusterMembership::read_snapshot(journal::Position position, std::string_view bytes) {
  events_.read_snapshot(position, bytes);
}

void ClusterMembership::read_record(journal::Position position, std::string_view bytes) {
  events_.read_record(position, bytes);
}

void ClusterMembership::follow(const cluster::LeaderInfo* leader) {
  const std::string url = leader == nullptr ? "" : leader->url;
  probe_.watch(url);
  events_.follow(url);
}

void ClusterMembership::lead(std::int64_t wait_us) {
  probe_.watch({});
  events_.lead({wait_us});
}

void ClusterMembership::give_up(const std::string& why) { events_.give_up(why); }

void ClusterMembership::renewed(std::int64_t left_us) {
  counters_.margin_seconds.add(static_cast<double>(left_us) / 1e6);
}

void ClusterMembership::warn(const std::string& what) { log_->warn("{}", what); }

}  // namespace baton::server
