#include "service/cluster_sim/judge.h"

#include <algorithm>

#include "service/cluster_sim/sim_client.h"
#include "service/cluster_sim/sim_server.h"

namespace baton::cluster_sim {

namespace {

// In which a client that is not harmed surely finds the server that leads.
constexpr std::int64_t time_to_find_us = 2'500'000;

}  // namespace

// --- Locks --------------------------------------------------------------------------------------

void Judge::entered(const SimClient& client, const Entry& entry, std::uint64_t ticket) {
  ++entries_;
  check_alone(client, entry);
  check_fence(client, entry);
  check_order(client, entry, ticket);
  inside_[client.number()] = entry;
}

void Judge::left(const SimClient& client) { inside_.erase(client.number()); }

// Each by its own lease: who is paused is inside until that is over.
void Judge::check_alone(const SimClient& client, const Entry& entry) {
  for (const auto& [number, other] : inside_) {
    if (number == client.number() || other.name != entry.name) continue;
    if (other.is_shared && entry.is_shared) continue;
    if (!clients_[static_cast<std::size_t>(number)]->has_lease()) continue;
    scene_.wrong("client {} came into '{}' with fence {}, where client {} is with fence {}",
                 client.number(), entry.name, entry.fence, number, other.fence);
  }
}

void Judge::check_fence(const SimClient& client, const Entry& entry) {
  Fences& fences = fences_[entry.name];
  const std::uint64_t below = entry.is_shared ? fences.largest_exclusive : fences.largest;
  if (entry.fence <= below) {
    scene_.wrong("client {} came into '{}' with fence {}, after one with {}", client.number(),
                 entry.name, entry.fence, below);
  }
  fences.largest = std::max(fences.largest, entry.fence);
  if (entry.is_shared) return;
  fences.largest_exclusive = entry.fence;
  const std::string who = fmt::format("client {} at '{}'", client.number(), entry.name);
  const auto [at, is_new] = exclusive_.emplace(entry.fence, who);
  if (!is_new) scene_.wrong("fence {} was given to {} and to {}", entry.fence, at->second, who);
}

// Who was told an earlier place in line, and still waits there, has been passed over.
void Judge::check_order(const SimClient& client, const Entry& entry, std::uint64_t ticket) {
  if (ticket == 0 || entry.is_shared) return;
  for (const SimClient* other : clients_) {
    if (other == &client || !other->has_lease()) continue;
    const auto waiting = other->waiting();
    if (!waiting || waiting->name != entry.name || !waiting->is_patient) continue;
    if (!waiting->is_exclusive || waiting->ticket == 0 || waiting->ticket > ticket) continue;
    scene_.wrong("client {} came into '{}' from place {} while client {} still waits at place {}",
                 client.number(), entry.name, ticket, other->number(), waiting->ticket);
  }
}

void Judge::look_at(const SimServer& leader) {
  const service::State& state = leader.engine().state();
  const auto unreported = state.unreported();
  for (const auto& [number, entry] : inside_) {
    const SimClient& client = *clients_[static_cast<std::size_t>(number)];
    if (!client.has_lease()) continue;
    const service::SessionId session{client.session()};
    const bool is_awaited =
        std::find(unreported.begin(), unreported.end(), session) != unreported.end();
    if (is_awaited) continue;
    const auto lock = state.lock(service::Namespace::lock, entry.name);
    const bool is_known =
        lock &&
        std::any_of(lock->holders.begin(), lock->holders.end(), [&](const service::Hold& holder) {
          return holder.party.session == session && holder.fence.value == entry.fence &&
                 !holder.is_over();
        });
    if (!is_known) {
      scene_.wrong("server {} leads and does not know that client {} holds '{}' with fence {}",
                   leader.url(), number, entry.name, entry.fence);
    }
  }
}

// --- The file -----------------------------------------------------------------------------------

void Judge::counted(const SimClient& client, std::uint64_t from, std::uint64_t to) {
  if (to != from + 1) {
    scene_.wrong("client {} counted from {} and was told {}", client.number(), from, to);
  }
  if (!counted_.insert(to).second) {
    scene_.wrong("client {} counted to {}, as another has before", client.number(), to);
  }
  most_counted_ = std::max(most_counted_, to);
}

void Judge::read(const SimClient& client, std::uint64_t at_least, std::uint64_t version,
                 const std::string& value) {
  if (version < at_least) {
    scene_.wrong("client {} read {} when {} had been acknowledged before it asked", client.number(),
                 version, at_least);
  }
  if (version > 0 && value != std::to_string(version)) {
    scene_.wrong("client {} read '{}' as version {}", client.number(), value, version);
  }
}

// --- Sessions -----------------------------------------------------------------------------------

void Judge::told_over(const SimClient& client, const SimServer& by) {
  ++endings_;
  const std::int64_t now_us = scene_.timeline.now_us();
  const std::int64_t ttl_us = client.ttl_us();
  if (by.is_serving() && by.has_taken_over(client.session()) &&
      now_us - by.serving_since_us() < ttl_us * 98 / 100) {
    scene_.wrong("server {} has led for {} ms and ended the session of client {}, whose ttl is {}",
                 by.url(), (now_us - by.serving_since_us()) / 1000, client.number(), ttl_us / 1000);
  }
  // It must have found the server in time, and the session must not have been ended before that:
  // the end may have been decided long before it is told.
  const std::int64_t end_us = by.last_had_us(client.session()).value_or(now_us);
  const std::int64_t window_us = ttl_us * 102 / 100 + time_to_find_us;
  const std::int64_t well_since_us = std::max(client.unharmed_since_us(), by.sure_since_us());
  const bool is_late = client.asked_us(by).value_or(now_us) > well_since_us + window_us;
  if (is_late || end_us >= well_since_us + window_us) {
    scene_.wrong("server {} ended the session of client {}, to whom nothing had happened", by.url(),
                 client.number());
  }
}

void Judge::unanswered(const SimClient& client, std::int64_t lease_us) {
  ++endings_;
  const std::int64_t begin_us = scene_.timeline.now_us() - lease_us - time_to_find_us;
  if (client.unharmed_since_us() > begin_us) return;
  for (const SimServer* server : servers_) {
    if (!server->is_up() || server->is_paused() || !server->is_serving()) continue;
    if (!server->is_listening() || !server->is_leader_in_etcd()) continue;
    if (server->sure_since_us() > begin_us) continue;
    scene_.wrong("client {} lost its session although nothing had happened to it or to server {}",
                 client.number(), server->url());
  }
}

}  // namespace baton::cluster_sim
