// Members of etcd that are killed, paused, not there yet, and out of space.
#include <gtest/gtest.h>

#include <future>

#include "service/failover/fleet.h"
#include "service/failover/workload.h"

namespace baton::test {
namespace {

using namespace std::chrono_literals;

TEST(EtcdFaults, OneMemberIsKilledAfterTheOther) {
  Fleet fleet({.etcd = 3});
  Workload workload({.url = fleet.url(), .ttl = 40s});
  ASSERT_TRUE(workload.goes_on());
  support::EtcdCluster& etcd = fleet.etcd();
  const std::size_t follower = (etcd.leader() + 1) % etcd.size();
  etcd.kill(follower);
  EXPECT_TRUE(workload.goes_on()) << fleet.logs();
  etcd.start(follower);
  etcd.wait_healthy();
  const std::size_t leader = etcd.leader();
  etcd.kill(leader);
  EXPECT_TRUE(workload.goes_on()) << fleet.logs();
  etcd.start(leader);
  etcd.wait_healthy();
  EXPECT_TRUE(workload.goes_on()) << fleet.logs();
  EXPECT_EQ(workload.verdict(), "") << fleet.logs();
}

// Without a majority nothing that has to be durable is answered; with its return all goes on.
TEST(EtcdFaults, MajorityIsKilledAndReturns) {
  Fleet fleet({.etcd = 3});
  Workload workload({.url = fleet.url(), .ttl = 60s});
  ASSERT_TRUE(workload.goes_on());
  const std::size_t leader = fleet.leader();
  auto client = fleet.connect({.ttl = 60s});
  fleet.etcd().kill(0);
  fleet.etcd().kill(1);
  auto put = std::async(std::launch::async, [&] { return client.put("key", "value"); });
  EXPECT_TRUE(eventually([&] {
    const auto status = fleet.status(leader);
    return status && status->trouble.find("cannot prove that it still leads") != std::string::npos;
  })) << fleet.log(leader);
  EXPECT_EQ(put.wait_for(0s), std::future_status::timeout);
  fleet.etcd().start(0);
  fleet.etcd().start(1);
  EXPECT_TRUE(workload.goes_on()) << fleet.logs();
  const auto stored = put.get();
  EXPECT_TRUE(stored) << stored.message();
  EXPECT_EQ(client.get("key")->version, 1u);
  EXPECT_EQ(workload.verdict(), "") << fleet.logs();
}

// A member that stands still looks like one that is slow.
TEST(EtcdFaults, LeadingMemberStandsStill) {
  Fleet fleet({.etcd = 3});
  Workload workload({.url = fleet.url(), .ttl = 40s});
  ASSERT_TRUE(workload.goes_on());
  const std::size_t paused = fleet.etcd().leader();
  fleet.etcd().pause(paused);
  EXPECT_TRUE(workload.goes_on()) << fleet.logs();
  fleet.etcd().resume(paused);
  fleet.etcd().wait_healthy();
  EXPECT_TRUE(workload.goes_on()) << fleet.logs();
  EXPECT_EQ(workload.verdict(), "") << fleet.logs();
}

int etcdctl(Fleet& fleet, const std::string& arguments) {
  const std::string command = "ETCDCTL_API=3 etcdctl --endpoints=" + fleet.etcd().endpoint(0) +
                              " " + arguments + " >>" + fleet.file("etcdctl").string() + " 2>&1";
  return std::system(command.c_str());
}

// Somebody else has filled it. What was asked for meanwhile is done when there is room again.
TEST(EtcdFaults, OutOfSpace) {
  Fleet fleet({.etcd_arguments = {"--quota-backend-bytes=2000000"}});
  auto client = fleet.connect({.ttl = 60s});
  ASSERT_TRUE(client.put("key", "before"));
  const std::string file = fleet.file("filling").string();
  ASSERT_EQ(std::system(("head -c 600000 /dev/zero | tr '\\0' x >" + file).c_str()), 0);
  // etcd looks at its size now and then, so that more than the quota may fit at first.
  ASSERT_TRUE(eventually([&, i = 0]() mutable {
    return etcdctl(fleet, "put filling" + std::to_string(i++ % 5) + " <" + file) != 0;
  }));
  auto put = std::async(std::launch::async, [&] { return client.put("key", "after"); });
  EXPECT_TRUE(eventually([&] {
    for (std::size_t i = 0; i < fleet.size(); ++i) {
      const auto said = fleet.status(i);
      if (said && said->trouble.find("space exceeded") != std::string::npos) return true;
    }
    return false;
  })) << fleet.logs();
  EXPECT_EQ(put.wait_for(0s), std::future_status::timeout);
  EXPECT_TRUE(client.is_alive());
  ASSERT_EQ(etcdctl(fleet, "del --prefix filling"), 0);
  ASSERT_EQ(
      etcdctl(fleet, "compact $(ETCDCTL_API=3 etcdctl --endpoints=" + fleet.etcd().endpoint(0) +
                         " endpoint status -w json | grep -o '\"revision\":[0-9]*' | grep -o "
                         "'[0-9]*')"),
      0);
  ASSERT_EQ(etcdctl(fleet, "defrag"), 0);
  ASSERT_EQ(etcdctl(fleet, "alarm disarm"), 0);
  const auto stored = put.get();
  ASSERT_TRUE(stored) << stored.message();
  EXPECT_EQ(stored->version, 2u);
  EXPECT_EQ(client.get("key")->value, "after");
}

TEST(EtcdFaults, NotThereAtFirst) {
  Fleet fleet({.servers = 2, .starts_servers = false});
  fleet.etcd().stop(0);
  fleet.start(0);
  EXPECT_TRUE(fleet.will_say(0, "no connection to etcd at " + fleet.etcd().endpoint(0)))
      << fleet.log(0);
  EXPECT_TRUE(fleet.is_running(0));
  const auto status = fleet.status(0);
  ASSERT_TRUE(status) << "it can be asked how it is";
  EXPECT_NE(status->trouble.find("no connection to etcd"), std::string::npos);
  fleet.start(1);
  fleet.etcd().start(0);
  fleet.leader();
  auto client = fleet.connect();
  EXPECT_TRUE(client.lock("name"));
}

}  // namespace
}  // namespace baton::test
