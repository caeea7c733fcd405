// Servers that must not join: with another cluster's prefix, with another's name, and where
// something else lies.
#include <gtest/gtest.h>

#include "service/failover/fleet.h"

namespace baton::test {
namespace {

using namespace std::chrono_literals;

int etcdctl(Fleet& fleet, const std::string& arguments) {
  const std::string command = "ETCDCTL_API=3 etcdctl --endpoints=" + fleet.etcd().endpoint(0) +
                              " " + arguments + " >>" + fleet.file("etcdctl").string() + " 2>&1";
  return std::system(command.c_str());
}

TEST(Joining, AnotherClustersPrefixIsRefused) {
  Fleet fleet({.servers = 2, .starts_servers = false});
  fleet.start(0);
  fleet.leader();
  auto client = fleet.connect();
  auto lock = client.lock("name").value();
  fleet.start(1, {"--cluster", "other"});
  EXPECT_NE(fleet.wait(1), 0);
  EXPECT_TRUE(fleet.has_said(1, "the prefix 'test' belongs to the cluster 'baton'"))
      << fleet.log(1);
  EXPECT_TRUE(fleet.leads(0));
  EXPECT_TRUE(lock.release());
  EXPECT_EQ(fleet.epochs().size(), 1u);
  // Beside it there is room.
  fleet.start(1,
              {"--cluster", "other", "--journal", "etcd://" + fleet.etcd().endpoint(0) + "/other"});
  EXPECT_TRUE(fleet.will_say(1, "leading in epoch"));
  EXPECT_TRUE(fleet.leads(0));
}

TEST(Joining, AnotherServersNameIsRefused) {
  Fleet fleet({.servers = 2, .starts_servers = false, .arguments = {"--leader-lease", "1"}});
  fleet.start(0);
  fleet.leader();
  auto client = fleet.connect();
  fleet.start(1, {"--name", "server-0"});
  EXPECT_NE(fleet.wait(1), 0);
  EXPECT_TRUE(fleet.has_said(1, "a server named 'server-0' already runs at")) << fleet.log(1);
  EXPECT_TRUE(fleet.leads(0));
  EXPECT_TRUE(client.lock("name"));
  // One that was killed is not in the way of the next of its name.
  fleet.kill(0);
  fleet.start(0);
  EXPECT_EQ(fleet.leader(), 0u);
  EXPECT_TRUE(client.lock("name"));
}

TEST(Joining, SomethingElseUnderThePrefixIsLeftAlone) {
  Fleet fleet({.servers = 2, .starts_servers = false});
  ASSERT_EQ(etcdctl(fleet, "put test/cluster hello"), 0);
  fleet.start(0);
  EXPECT_NE(fleet.wait(0), 0);
  EXPECT_TRUE(fleet.has_said(0, "etcd holds other data under the prefix 'test'")) << fleet.log(0);
  ASSERT_EQ(etcdctl(fleet, "del test/cluster"), 0);
  ASSERT_EQ(etcdctl(fleet, "put test/live/record/0000000000000001 hello"), 0);
  fleet.start(1);
  EXPECT_NE(fleet.wait(1), 0);
  EXPECT_TRUE(fleet.has_said(1, "a record is unreadable")) << fleet.log(1);
  ASSERT_EQ(etcdctl(fleet, "del test/live/record/0000000000000001"), 0);
  ASSERT_EQ(etcdctl(fleet, "put test/kept/floor hello"), 0);
  fleet.start(0);
  EXPECT_NE(fleet.wait(0), 0);
  EXPECT_TRUE(fleet.has_said(0, "somebody has changed 'test/kept/floor'")) << fleet.log(0);
}

// Whoever is not brought up to date says so, and leaves everything as it is.
TEST(Joining, NewerClusterIsLeftAlone) {
  Fleet fleet({.servers = 2, .starts_servers = false});
  const auto put = [&](const std::string& key, const std::string& octal) {
    return etcdctl(fleet, "put test/" + key + " \"$(printf '" + octal + "')\"");
  };
  // The name 'baton', and format 99.
  ASSERT_EQ(put("cluster", R"(\012\005baton\020\143)"), 0);
  fleet.start(0);
  EXPECT_NE(fleet.wait(0), 0);
  EXPECT_TRUE(fleet.has_said(0, "a newer version of baton runs the cluster 'baton'"))
      << fleet.log(0);
  ASSERT_EQ(etcdctl(fleet, "del test/cluster"), 0);
  // A batch of version 99.
  ASSERT_EQ(put("live/record/0000000000000001", R"(\010\143)"), 0);
  fleet.start(1);
  EXPECT_NE(fleet.wait(1), 0);
  EXPECT_TRUE(fleet.has_said(1, "was written by a newer version of baton")) << fleet.log(1);
}

// A journal from which somebody has removed something is no journal.
TEST(Joining, JournalWithAGapIsRefused) {
  Fleet fleet({.servers = 1});
  auto client = fleet.connect();
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(client.put("key", std::to_string(i)));
  ASSERT_TRUE(client.detach());
  fleet.kill(0);
  ASSERT_EQ(etcdctl(fleet, "del test/live/record/0000000000000003"), 0);
  fleet.start(0);
  EXPECT_NE(fleet.wait(0), 0);
  EXPECT_TRUE(fleet.has_said(0, "the journal in etcd has a gap before record 4")) << fleet.log(0);
}

}  // namespace
}  // namespace baton::test
