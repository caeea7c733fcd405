// What everybody in a simulated world shares: time, chance, the judge, and the trace of what
// happens.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <deque>
#include <random>
#include <string>
#include <utility>

#include "service/cluster_sim/timeline.h"
#include "service/lease/lease.h"
#include "support/model_etcd.h"

namespace baton::cluster_sim {

// A rule of the cluster's that is left out on purpose, in the surroundings of the real code.
enum class Flaw : std::uint8_t {
  none,
  no_forgetting,        // a deposed leader keeps what it had not written
  leader_not_compared,  // appends do not compare the leader's key
  order_not_compared,   // ... nor whether the record before is there
  mixed_revisions,      // what is loaded is not read at one revision
  keys_not_looked_at    // who has a lease is taken to have the leader's key as well
};

struct Scene {
  explicit Scene(std::uint64_t seed) : random(seed), etcd(seed), timeline(etcd) {}

  std::uint64_t below(std::uint64_t bound) { return random() % bound; }
  bool one_in(std::uint64_t bound) { return below(bound) == 0; }
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(most - least + 1)));
  }

  // The first that goes wrong counts.
  template <class... Parts>
  void wrong(fmt::format_string<Parts...> text, Parts&&... parts) {
    if (!problem.empty()) return;
    problem = fmt::format(text, std::forward<Parts>(parts)...);
    if (is_traced) note("WRONG: {}", problem);
  }
  template <class... Parts>
  void note(fmt::format_string<Parts...> text, Parts&&... parts) {
    if (!is_traced) return;
    trace.push_back(fmt::format("{:>10.6f} ", static_cast<double>(timeline.now_us()) / 1'000'000) +
                    fmt::format(text, std::forward<Parts>(parts)...));
    if (trace.size() > most_traced) trace.pop_front();
  }

  static constexpr std::size_t most_traced = 200;

  std::mt19937_64 random;
  etcd::ModelEtcd etcd;
  Timeline timeline;
  Flaw flaw = Flaw::none;
  service::LeaseRule omitted_by_clients = service::LeaseRule::none;
  std::int64_t longest_delay_us = 2000;  // of messages between clients and servers
  std::int64_t etcd_calm_since_us = 0;   // since then its leader has not changed
  bool is_traced = false;
  std::deque<std::string> trace;
  std::string problem;
};

}  // namespace baton::cluster_sim
