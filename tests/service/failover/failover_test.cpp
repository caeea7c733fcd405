// Servers that are killed, paused and stopped, with clients at work.
#include <gtest/gtest.h>

#include <future>
#include <optional>
#include <set>

#include "service/failover/fleet.h"
#include "service/failover/workload.h"

namespace baton::test {
namespace {

using namespace std::chrono_literals;

// How many hold and wait, as "1+0".
std::string use_of(Client& client, const std::string& name) {
  const auto info = client.locks({.name = name});
  if (!info) return info.message();
  if (info->locks.empty()) return "0+0";
  return std::to_string(info->locks[0].holders.size()) + "+" +
         std::to_string(info->locks[0].waiters.size());
}

// Clients that wait in line for a lock that somebody holds, and in what order they came.
class Line {
 public:
  Line(Fleet& fleet, std::size_t count) : holder_(fleet.connect()) {
    lock_ = holder_.lock("line").value();
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_fast = i % 2 == 0;
      clients_.push_back(std::make_unique<Client>(fleet.connect({.ttl = 30s, .fast = is_fast})));
      grants_.push_back(std::async(std::launch::async, [&it = *clients_.back(), is_fast] {
        auto lock = it.lock("line", {.fast = is_fast});
        EXPECT_TRUE(lock) << lock.message();
        return lock ? lock->fence() : 0;
      }));
      EXPECT_TRUE(eventually([&] { return use_of(holder_, "line") == waiting(i + 1); }));
    }
  }

  static std::string waiting(std::size_t count) { return "1+" + std::to_string(count); }

  bool is_held() const { return lock_.is_held(); }
  Client& holder() { return holder_; }

  // They get it in the order in which they came: each has a larger fence than the one before.
  void expect_order() {
    EXPECT_TRUE(lock_.is_held());
    std::vector<std::uint64_t> fences = {lock_.fence()};
    const auto released = lock_.release();
    EXPECT_TRUE(released) << released.message();
    for (auto& grant : grants_) {
      ASSERT_EQ(grant.wait_for(60s), std::future_status::ready) << "a waiter was forgotten";
      fences.push_back(grant.get());
    }
    for (std::size_t i = 1; i < fences.size(); ++i) EXPECT_GT(fences[i], fences[i - 1]) << i;
  }

