// What befalls a world.
#include <algorithm>

#include "service/cluster/keys.h"
#include "service/cluster_sim/world.h"

namespace baton::cluster_sim {

namespace {

constexpr std::int64_t second_us = 1'000'000;
constexpr std::int64_t between_probes_us = 250'000;

}  // namespace

void World::fault_later() {
  if (kinds_.empty()) return;
  scene_.timeline.in(scene_.between(0, 2 * between_faults_us_), [this] {
    if (is_quiet_) return;
    cause(kinds_[scene_.below(kinds_.size())]);
    fault_later();
  });
}

void World::cause(Fault fault) {
  ++faults_;
  if (fault <= Fault::slow_watch) return harm_server(fault, some_server());
  if (fault <= Fault::lost_lease) return harm_etcd(fault);
  harm_client(fault, *clients_[scene_.below(clients_.size())]);
}

SimServer* World::leader() {
  for (const auto& server : servers_) {
    if (server->is_up() && server->is_leader_in_etcd()) return server.get();
  }
  return nullptr;
}

// Most of what can go wrong is about the one that leads.
SimServer& World::some_server() {
  SimServer* one = scene_.one_in(2) ? leader() : nullptr;
  return one != nullptr ? *one : *servers_[scene_.below(servers_.size())];
}

// --- Servers ------------------------------------------------------------------------------------

void World::harm_server(Fault fault, SimServer& server) {
  const std::int64_t length_us = scene_.between(50'000, 5 * second_us);
  if (!server.is_up()) return;
  const auto afterwards = [&](std::function<void()> what) {
    scene_.timeline.in(length_us, std::move(what));
  };
  switch (fault) {
    case Fault::crash:
      crash(server);
      return afterwards([&server] { server.boot(); });
    case Fault::stop:
      if (server.is_paused()) return;
      server.run([&server] { server.stop(); });
      return afterwards([this, &server] {
        if (server.is_up()) crash(server);
        server.boot();
      });
    case Fault::pause:
      scene_.note("server {} is paused", server.url());
      server.pause();
      return afterwards([&server] { server.resume_after_pause(); });
    case Fault::suspicion:
      // It is worst when who leads cannot be told.
      if (leader() != nullptr && scene_.one_in(2)) cut_from_etcd(*leader(), length_us);
      return server.suspect();
    case Fault::cut_from_etcd:
      return cut_from_etcd(server, length_us);
    default: {
      etcd::ModelFaults faults;
      if (fault == Fault::bad_etcd) {
        faults.request_lost = faults.answer_lost = static_cast<unsigned>(scene_.below(300));
        faults.request_late = static_cast<unsigned>(scene_.below(200));
        faults.most_delay_us = scene_.between(1000, 100'000);
        faults.timeout_us = scene_.between(200'000, 2 * second_us);
        faults.watch_cut = static_cast<unsigned>(scene_.below(200));
      } else {
        faults.most_watch_lag_us = scene_.between(100'000, 12 * second_us);
        // It may name a leader of long ago.
        const std::int64_t end_us = scene_.timeline.now_us() + length_us + faults.most_watch_lag_us;
        for (const auto& client : clients_) client->harm_until(end_us);
      }
      scene_.note("server {} has {}", server.url(),
                  fault == Fault::bad_etcd ? "bad connections to etcd" : "a slow watch");
      server.etcd().set_faults(faults);
      return afterwards([&server] {
        if (server.is_up()) server.etcd().set_faults({});
      });
    }
  }
}

void World::cut_from_etcd(SimServer& server, std::int64_t length_us) {
  scene_.note("server {} is cut off from etcd", server.url());
  server.etcd().set_partitioned(true);
  scene_.timeline.in(length_us, [this, &server] {
    if (!server.is_up()) return;
    scene_.note("server {} reaches etcd again", server.url());
    server.etcd().set_partitioned(false);
  });
}

void World::crash(SimServer& server) {
  const bool led = server.member().is_leading();
  server.crash();
  if (led) look_for_the_dead(server.url());
}

// The others see that nobody is there any more.
void World::look_for_the_dead(const std::string& url) {
  for (const auto& other : servers_) {
    if (other->url() == url) continue;
    scene_.timeline.in(scene_.between(5000, between_probes_us), [this, &other = *other, url] {
      const auto dead = std::find_if(servers_.begin(), servers_.end(),
                                     [&](const auto& one) { return one->url() == url; });
      if ((*dead)->is_up() || !other.is_up()) return;
      const auto& leader = other.member().leader();
      if (leader && leader->url == url) other.suspect();
    });
  }
}

// --- etcd ---------------------------------------------------------------------------------------

void World::harm_etcd(Fault fault) {
  const std::int64_t length_us = scene_.between(50'000, 3 * second_us);
  switch (fault) {
    case Fault::no_quorum:
      scene_.note("etcd has no quorum");
      scene_.etcd.set_quorum(false);
      scene_.etcd_calm_since_us =
          std::max(scene_.etcd_calm_since_us, scene_.timeline.now_us() + length_us);
      return scene_.timeline.in(length_us, [this] { scene_.etcd.set_quorum(true); });
    case Fault::etcd_leader:
      scene_.note("etcd has another leader");
      scene_.etcd_calm_since_us = std::max(scene_.etcd_calm_since_us, scene_.timeline.now_us());
      return scene_.etcd.change_leader();
    case Fault::etcd_full:
      scene_.note("etcd is full");
      scene_.etcd.set_full(true);
      return scene_.timeline.in(length_us, [this] { scene_.etcd.set_full(false); });
    default: {
      etcd::RangeResult found;
      const auto key = cluster::Keys(prefix_in_etcd).leader();
      scene_.etcd.store().range({etcd::KeyRange::one(key)}, found);
      if (found.items.empty()) return;
      scene_.note("etcd ends the leader's lease early");
      return scene_.etcd.end_lease_early(found.items[0].lease);
    }
  }
}

// --- Clients ------------------------------------------------------------------------------------

void World::harm_client(Fault fault, SimClient& client) {
  const std::int64_t length_us = scene_.between(50'000, 4 * second_us);
  const std::int64_t end_us = scene_.timeline.now_us() + length_us;
  client.harm_until(scene_.timeline.now_us());
  switch (fault) {
    case Fault::client_pause:
      scene_.note("client {} is paused", client.number());
      client.harm_until(end_us);
      client.pause();
      return scene_.timeline.at(end_us, [this, &client] {
        scene_.note("client {} runs again", client.number());
        client.resume();
      });
    case Fault::client_cut: {
      client.harm_until(end_us);
      const std::size_t only = scene_.below(2 * servers_.size());
      for (std::size_t server = 0; server < servers_.size(); ++server) {
        if (only < servers_.size() && server != only) continue;
        scene_.note("client {} is cut off from server {}", client.number(), server);
        block(client, server, true);
        scene_.timeline.at(end_us, [this, &client, server] { block(client, server, false); });
      }
      return;
    }
    case Fault::client_death:
      return client.die();
    default:
      scene_.note("client {}'s connection breaks", client.number());
      if (client.wire()) client.wire()->cut();
      return;
  }
}

void World::block(SimClient& client, std::size_t server, bool is_blocked) {
  int& count = blocked_[static_cast<std::size_t>(client.number())][server];
  count += is_blocked ? 1 : -1;
  for (const auto& wire : wires_) {
    if (&wire->client() == &client && &wire->server() == servers_[server].get()) {
      wire->set_blocked(count > 0);
    }
  }
}

// --- And afterwards -----------------------------------------------------------------------------

void World::heal() {
  scene_.note("all is well again");
  is_quiet_ = true;
  scene_.etcd.set_quorum(true);
  scene_.etcd_calm_since_us = scene_.timeline.now_us();
  scene_.etcd.set_full(false);
  const bool begins_anew = scene_.one_in(4);
  for (const auto& server : servers_) {
    if (begins_anew) server->crash();
    if (!server->is_up()) {
      server->boot();
      continue;
    }
    server->resume_after_pause();
    server->etcd().set_faults({});
    server->etcd().set_partitioned(false);
  }
  for (const auto& client : clients_) {
    client->harm_until(scene_.timeline.now_us());
    if (client->is_paused()) client->resume();
  }
}

}  // namespace baton::cluster_sim
