// What only a real etcd can show: members that die, stand still or lack space, and who may come in.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "service/etcd/world.h"

namespace baton::etcd {
namespace {

using Kind = Outcome::Kind;

support::EtcdClusterOptions three_members() {
  support::EtcdClusterOptions options;
  options.members = 3;
  return options;
}

// Puts until it is known to be done, however often the outcome is unknown in between.
void put_in_the_end(Waiting& etcd, const std::string& key, const std::string& value) {
  for (int i = 0; i < 100; ++i) {
    const auto put = etcd.put(key, value);
    if (put.outcome.ok()) return;
    ASSERT_EQ(put.outcome.kind, Kind::unknown) << put.outcome.message;
  }
  FAIL() << "etcd does not come back";
}

// The reason is known after the first attempt to connect, which may take longer than a call.
Outcome unknown_because(Waiting& etcd, const std::string& reason) {
  Outcome outcome;
  for (int i = 0; i < 100; ++i) {
    outcome = etcd.put("a", "1").outcome;
    if (outcome.kind != Kind::unknown || outcome.message.find(reason) != std::string::npos) break;
  }
  return outcome;
}

class ThreeMembers : public ::testing::Test {
 protected:
  ThreeMembers() : world_(three_members()) {}

  // The first endpoint is the one that is used at first.
  std::unique_ptr<Etcd> connect(std::size_t first, std::int64_t timeout_ms = 2000) {
    EtcdOptions options = world_.options();
    std::swap(options.endpoints[0], options.endpoints[first]);
    options.timeout_ms = timeout_ms;
    return etcd::connect(options);
  }
  std::size_t follower() const { return (world_.cluster.leader() + 1) % 3; }