 private:
  Client holder_;
  Lock lock_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<std::future<std::uint64_t>> grants_;
};

constexpr const char* without_farewell = "etcd did not confirm the clean stop";

// Whoever leads next has nothing to wait for, unless etcd took too long.
void expect_no_crash(const Fleet& fleet) {
  if (fleet.logs().find(without_farewell) != std::string::npos) return;
  EXPECT_EQ(fleet.logs().find("the last leader crashed"), std::string::npos) << fleet.logs();
}

TEST(Failover, ClientThatKnowsOneServerFindsTheLeader) {
  Fleet fleet;
  const std::size_t leader = fleet.leader();
  const std::size_t standby = (leader + 1) % fleet.size();
  auto client = fleet.connect({.url = fleet.direct_url(standby)});
  auto lock = client.lock("name").value();
  fleet.kill(leader);
  EXPECT_TRUE(client.put("key", "value"));
  EXPECT_TRUE(lock.is_held());
  EXPECT_TRUE(lock.release());
}

TEST(Failover, LeaderIsKilledAgainAndAgain) {
  Fleet fleet;
  Workload workload({.url = fleet.url()});
  ASSERT_TRUE(workload.goes_on());
  for (int round = 0; round < 3; ++round) {
    const std::size_t leader = fleet.leader();
    fleet.kill(leader);
    EXPECT_TRUE(workload.goes_on()) << fleet.logs();
    fleet.start(leader);
  }
  EXPECT_EQ(workload.verdict(), "") << fleet.logs();
  const auto epochs = fleet.epochs();
  EXPECT_GE(epochs.size(), 4u);
  EXPECT_EQ(std::set<std::uint64_t>(epochs.begin(), epochs.end()).size(), epochs.size());
}

TEST(Failover, KilledStandbysAreNotNoticed) {
  Fleet fleet;
  Workload workload({.url = fleet.url()});
  ASSERT_TRUE(workload.goes_on());
  const std::size_t leader = fleet.leader();
  for (std::size_t i = 0; i < fleet.size(); ++i) {
    if (i != leader) fleet.kill(i);
  }
  EXPECT_TRUE(workload.goes_on());
  for (std::size_t i = 0; i < fleet.size(); ++i) fleet.start(i);
  EXPECT_TRUE(workload.goes_on());
  EXPECT_TRUE(fleet.leads(leader));
  EXPECT_EQ(workload.verdict(), "") << fleet.logs();
  EXPECT_EQ(fleet.epochs().size(), 1u) << fleet.logs();
}

TEST(Failover, LineIsKeptWhenTheLeaderIsKilled) {
  Fleet fleet;
  Line line(fleet, 5);
  for (int round = 0; round < 2; ++round) {
    const std::size_t leader = fleet.leader();
    fleet.kill(leader);
    EXPECT_TRUE(eventually([&] { return use_of(line.holder(), "line") == Line::waiting(5); }))
        << use_of(line.holder(), "line");
    fleet.start(leader);
  }
  line.expect_order();
}

// Nothing has to be reclaimed, also not by those of the fast grade: nobody ever waits for reports.
TEST(Failover, CleanStopHandsOver) {
  Fleet fleet;
  Workload workload({.url = fleet.url()});
  Line line(fleet, 4);
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(workload.goes_on());
    const std::size_t leader = fleet.leader();
    EXPECT_EQ(fleet.stop(leader), 0);
    ASSERT_TRUE(workload.goes_on()) << fleet.logs();
    fleet.start(leader);
  }
  line.expect_order();
  EXPECT_EQ(workload.verdict(), "") << fleet.logs();
  expect_no_crash(fleet);
  EXPECT_EQ(fleet.epochs().size(), 4u) << fleet.logs();
}

// Stops the leader while etcd hears nothing of it, so that its farewell cannot be written, and
// connects to it; meanwhile a standby is started, which does so as well. What the connection comes
// to; nothing if the leader has ended before that is known.
std::optional<std::string> answer_of_a_leader_that_stops() {
  // etcd does not miss it in the meantime.
  Fleet fleet({.has_etcd_wires = true, .arguments = {"--leader-lease", "60"}});
  const std::size_t leader = fleet.leader();
  const std::size_t standby = (leader + 1) % fleet.size();
  auto client = fleet.connect({.fast = true});
  auto lock = client.lock("fast", {.fast = true}).value();
  fleet.kill(standby);
  fleet.each_to_etcd(leader, [](Wire& wire) { wire.cut(Way::up); });
  fleet.begin_stop(leader);
  fleet.start(standby);
  EXPECT_TRUE(fleet.will_say(leader, "stopping"));
  const auto connected =
      Client::connect({.url = fleet.direct_url(leader), .keep_trying = false, .session = false});
  const bool was_there = fleet.is_running(leader) && !fleet.has_said(leader, without_farewell);
  EXPECT_FALSE(connected);
  fleet.heal();
  EXPECT_EQ(fleet.wait(leader), 0);
  fleet.leader();
  EXPECT_TRUE(lock.release());
  expect_no_crash(fleet);
  if (!was_there) return std::nullopt;
  return connected.message();
}

// If it refused the connection it would be taken for dead. It waits for etcd for three seconds,
// which a busy machine may need for the connection: then once more.
TEST(Failover, LeaderIsFoundStoppingUntilItsFarewellIsWritten) {
  std::optional<std::string> answer;
  for (int tries = 0; tries < 10 && !answer; ++tries) answer = answer_of_a_leader_that_stops();
  ASSERT_TRUE(answer);
  EXPECT_NE(answer->find("the server is stopping"), std::string::npos) << *answer;
}

