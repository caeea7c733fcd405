// Faults of all kinds, one after the other and several at once, as a seed has them. With other
// seeds and more of them: BATON_FIRST_SEED, BATON_SEEDS.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <random>
#include <thread>

#include "service/failover/fleet.h"
#include "service/failover/workload.h"
#include "support/seeds.h"

namespace baton::test {
namespace {

using namespace std::chrono_literals;

constexpr int steps = 8;

class Mischief {
 public:
  Mischief(Fleet& fleet, std::uint64_t seed) : fleet_(fleet), random_(seed) {}

  // Does something, and lets it be for a while. At times the next comes before this is over.
  void step() {
    begin();
    std::this_thread::sleep_for(std::chrono::milliseconds(pick(2000)));
    if (pick(3) != 0) repair();
  }
  void repair() {
    for (const auto& undo : undo_) undo();
    undo_.clear();
    fleet_.heal();
  }
  const std::string& story() const { return story_; }

 private:
  std::size_t pick(std::size_t below) {
    return std::uniform_int_distribution<std::size_t>(0, below - 1)(random_);
  }
  Way way() { return std::array{Way::both, Way::up, Way::down}[pick(3)]; }
  void tell(const std::string& what, std::size_t whom) {
    const auto past = std::chrono::steady_clock::now() - begin_;
    story_ += std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(past).count()) +
              " ms: " + what + " " + std::to_string(whom) + "\n";
  }
  // Mostly whoever leads, if somebody does.
  std::size_t server() {
    const std::size_t any = pick(fleet_.size());
    if (pick(3) == 0) return any;
    for (std::size_t i = 0; i < fleet_.size(); ++i) {
      if (fleet_.is_running(i) && fleet_.leads(i)) return i;
    }
    return any;
  }

  void begin() {
    switch (pick(5)) {
      case 0:
      case 1:
        return trouble_process(server());
      case 2:
        return trouble_etcd(pick(fleet_.etcd().size()));
      default:
        return trouble_network(server());
    }
  }

  void trouble_process(std::size_t server) {
    if (!fleet_.is_running(server) || fleet_.is_paused(server)) return;
    const std::size_t kind = pick(4);
    if (kind == 0) {
      tell("pause", server);
      fleet_.pause(server);
      undo_.push_back([this, server] { fleet_.resume(server); });
      return;
    }
    if (kind == 1) {
      tell("stop", server);
      fleet_.stop(server);
    } else {
      tell("kill", server);
      fleet_.kill(server);
    }
    undo_.push_back([this, server] { fleet_.start(server); });
  }

  // Never more than one at a time: with less than a majority there is nothing to be seen.
  void trouble_etcd(std::size_t member) {
    support::EtcdCluster& etcd = fleet_.etcd();
    for (std::size_t i = 0; i < etcd.size(); ++i) {
      if (!etcd.is_running(i) || is_etcd_paused_) return;
    }
    if (pick(2) == 0) {
      tell("kill etcd", member);
      etcd.kill(member);
      undo_.push_back([&etcd, member] { etcd.start(member); });
    } else {
      tell("pause etcd", member);
      etcd.pause(member);
      is_etcd_paused_ = true;
      undo_.push_back([this, &etcd, member] {
        etcd.resume(member);
        is_etcd_paused_ = false;
      });
    }
  }

  void trouble_network(std::size_t server) {
    const Way direction = way();
    const std::string where = direction == Way::both ? "" : direction == Way::up ? " up" : " down";
    switch (pick(7)) {
      case 0:
      case 1:
        tell("cut from etcd" + where, server);
        return fleet_.each_to_etcd(server, [&](Wire& wire) { wire.cut(direction); });
      case 2:
        tell("break connections to etcd of", server);
        return fleet_.each_to_etcd(server, [](Wire& wire) { wire.reset(); });
      case 3:
        tell("cut from clients" + where, server);
        return fleet_.to_server(server).cut(direction, Whose::clients);
      case 4:
        tell("cut from all" + where, server);
        return fleet_.to_server(server).cut(direction);
      case 5:
        tell("refuse all", server);
        fleet_.to_server(server).refuse();
        return fleet_.to_server(server).reset();
      default:
        tell("slow", server);
        fleet_.to_server(server).slow(5ms, 5, 300ms);
        return fleet_.each_to_etcd(server, [](Wire& wire) { wire.slow(10ms, 5, 300ms); });
    }
  }

  Fleet& fleet_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::minstd_rand random_;
  std::vector<std::function<void()>> undo_;
  bool is_etcd_paused_ = false;
  std::string story_;
};

TEST(RandomFaults, KeepAllPromises) {
  const std::uint64_t first = from_environment("BATON_FIRST_SEED", 0);
  const std::uint64_t count = from_environment("BATON_SEEDS", 1);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    Fleet fleet({.etcd = 3, .has_etcd_wires = true, .has_server_wires = true, .seed = seed + 1});
    Workload workload({.url = fleet.url(), .ttl = 60s, .seed = seed});
    Mischief mischief(fleet, seed + 1);
    for (int i = 0; i < steps; ++i) mischief.step();
    mischief.repair();
    fleet.etcd().wait_healthy();
    const bool goes_on = workload.goes_on();
    const std::string verdict = workload.verdict();
    ASSERT_TRUE(goes_on && verdict.empty()) << "seed " << seed << "\n"
                                            << verdict << "\n"
                                            << mischief.story() << "\n"
                                            << fleet.logs();
  }
}

}  // namespace
}  // namespace baton::test