  RealWorld world_;
};

TEST_F(ThreeMembers, GoOnWithoutTheOneInUse) {
  const std::size_t victim = follower();
  const auto client = connect(victim);
  Waiting etcd(world_, *client);
  Told told;
  client->watch(KeyRange::prefix("k"), 2, told.hear());
  ASSERT_TRUE(etcd.put("k1", "1").outcome.ok());
  ASSERT_TRUE(world_.until([&] { return told.events.size() == 1; }));
  world_.cluster.kill(victim);
  put_in_the_end(etcd, "k2", "2");
  EXPECT_EQ(etcd.get("k1")->value, "1");
  ASSERT_TRUE(
      world_.until([&] { return !told.events.empty() && told.events.back().item.key == "k2"; }));
  std::vector<MemberStatus> members;
  for (int i = 0; i < 100; ++i) {
    members = etcd.members();
    ASSERT_EQ(members.size(), 3U);
    if (members[1].is_healthy && members[2].is_healthy) break;
  }
  EXPECT_FALSE(members[0].is_healthy);
  EXPECT_NE(members[0].problem, "");
  EXPECT_TRUE(members[1].is_healthy);
  EXPECT_NE(members[1].leads, members[2].leads);
}

TEST_F(ThreeMembers, GoOnWithoutTheirLeader) {
  const std::size_t victim = world_.cluster.leader();
  const auto client = connect(victim);
  Waiting etcd(world_, *client);
  const auto before = etcd.put("a", "1");
  ASSERT_TRUE(before.outcome.ok());
  world_.cluster.kill(victim);
  put_in_the_end(etcd, "a", "2");
  EXPECT_EQ(etcd.get("a")->value, "2");
  EXPECT_GT(etcd.put("a", "3").result.term, before.result.term);
}

TEST_F(ThreeMembers, AreTriedInTurnFromTheStart) {
  const std::size_t victim = follower();
  world_.cluster.kill(victim);
  const auto client = connect(victim);
  Waiting etcd(world_, *client);
  const auto put = etcd.put("a", "1");
  EXPECT_TRUE(put.outcome.ok()) << "the first call already waits for the second endpoint: "
                                << put.outcome.message;
}

TEST_F(ThreeMembers, GoOnWithoutOneThatStandsStill) {
  const std::size_t victim = follower();
  const auto client = connect(victim, 500);
  Waiting etcd(world_, *client);
  Told told;
  client->watch(KeyRange::prefix("k"), 2, told.hear());
  put_in_the_end(etcd, "k1", "1");
  ASSERT_TRUE(world_.until([&] { return told.events.size() >= 1; }));
  world_.cluster.pause(victim);
  put_in_the_end(etcd, "k2", "2");
  ASSERT_TRUE(world_.until([&] {
    return !told.events.empty() && told.events.back().item.key == "k2";
  })) << "the watch moves as well";
  world_.cluster.resume(victim);
}

// Nobody calls: only the silence of the connection tells.
TEST_F(ThreeMembers, AQuietWatchLeavesOneThatStandsStill) {
  const std::size_t victim = follower();
  const auto watcher = connect(victim);
  const auto writer = connect((victim + 1) % 3);
  Waiting etcd(world_, *writer);
  Told told;
  watcher->watch(KeyRange::prefix("k"), 2, told.hear());
  put_in_the_end(etcd, "k1", "1");
  ASSERT_TRUE(world_.until([&] { return told.events.size() == 1; }));
  world_.cluster.pause(victim);
  put_in_the_end(etcd, "k2", "2");
  ASSERT_TRUE(
      world_.until([&] { return !told.events.empty() && told.events.back().item.key == "k2"; }));
  world_.cluster.resume(victim);
}

TEST_F(ThreeMembers, WithoutAMajorityNothingIsKnownAndThenAllGoesOn) {
  const auto client = connect(0, 500);
  Waiting etcd(world_, *client);
  Told told;
  client->watch(KeyRange::prefix(""), 2, told.hear());
  put_in_the_end(etcd, "a", "1");
  const LeaseId lease = etcd.grant(600).lease;
  world_.cluster.kill(1);
  world_.cluster.kill(2);
  for (int i = 0; i < 3; ++i) {
    const auto put = etcd.put("b", "1");
    EXPECT_EQ(put.outcome.kind, Kind::unknown) << put.outcome.message;
    EXPECT_NE(put.outcome.message, "");
  }
  EXPECT_EQ(etcd.range({KeyRange::one("a")}).outcome.kind, Kind::unknown) << "no stale answers";
  EXPECT_EQ(etcd.renew(lease).outcome.kind, Kind::unknown);
  world_.cluster.start(1);
  world_.cluster.start(2);
  world_.cluster.wait_healthy();
  put_in_the_end(etcd, "c", "1");
  for (int i = 0; i < 100 && !etcd.renew(lease).outcome.ok(); ++i) {
  }
  EXPECT_GT(etcd.renew(lease).ttl_s, 0);
  ASSERT_TRUE(
      world_.until([&] { return !told.events.empty() && told.events.back().item.key == "c"; }));
  // Every revision once, without a gap.
  Revision next = 2;
  for (const Event& event : told.events) EXPECT_EQ(event.item.mod_revision, next++);
}

TEST(RealEtcd, AWatchGoesOnAfterACut) {
  RealWorld world;
  const auto client = world.connect();
  Waiting etcd(world, *client);
  Told told;
  client->watch(KeyRange::prefix(""), 2, told.hear());
  constexpr int rounds = 3;
  for (int i = 0; i < rounds; ++i) {
    ASSERT_TRUE(etcd.put("a" + std::to_string(i), "").outcome.ok());
    world.cluster.kill(0);
    world.cluster.start(0);
    world.cluster.wait_healthy();
    put_in_the_end(etcd, "b" + std::to_string(i), "");
  }
  ASSERT_TRUE(
      world.until([&] { return !told.events.empty() && told.events.back().item.key == "b2"; }));
  Revision next = 2;
  for (const Event& event : told.events) EXPECT_EQ(event.item.mod_revision, next++);
  EXPECT_GE(told.events.size(), 2U * rounds);
  EXPECT_FALSE(told.end);
}

TEST(RealEtcd, AWatchThatWasCutTooLongSaysSo) {
  RealWorld world;
  const auto client = world.connect();
  Waiting etcd(world, *client);
  Told told;
  client->watch(KeyRange::one("watched"), 2, told.hear());
  put_in_the_end(etcd, "watched", "");
  ASSERT_TRUE(world.until([&] { return told.events.size() == 1; }));
  for (int i = 0; i < 5; ++i) put_in_the_end(etcd, "other", "");
  ASSERT_TRUE(etcd.compact(6).ok());
  world.cluster.kill(0);
  world.cluster.start(0);
  world.cluster.wait_healthy();
  ASSERT_TRUE(world.until([&] { return told.end.has_value(); }));
  EXPECT_EQ(told.end->kind, Kind::compacted);
}

// So that quiet watches are not compacted away.
TEST(RealEtcd, AQuietWatchSaysHowFarItHasCome) {
  support::EtcdClusterOptions options;
  options.arguments = {"--experimental-watch-progress-notify-interval", "100ms"};
  RealWorld world(options);
  const auto client = world.connect();
  Waiting etcd(world, *client);
  Told told;
  client->watch(KeyRange::one("watched"), 2, told.hear());
  for (int i = 0; i < 5; ++i) put_in_the_end(etcd, "other", "");
  ASSERT_TRUE(world.until([&] { return told.revision == 6; }));
  EXPECT_TRUE(told.events.empty());
  ASSERT_TRUE(etcd.compact(6).ok());
  world.cluster.kill(0);
  world.cluster.start(0);
  world.cluster.wait_healthy();
  put_in_the_end(etcd, "watched", "");
  ASSERT_TRUE(world.until([&] { return told.events.size() == 1; }));
  EXPECT_FALSE(told.end);
}

TEST(RealEtcd, ThatCannotBeReachedIsUnknownAndSaysWhy) {
  RealWorld world;
  EtcdOptions options = world.options();
  world.cluster.kill(0);
  options.timeout_ms = 300;
  const auto client = etcd::connect(options);
  Waiting etcd(world, *client);
  const Outcome outcome = unknown_because(etcd, "Connection refused");
  EXPECT_EQ(outcome.kind, Kind::unknown);
  EXPECT_NE(outcome.message.find("Connection refused"), std::string::npos) << outcome.message;
  world.cluster.start(0);
  world.cluster.wait_healthy();
  put_in_the_end(etcd, "a", "1");
}

TEST(RealEtcd, CanBeLeftWhileItStandsStill) {
  RealWorld world;
  auto client = world.connect();
  Waiting etcd(world, *client);
  ASSERT_TRUE(etcd.put("a", "1").outcome.ok());
  world.cluster.pause(0);
  int called = 0;
  for (int i = 0; i < 10; ++i) {
    client->range({KeyRange::one("a")}, [&](const Outcome&, const RangeResult&) { ++called; });
  }
  client->watch(KeyRange::one("a"), 1, [&](const Changes&) { ++called; });
  client->renew_lease(1, [&](const Outcome&, std::int64_t) { ++called; });
  client.reset();
  world.cluster.resume(0);
  EXPECT_EQ(called, 0);
}

TEST(RealEtcd, OutOfSpaceTakesNothingMoreButLetsGo) {
  support::EtcdClusterOptions options;
  options.arguments = {"--quota-backend-bytes", "1000000"};
  RealWorld world(options);
  const auto client = world.connect();
  Waiting etcd(world, *client);
  const LeaseId lease = etcd.grant(600).lease;
  Outcome outcome;
  for (int i = 0; i < 100 && outcome.ok(); ++i) {
    outcome = etcd.put("k" + std::to_string(i), std::string(100'000, 'x')).outcome;
  }
  EXPECT_EQ(outcome.kind, Kind::full) << outcome.message;
  EXPECT_EQ(etcd.put("small", "").outcome.kind, Kind::full);
  EXPECT_EQ(etcd.grant(60).outcome.kind, Kind::full);
  EXPECT_TRUE(etcd.get("k0"));
  EXPECT_TRUE(etcd.remove(KeyRange::one("k0")).outcome.ok());
  EXPECT_FALSE(etcd.get("k0"));
  EXPECT_GT(etcd.renew(lease).ttl_s, 0);
  EXPECT_TRUE(etcd.revoke(lease).ok());
  const auto members = etcd.members();
  EXPECT_FALSE(members[0].is_healthy);
  EXPECT_EQ(members[0].problem, "out of space");
  EXPECT_GT(members[0].store_bytes, 0);
}

// Certificates made for the test: an authority, one for etcd, one for the client, and a stranger's
// authority.
class Certificates {
 public:
  Certificates() {
    authority("ca");
    authority("stranger");
    certificate("server", "subjectAltName=IP:127.0.0.1,DNS:etcd.example");
    certificate("client", "extendedKeyUsage=clientAuth");
  }
  std::string file(const std::string& name) const { return (directory_.path() / name).string(); }

 private:
  void run(const std::string& command) const {
    const std::string line =
        "cd " + directory_.path().string() + " && openssl " + command + " >>openssl.log 2>&1";
    ASSERT_EQ(std::system(line.c_str()), 0) << command;
  }
  void authority(const std::string& name) const {
    run("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=" + name +
        " -keyout " + name + ".key -out " + name + ".pem");
  }
  void certificate(const std::string& name, const std::string& extension) const {
    std::ofstream(file(name + ".cnf")) << extension << '\n';
    run("req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=" + name + " -keyout " +
        name + ".key -out " + name + ".csr");
    run("x509 -req -days 2 -in " + name +
        ".csr -CA ca.pem -CAkey ca.key -CAcreateserial -extfile " + name + ".cnf -out " + name +
        ".pem");
  }

  support::ScratchDirectory directory_;
};

support::EtcdClusterOptions with_tls(const Certificates& certificates) {
  support::EtcdClusterOptions options;
  options.ca_file = certificates.file("ca.pem");
  options.certificate_file = certificates.file("server.pem");
  options.key_file = certificates.file("server.key");
  options.asks_for_certificates = true;
  return options;
}

TEST(RealEtcd, SpeaksTlsBothWays) {
  const Certificates certificates;
  RealWorld world(with_tls(certificates));
  const auto outcome = [&](const std::optional<Tls>& tls, bool is_to_work) {
    EtcdOptions options = world.options();
    options.tls = tls;
    if (!is_to_work) options.timeout_ms = 1000;
    const auto client = etcd::connect(options);
    return Waiting(world, *client).put("a", "1").outcome;
  };
  const Tls right{certificates.file("ca.pem"), certificates.file("client.pem"),
                  certificates.file("client.key"), ""};
  EXPECT_TRUE(outcome(right, true).ok());
  Tls named = right;
  named.server_name = "etcd.example";
  EXPECT_TRUE(outcome(named, true).ok());

  named.server_name = "other.example";
  EXPECT_EQ(outcome(named, false).kind, Kind::unknown);
  Tls anonymous = right;
  anonymous.certificate_file.clear();
  anonymous.key_file.clear();
  EXPECT_EQ(outcome(anonymous, false).kind, Kind::unknown);
  Tls deceived = right;
  deceived.ca_file = certificates.file("stranger.pem");
  EtcdOptions options = world.options();
  options.tls = deceived;
  options.timeout_ms = 1000;
  const auto client = etcd::connect(options);
  Waiting etcd(world, *client);
  const Outcome distrusted = unknown_because(etcd, "certificate verify failed");
  EXPECT_EQ(distrusted.kind, Kind::unknown);
  EXPECT_NE(distrusted.message.find("certificate verify failed"), std::string::npos)
      << distrusted.message;
  EXPECT_EQ(outcome({}, false).kind, Kind::unknown) << "without TLS";
}

TEST(RealEtcd, OptionsThatCannotBeUsedAreRefused) {
  EtcdOptions options;
  options.post = [](const std::function<void()>&) {};
  EXPECT_THROW(etcd::connect(options), std::runtime_error);
  options.endpoints = {"127.0.0.1:1"};
  options.tls = Tls{"/nowhere/ca.pem", "", "", ""};
  EXPECT_THROW(etcd::connect(options), std::runtime_error);
  options.tls = Tls{"", "/nowhere/certificate.pem", "", ""};
  EXPECT_THROW(etcd::connect(options), std::runtime_error);
}

class Users : public ::testing::Test {
 protected:
  Users() {
    control("user add root:secret");
    control("user grant-role root root");
    control("role add some");
    control("role grant-permission some --prefix=true readwrite mine/");
    control("user add somebody:word");
    control("user grant-role somebody some");
    control("auth enable");
  }
  void control(const std::string& command) {
    const std::string line = "ETCDCTL_API=3 etcdctl --endpoints=" + world_.cluster.endpoint(0) +
                             " " + command + " >/dev/null 2>&1";
    ASSERT_EQ(std::system(line.c_str()), 0) << command;
  }
  std::unique_ptr<Etcd> connect(const std::string& user, const std::string& password) {
    EtcdOptions options = world_.options();
    options.user = user;
    options.password = password;
    return etcd::connect(options);
  }

  RealWorld world_;
};

TEST_F(Users, ComeInWithTheirPasswordAndDoWhatTheyMay) {
  const auto client = connect("somebody", "word");
  Waiting etcd(world_, *client);
  Told mine;
  Told others;
  client->watch(KeyRange::prefix("mine/"), 2, mine.hear());
  client->watch(KeyRange::prefix("yours/"), 2, others.hear());
  const auto put = etcd.put("mine/a", "1");
  EXPECT_TRUE(put.outcome.ok()) << put.outcome.message;
  EXPECT_EQ(etcd.put("yours/a", "1").outcome.kind, Kind::refused);
  const auto granted = etcd.grant(60);
  EXPECT_TRUE(granted.outcome.ok());
  EXPECT_EQ(etcd.renew(granted.lease).ttl_s, 60);
  ASSERT_TRUE(world_.until([&] { return mine.events.size() == 1 && others.end; }));
  EXPECT_EQ(others.end->kind, Kind::refused);
}

TEST_F(Users, AreRefusedWithoutIt) {
  for (const auto& [user, password] :
       {std::pair{"somebody", "wrong"}, {"nobody", "word"}, {"", ""}}) {
    const auto client = connect(user, password);
    Waiting etcd(world_, *client);
    const auto put = etcd.put("mine/a", "1");
    EXPECT_EQ(put.outcome.kind, Kind::refused) << put.outcome.message;
    EXPECT_NE(put.outcome.message, "");
  }
}

TEST_F(Users, GetANewTokenWhenTheOldOneIsNotKnownAnyMore) {
  const auto client = connect("somebody", "word");
  Waiting etcd(world_, *client);
  Told told;
  client->watch(KeyRange::prefix("mine/"), 2, told.hear());
  ASSERT_TRUE(etcd.put("mine/a", "1").outcome.ok());
  // A change of users makes tokens out of date.
  control("--user root:secret user add another:word");
  constexpr int count = 20;
  int done = 0;
  for (int i = 0; i < count; ++i) {
    client->transact({{}, {Operation::put("mine/b" + std::to_string(i), "")}, {}},
                     [&](const Outcome& outcome, const TransactionResult&) {
                       EXPECT_TRUE(outcome.ok()) << outcome.message;
                       ++done;
                     });
  }
  ASSERT_TRUE(world_.until([&] { return done == count; }));
  ASSERT_TRUE(etcd.put("mine/c", "1").outcome.ok());
  // etcd forgets tokens when it is started again.
  world_.cluster.kill(0);
  world_.cluster.start(0);
  world_.cluster.wait_healthy();
  put_in_the_end(etcd, "mine/d", "1");
  const auto granted = etcd.grant(60);
  EXPECT_EQ(etcd.renew(granted.lease).ttl_s, 60);
  ASSERT_TRUE(world_.until(
      [&] { return !told.events.empty() && told.events.back().item.key == "mine/d"; }));
  EXPECT_FALSE(told.end);
}

TEST(RealEtcd, WithoutUsersIgnoresThem) {
  RealWorld world;
  EtcdOptions options = world.options();
  options.user = "somebody";
  options.password = "word";
  const auto client = etcd::connect(options);
  Waiting etcd(world, *client);
  EXPECT_TRUE(etcd.put("a", "1").outcome.ok());
}

}  // namespace
}  // namespace baton::etcd