// What the server that was killed had granted without writing it down is known to its client.
TEST(Failover, FastLocksAreReported) {
  Fleet fleet({.has_etcd_wires = true});
  auto holder = fleet.connect({.fast = true});
  auto other = fleet.connect({.fast = true});
  const std::size_t leader = fleet.leader();
  // Nothing of it comes to be written, whatever the server does.
  fleet.each_to_etcd(leader, [](Wire& wire) { wire.cut(Way::up); });
  auto lock = holder.lock("fast", {.fast = true}).value();
  fleet.kill(leader);
  EXPECT_EQ(other.lock("fast", {.wait = 1s, .fast = true}).error(), Error::timed_out);
  EXPECT_TRUE(eventually([&] { return use_of(other, "fast") == "1+0"; })) << fleet.logs();
  EXPECT_TRUE(lock.is_held());
  const auto released = lock.release();
  EXPECT_TRUE(released) << released.message();
  auto next = other.lock("fast", {.fast = true});
  ASSERT_TRUE(next) << next.message();
  EXPECT_GT(next->fence(), lock.fence());
}

// A client of the fast grade that died with the server may have held anything: until its lease is
// over nobody gets anything.
TEST(Failover, DeadFastClientIsWaitedFor) {
  Fleet fleet;
  auto dead = fleet.connect({.ttl = 3s, .fast = true});
  auto lock = dead.lock("its", {.fast = true}).value();
  auto other = fleet.connect();
  const std::uint64_t gone = dead.session();
  const std::uint64_t fence = lock.fence();
  ASSERT_TRUE(dead.detach());
  fleet.kill(fleet.leader());
  auto next = other.lock("its");
  ASSERT_TRUE(next) << next.message();
  EXPECT_GT(next->fence(), fence);
  const auto sessions = other.sessions().value();
  for (const SessionInfo& one : sessions) EXPECT_NE(one.session, gone);
}

// It does not know that it was paused. What it is asked afterwards it must not answer, though by
// what it knows it could; and it learns that another leads.
TEST(Failover, PausedLeaderGrantsNothingWhenItGoesOn) {
  Fleet fleet;
  Workload workload({.url = fleet.url(), .ttl = 9s});
  const std::size_t zombie = fleet.leader();
  // Knows no other server and is slow to give up a connection, so that its requests wait for the
  // one that is paused.
  auto patient = fleet.connect({.url = fleet.url(zombie), .ttl = 60s});
  ASSERT_TRUE(workload.goes_on());
  fleet.pause(zombie);
  auto waiting = std::async(std::launch::async, [&] { return patient.lock("prize"); });
  fleet.leader_but(zombie);
  auto other = fleet.connect();
  auto prize = other.lock("prize").value();
  ASSERT_TRUE(workload.goes_on()) << fleet.logs();
  fleet.resume(zombie);
  EXPECT_TRUE(fleet.will_say(zombie, "this server no longer leads")) << fleet.log(zombie);
  EXPECT_TRUE(eventually([&] { return use_of(other, "prize") == "1+1"; }));
  EXPECT_EQ(waiting.wait_for(0s), std::future_status::timeout) << "the zombie has granted it";
  EXPECT_TRUE(prize.is_held());
  EXPECT_TRUE(prize.release());
  const auto next = waiting.get();
  ASSERT_TRUE(next) << next.message();
  EXPECT_GT(next->fence(), prize.fence());
  EXPECT_TRUE(eventually([&] {
    const auto status = fleet.status(zombie);
    return status && status->follows && status->trouble.empty();
  }));
  EXPECT_TRUE(workload.goes_on());
  EXPECT_EQ(workload.verdict(), "") << fleet.logs();
}

}  // namespace
}  // namespace baton::test
