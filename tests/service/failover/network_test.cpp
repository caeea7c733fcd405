// Networks that fail: between the leading server and etcd, between clients and servers, between the
// servers; cut in both directions or in one, slow, and broken in the middle of something.
#include <gtest/gtest.h>

#include <cmath>
#include <future>
#include <thread>

#include "service/failover/believer.h"
#include "service/failover/fleet.h"
#include "service/failover/workload.h"

namespace baton::test {
namespace {

using namespace std::chrono_literals;

// Takes what another believes to hold, as soon as the service gives it: not before the other has
// ceased to believe.
void expect_succession(Believer& first, Client& second) {
  auto lock = second.lock(first.belief().name);
  ASSERT_TRUE(lock) << lock.message();
  const std::int64_t from_us = io::boottime_us();
  ASSERT_TRUE(lock->is_held());
  ASSERT_TRUE(eventually([&] { return !first.believes(); })) << "it believes for ever";
  const Belief& before = first.belief();
  EXPECT_EQ(judge({before, {before.name, 2, lock->fence(), from_us, from_us}}),
            std::vector<std::string>{});
}

class CutFromEtcd : public testing::TestWithParam<Way> {};

// It stops to answer before another can lead, and says why. Whoever is connected to it and to
// nobody else loses what it holds before another gets it, and is not told of the past.
TEST_P(CutFromEtcd, LeaderIsSucceeded) {
  Fleet fleet({.has_etcd_wires = true});
  Workload workload({.url = fleet.url(), .ttl = 8s});
  ASSERT_TRUE(workload.goes_on());
  const std::size_t leader = fleet.leader();
  auto stuck = fleet.connect({.url = fleet.direct_url(leader), .ttl = 4s});
  Believer believer(stuck.lock("prize").value(), 1);
  auto reader = fleet.connect({.url = fleet.direct_url(leader), .ttl = 60s});
  fleet.each_to_etcd(leader, [](Wire& wire) { wire.cut(GetParam()); });
  const std::size_t next = fleet.leader_but(leader);
  auto other = fleet.connect({.url = fleet.direct_url(next)});
  ASSERT_TRUE(other.put("written", "meanwhile"));
  auto reading = std::async(std::launch::async, [&] { return reader.get("written"); });
  expect_succession(believer, other);
  EXPECT_TRUE(eventually([&] {
    const auto status = fleet.status(leader);
    return status && !status->trouble.empty();
  }));
  EXPECT_TRUE(fleet.will_say(leader, "etcd: ")) << fleet.log(leader);
  EXPECT_TRUE(workload.goes_on()) << fleet.logs();
  fleet.heal();
  EXPECT_TRUE(fleet.will_say(leader, "this server no longer leads"));
  EXPECT_TRUE(eventually([&] {
    const auto status = fleet.status(leader);
    return status && status->follows && status->trouble.empty();
  }));
  EXPECT_TRUE(fleet.leads(next));
  EXPECT_TRUE(reading.get()) << "it was told of the past";
  EXPECT_TRUE(workload.goes_on());
  EXPECT_EQ(workload.verdict(), "") << fleet.logs();
}

INSTANTIATE_TEST_SUITE_P(Ways, CutFromEtcd, testing::Values(Way::both, Way::up, Way::down),
                         [](const auto& param) {
                           return std::string(param.param == Way::up     ? "NothingArrives"
                                              : param.param == Way::down ? "NothingComesBack"
                                                                         : "Both");
                         });

// A standby that takes a living leader for dead, and that leader, which does not learn of it, is
// still sure for a while that it leads, and answers: the successor gives the time that this takes
// to those who have not spoken to it yet.
TEST(Takeover, EarlyOneWaitsForWhatWasPromised) {
  Fleet fleet({.has_etcd_wires = true, .has_server_wires = true});
  const std::size_t leader = fleet.leader();
  auto stuck = fleet.connect({.url = fleet.direct_url(leader), .ttl = 3s});
  Believer believer(stuck.lock("prize").value(), 1);
  fleet.each_to_etcd(leader, [](Wire& wire) { wire.cut(); });
  fleet.to_server(leader).refuse();
  fleet.to_server(leader).reset();
  auto other = fleet.connect({.url = fleet.direct_url(fleet.leader_but(leader))});
  expect_succession(believer, other);
}

// What a leader had under way when it was deposed arrives at etcd after its successor has begun to
// write. It is never taken for what the successor writes there.
TEST(Takeover, LateAppendsAreRefused) {
  Fleet fleet({.has_etcd_wires = true, .has_server_wires = true});
  const std::size_t leader = fleet.leader();
  auto stuck = fleet.connect({.url = fleet.direct_url(leader), .ttl = 30s});
  auto other = fleet.connect({.url = fleet.direct_url(), .ttl = 30s});
  ASSERT_TRUE(stuck.put("before", "yes"));
  fleet.each_to_etcd(leader, [](Wire& wire) { wire.cut(Way::up); });
  std::vector<std::future<Result<Stored>>> late;
  for (int i = 0; i < 4; ++i) {
    late.push_back(std::async(
        std::launch::async, [&stuck, i] { return stuck.put("late " + std::to_string(i), "yes"); }));
    std::this_thread::sleep_for(50ms);
  }
  fleet.to_server(leader).refuse();
  fleet.to_server(leader).reset();
  const std::size_t next = fleet.leader_but(leader);
  fleet.heal();
  for (auto& put : late) {
    const auto stored = put.get();
    ASSERT_TRUE(stored) << stored.message();
    EXPECT_EQ(stored->version, 1u);
  }
  ASSERT_TRUE(other.put("after", "yes"));
  fleet.kill(next);
  for (const char* key : {"before", "late 0", "late 1", "late 2", "late 3", "after"}) {
    const auto file = other.get(key);
    EXPECT_TRUE(file) << key << " was acknowledged and is lost: " << file.message();
    if (file) {
      EXPECT_EQ(file->version, 1u) << key;
    }
  }
}

TEST(ClientsCutFromTheLeader, KeepWhatTheyHave) {
  Fleet fleet({.has_server_wires = true});
  Workload workload({.url = fleet.url(), .ttl = 40s});
  ASSERT_TRUE(workload.goes_on());
  const std::size_t leader = fleet.leader();
  for (const Way way : {Way::both, Way::up, Way::down}) {
    fleet.to_server(leader).cut(way, Whose::clients);
    std::this_thread::sleep_for(1s);
    fleet.heal();
    EXPECT_TRUE(workload.goes_on()) << fleet.logs();
    fleet.to_server(leader).reset(Whose::clients);
    EXPECT_TRUE(workload.goes_on()) << fleet.logs();
  }
  EXPECT_EQ(workload.verdict(), "") << fleet.logs();
  EXPECT_EQ(fleet.epochs().size(), 1u) << "others have taken over\n" << fleet.logs();
}

TEST(ClientsCutFromTheLeader, LoseWhatTheyHaveBeforeOthersGetIt) {
  Fleet fleet({.has_server_wires = true});
  auto away = fleet.connect({.ttl = 2s});
  auto fast = fleet.connect({.ttl = 2s, .fast = true});
  Believer of_away(away.lock("durable").value(), 1);
  Believer of_fast(fast.lock("fast", {.fast = true}).value(), 1);
  auto other = fleet.connect({.url = fleet.direct_url()});
  for (std::size_t i = 0; i < fleet.size(); ++i) {
    fleet.to_server(i).cut(i % 2 == 0 ? Way::down : Way::up, Whose::clients);
  }
  expect_succession(of_away, other);
  expect_succession(of_fast, other);
  EXPECT_FALSE(away.is_alive());
  EXPECT_FALSE(fast.is_alive());
}

// Silence between servers says nothing about the leader.
TEST(ServersCutFromEachOther, LeaveAHealthyLeaderAlone) {
  Fleet fleet({.has_server_wires = true});
  Workload workload({.url = fleet.url()});
  for (std::size_t i = 0; i < fleet.size(); ++i) {
    fleet.to_server(i).cut(Way::both, Whose::servers);
  }
  std::this_thread::sleep_for(3s);
  EXPECT_TRUE(workload.goes_on());
  fleet.heal();
  EXPECT_TRUE(workload.goes_on());
  EXPECT_EQ(workload.verdict(), "") << fleet.logs();
  EXPECT_EQ(fleet.epochs().size(), 1u) << fleet.logs();
}

// A refusal may be wrong, and is believed less and less often.
TEST(ServersCutFromEachOther, DoNotDeposeLeadersAgainAndAgain) {
  Fleet fleet({.has_server_wires = true});
  Workload workload({.url = fleet.direct_url()});
  const std::int64_t begin_us = io::boottime_us();
  for (std::size_t i = 0; i < fleet.size(); ++i) {
    fleet.to_server(i).refuse();
    fleet.to_server(i).reset(Whose::servers);
  }
  std::this_thread::sleep_for(8s);
  EXPECT_TRUE(workload.goes_on()) << fleet.logs();
  const double seconds = static_cast<double>(io::boottime_us() - begin_us) / 1e6;
  // Each believes it at once, then after 2, 4, 8 … seconds.
  const double beliefs = 2 + std::log2(1 + seconds / 2);
  EXPECT_LE(static_cast<double>(fleet.epochs().size()), 1 + 3 * beliefs) << fleet.logs();
  EXPECT_GT(fleet.epochs().size(), 1u) << "refusals are believed at first";
  fleet.heal();
  EXPECT_EQ(workload.verdict(), "") << fleet.logs();
}

// Something between the servers accepts connections and ends them: that is no reason to be busy.
TEST(ServersCutFromEachOther, ConnectOnlyNowAndThen) {
  Fleet fleet({.servers = 2, .has_server_wires = true});
  const std::size_t leader = fleet.leader();
  fleet.to_server(leader).hang_up();
  fleet.to_server(leader).reset();
  const std::size_t before = fleet.to_server(leader).accepted();
  std::this_thread::sleep_for(2s);
  const std::size_t attempts = fleet.to_server(leader).accepted() - before;
  EXPECT_GT(attempts, 0u);
  EXPECT_LT(attempts, 50u);
}

TEST(SlowLinks, OnlyTakeLonger) {
  Fleet fleet({.etcd = 3, .has_etcd_wires = true, .has_server_wires = true});
  for (std::size_t i = 0; i < fleet.size(); ++i) {
    fleet.each_to_etcd(i, [](Wire& wire) { wire.slow(10ms, 3, 200ms); });
    fleet.to_server(i).slow(5ms, 3, 300ms);
  }
  Workload workload({.url = fleet.url()});
  EXPECT_TRUE(workload.goes_on()) << fleet.logs();
  fleet.kill(fleet.leader());
  EXPECT_TRUE(workload.goes_on()) << fleet.logs();
  EXPECT_EQ(workload.verdict(), "") << fleet.logs();
}

// From the first word of a client to its last: its connection breaks there, and the server that it
// spoke to is gone.
TEST(MovingClient, GetsItsLockOnce) {
  Fleet fleet({.has_server_wires = true});
  std::uint64_t last_fence = 0;
  for (std::size_t step = 0; step < 12; ++step) {
    const std::size_t leader = fleet.leader();
    Wire& wire = fleet.to_server(leader);
    wire.reset_at(step % 2 == 0 ? Way::up : Way::down, step / 2 + 1);
    auto moving = std::async(std::launch::async, [&]() -> std::uint64_t {
      const bool is_fast = step % 4 < 2;
      auto client = fleet.connect({.ttl = 20s, .fast = is_fast, .label = "moving"});
      auto lock = client.lock("moved", {.fast = is_fast});
      EXPECT_TRUE(lock) << lock.message();
      if (!lock) return 0;
      EXPECT_TRUE(lock->is_held());
      const auto released = lock->release();
      EXPECT_TRUE(released) << released.message();
      EXPECT_TRUE(client.close());
      return lock->fence();
    });
    ASSERT_TRUE(eventually(
        [&] { return wire.has_reset() || moving.wait_for(0s) == std::future_status::ready; }));
    if (step % 3 == 0) {
      fleet.stop(leader);
    } else {
      fleet.kill(leader);
    }
    ASSERT_EQ(moving.wait_for(60s), std::future_status::ready) << step << "\n" << fleet.logs();
    const std::uint64_t fence = moving.get();
    EXPECT_GT(fence, last_fence) << step;
    last_fence = fence;
    fleet.start(leader);
  }
  auto client = fleet.connect();
  EXPECT_TRUE(client.locks()->locks.empty());
  EXPECT_TRUE(eventually([&] { return client.sessions()->size() == 1; }));
}

}  // namespace
}  // namespace baton::test
