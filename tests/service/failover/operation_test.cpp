// What those who run a cluster are told: by the log, /readyz, /metrics and the status.
#include <gtest/gtest.h>

#include "service/failover/fleet.h"
#include "service/http/http_client.h"

namespace baton::test {
namespace {

class Operation : public testing::Test {
 protected:
  static FleetOptions watched(FleetOptions options) {
    options.arguments.insert(options.arguments.end(), {"--http", "127.0.0.1:0"});
    return options;
  }
  // What the server answers now; it has said itself where it serves HTTP.
  static http::Answer get(const Fleet& fleet, std::size_t server, const std::string& path) {
    const auto status = fleet.status(server);
    if (!status || status->http.empty()) return {};
    return http::ask(status->http.front(), "GET", path);
  }
  static bool metrics_have(const Fleet& fleet, std::size_t server, const std::string& text) {
    return get(fleet, server, "/metrics").body.find(text) != std::string::npos;
  }
};

TEST_F(Operation, OnlyTheLeaderIsReadyAndTheOthersSayWhoLeads) {
  Fleet fleet(watched({.servers = 2}));
  const std::size_t leader = fleet.leader();
  const std::size_t standby = 1 - leader;
  EXPECT_EQ(get(fleet, leader, "/readyz").status, 200);
  EXPECT_TRUE(eventually([&] {
    const http::Answer answer = get(fleet, standby, "/readyz");
    return answer.status == 503 && answer.body.find(fleet.url(leader)) != std::string::npos;
  })) << get(fleet, standby, "/readyz").body;
  EXPECT_EQ(get(fleet, standby, "/healthz").status, 200);
}

TEST_F(Operation, AServerThatLosesEtcdSaysWhyInEveryPlace) {
  Fleet fleet(watched({.servers = 1, .has_etcd_wires = true}));
  ASSERT_TRUE(fleet.connect().put("key", "value"));
  fleet.to_etcd(0).cut();
  EXPECT_TRUE(eventually([&] {
    const http::Answer answer = get(fleet, 0, "/readyz");
    return answer.status == 503 &&
           answer.body.find("cannot prove that it still leads") != std::string::npos;
  })) << get(fleet, 0, "/readyz").body;
  EXPECT_NE(fleet.status(0)->trouble.find("cannot prove that it still leads"), std::string::npos);
  EXPECT_TRUE(fleet.will_say(0, "this server grants nothing until etcd answers")) << fleet.log(0);
  EXPECT_TRUE(metrics_have(fleet, 0, "\nbaton_leading 0\n"));
  EXPECT_TRUE(metrics_have(fleet, 0, "\nbaton_proof_left_seconds 0\n"));
  auto stale = fleet.connect({.session = false, .stale = true});
  EXPECT_TRUE(stale.get("key"));
  EXPECT_GT(stale.age().count(), 0) << "another may have written meanwhile";
  fleet.heal();
  EXPECT_TRUE(eventually([&] { return get(fleet, 0, "/readyz").status == 200; })) << fleet.log(0);
}

TEST_F(Operation, FailoversAndLeaseMarginsAreCounted) {
  Fleet fleet(watched({.servers = 2}));
  const std::size_t first = fleet.leader();
  EXPECT_TRUE(metrics_have(fleet, first, "\nbaton_leaderships_total 1\n"));
  EXPECT_TRUE(metrics_have(fleet, 1 - first, "\nbaton_leaderships_total 0\n"));
  EXPECT_TRUE(eventually([&] {
    return get(fleet, first, "/metrics").body.find("\nbaton_lease_margin_seconds_count 0\n") ==
           std::string::npos;
  }));
  // Its key is taken away, as a standby that takes it for dead does.
  const std::string command = "ETCDCTL_API=3 etcdctl --endpoints=" + fleet.etcd().endpoint(0) +
                              " del test/live/leader >" + fleet.file("etcdctl").string();
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_TRUE(
      eventually([&] { return metrics_have(fleet, first, "\nbaton_leaderships_lost_total 1\n"); }));
  const std::size_t second = fleet.leader();
  fleet.kill(second);
  EXPECT_EQ(fleet.leader(), 1 - second);
  EXPECT_TRUE(metrics_have(fleet, 1 - second, "\nbaton_leaders_suspected_total 1\n"));
}

TEST_F(Operation, EtcdThatComesCloseToItsQuotaIsWarnedOf) {
  Fleet fleet(watched({.servers = 2, .arguments = {"--etcd-quota", "4MiB"}}));
  const std::string words = "of its quota are used";
  EXPECT_TRUE(eventually([&] { return metrics_have(fleet, 0, "baton_etcd_healthy{endpoint="); }));
  EXPECT_FALSE(fleet.has_said(0, words)) << fleet.log(0);
  const std::string file = fleet.file("filling").string();
  ASSERT_EQ(std::system(("head -c 400000 /dev/zero | tr '\\0' x >" + file).c_str()), 0);
  EXPECT_TRUE(eventually([&, i = 0]() mutable {
    const std::string command = "ETCDCTL_API=3 etcdctl --endpoints=" + fleet.etcd().endpoint(0) +
                                " put filling" + std::to_string(i++) + " <" + file + " >>" +
                                fleet.file("etcdctl").string() + " 2>&1";
    if (i < 20) EXPECT_EQ(std::system(command.c_str()), 0);
    return fleet.has_said(0, words) && fleet.has_said(1, words);
  })) << fleet.logs();
  EXPECT_TRUE(metrics_have(
      fleet, 0, "baton_etcd_quota_bytes{endpoint=\"" + fleet.etcd().endpoint(0) + "\"} 4194304\n"));
  const auto status = fleet.status(0);
  ASSERT_TRUE(status);
  EXPECT_NE(status->etcd.at(0).problem.find(words), std::string::npos);
  EXPECT_TRUE(status->etcd.at(0).is_healthy);
}

// More than a connection may have unsent otherwise.
TEST_F(Operation, ALargeServiceIsBackedUp) {
  Fleet fleet(watched({.servers = 1}));
  auto client = fleet.connect({.ttl = std::chrono::seconds(60)});
  const std::string value(60'000, 'x');
  constexpr std::size_t files = 700;
  for (std::size_t i = 0; i < files; ++i) ASSERT_TRUE(client.put(std::to_string(i), value));
  for (int i = 0; i < 2; ++i) {
    const auto backup = client.backup();
    ASSERT_TRUE(backup) << backup.message();
    EXPECT_GT(backup->size(), files * value.size());
  }
}

// A file that is written again and again, until two snapshots have taken the place of most of it.
TEST_F(Operation, HistoryIsCompactedOnlyInAnEtcdOfOurOwn) {
  for (const bool is_dedicated : {false, true}) {
    FleetOptions options = watched({.servers = 1});
    if (is_dedicated) options.environment.push_back("BATON_ETCD_DEDICATED=true");
    Fleet fleet(options);
    const auto first_is_kept = [&] {
      const std::string command = "ETCDCTL_API=3 etcdctl --endpoints=" + fleet.etcd().endpoint(0) +
                                  " get none --rev 2 >>" + fleet.file("etcdctl").string() + " 2>&1";
      return std::system(command.c_str()) == 0;
    };
    EXPECT_TRUE(first_is_kept());
    auto client = fleet.connect();
    const std::string value(60'000, 'x');
    EXPECT_TRUE(eventually([&] {
      for (int i = 0; i < 100; ++i) EXPECT_TRUE(client.put("key", value));
      return metrics_have(fleet, 0, "\nbaton_snapshots_total 2\n");
    }));
    if (is_dedicated) EXPECT_TRUE(eventually([&] { return !first_is_kept(); }));
    EXPECT_EQ(first_is_kept(), !is_dedicated);
    EXPECT_EQ(client.get("key")->value, value);
  }
}

}  // namespace
}  // namespace baton::test
