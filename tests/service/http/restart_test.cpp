// What survives the server: sessions, locks, and the answers to requests with keys.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "service/http/host_fixture.h"
#include "support/serve_process.h"

namespace baton::http {
namespace {

using namespace std::chrono_literals;

class RestartTest : public HostTest {
 protected:
  void SetUp() override {
    HostTest::SetUp();
    options.journal = "sqlite:" + (directory / "journal.db").string();
    start();
  }
  void restart() {
    stop();
    start();
  }
};

TEST_F(RestartTest, SessionsAndTheirLocksGoOn) {
  const std::string a = open();
  const std::uint64_t fence = lock(a, "x").number("fence");
  restart();
  EXPECT_EQ(post("/v1/lock", R"({"name":"x","try":true})").error(), "busy");
  EXPECT_EQ(keep_alive(a).status, 200);
  const auto holder = get("/v1/locks?name=x").json().at("locks").at(0).at("holders").at(0);
  EXPECT_EQ(holder.at("fence").to_number<std::uint64_t>(), fence);
  EXPECT_EQ(unlock(a, "x").status, 200);
}

TEST_F(RestartTest, AnswersAreRemembered) {
  const std::string a = open();
  const std::string key = "Idempotency-Key: k\r\n";
  const Answer first = post("/v1/lock", lock_body(a, "x"), key);
  const std::string opening = "Idempotency-Key: 0123456789abcdef\r\n";
  const Answer opened = post("/v1/lock", R"({"name":"y"})", opening);
  restart();
  EXPECT_EQ(post("/v1/lock", lock_body(a, "x"), key).body, first.body);
  EXPECT_EQ(post("/v1/lock", lock_body(a, "z"), key).status, 422);
  EXPECT_EQ(post("/v1/lock", R"({"name":"y"})", opening).body, opened.body);
}

TEST_F(RestartTest, TheFirstKeepaliveTellsWhatWasTakenAway) {
  const std::string a = open();
  const std::string key = "Idempotency-Key: k\r\n";
  EXPECT_EQ(post("/v1/lock", lock_body(a, "x"), key).status, 200);
  EXPECT_EQ(post("/v1/break", R"({"name":"x","force":true})").status, 200);
  restart();
  const auto lost = keep_alive(a).json().at("lost").as_array();
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_EQ(lost[0].at("name").as_string(), "x");
  EXPECT_EQ(post("/v1/lock", lock_body(a, "x"), key).error(), "lock_lost");
}

TEST_F(RestartTest, AnswersAreRememberedThroughASnapshot) {
  stop();
  options.engine.commands_per_snapshot = 10;
  start();
  const std::string a = open();
  const std::string key = "Idempotency-Key: k\r\n";
  const Answer first = post("/v1/lock", lock_body(a, "x"), key);
  ASSERT_TRUE(becomes_true([&] {
    put(R"({"key":"k","value":"v"})");
    return get("/metrics").body.find("\nbaton_snapshots_total 0\n") == std::string::npos;
  }));
  restart();
  EXPECT_EQ(post("/v1/lock", lock_body(a, "x"), key).body, first.body);
}

TEST_F(RestartTest, AWaitingRequestWithAKeyKeepsItsPlace) {
  const std::string a = open(), b = open(), c = open();
  lock(a, "x");
  const std::string key = "Idempotency-Key: k\r\n";
  TestClient waiting = begin("/v1/lock", lock_body(b, "x"), key);
  ASSERT_TRUE(wait_for("waiters", 1));
  restart();
  EXPECT_EQ(waiting.receive()->status, 503);
  TestClient behind = begin("/v1/lock", lock_body(c, "x"));
  ASSERT_TRUE(wait_for("waiters", 2));
  TestClient again = begin("/v1/lock", lock_body(b, "x"), key);
  unlock(a, "x");
  EXPECT_EQ(again.receive()->status, 200);
  EXPECT_FALSE(behind.receive(50ms));
}

TEST_F(RestartTest, AWaitingRequestWithoutAKeyIsTakenBack) {
  const std::string a = open(), b = open();
  lock(a, "x");
  TestClient waiting = begin("/v1/lock", lock_body(b, "x"));
  ASSERT_TRUE(wait_for("waiters", 1));
  restart();
  EXPECT_EQ(status("waiters"), 0U);
}

// --- As a process of its own --------------------------------------------------------------------

using Process = support::ServeProcess;

class HttpProcessTest : public HostTest {
 protected:
  std::vector<std::string> usual() const {
    return {"--journal", (directory / "journal.db").string()};
  }
  std::string log() const {
    std::ostringstream text;
    text << std::ifstream(directory / "log").rdbuf();
    return text.str();
  }
  // Learns the port from the log.
  void find_url() {
    ASSERT_TRUE(becomes_true([this] {
      const std::string text = log();
      const std::size_t at = text.find("serving http://");
      if (at == std::string::npos || text.find('\n', at) == std::string::npos) return false;
      url = text.substr(at + 8, text.find('\n', at) - at - 8);
      return true;
    })) << log();
  }
};

TEST_F(HttpProcessTest, NothingThatWasAnsweredIsLostWhenTheServerIsKilled) {
  std::vector<std::string> arguments = usual();
  arguments.insert(arguments.end(), {"--http", "127.0.0.1:0"});
  const std::string key = "Idempotency-Key: k\r\n";
  std::string a, b;
  Answer first;
  {
    Process server(arguments, directory / "log");
    find_url();
    a = open();
    b = open();
    first = post("/v1/lock", lock_body(a, "x"), key);
    begin("/v1/lock", lock_body(b, "x"), key);
    TestClient unkeyed = begin("/v1/lock", lock_body(b, "x", R"(,"owner":1)"));
    ASSERT_TRUE(wait_for("waiters", 2));
    server.end(SIGKILL);
  }
  Process server(arguments, directory / "log");
  find_url();
  EXPECT_TRUE(wait_for("waiters", 1)) << "the one without a key is taken back";
  EXPECT_EQ(post("/v1/lock", lock_body(a, "x"), key).body, first.body);
  EXPECT_EQ(unlock(a, "x").status, 200);
  const Answer granted = post("/v1/lock", lock_body(b, "x"), key);
  EXPECT_EQ(granted.status, 200);
  EXPECT_GT(granted.number("fence"), first.number("fence"));
  EXPECT_EQ(server.end(SIGTERM), 0);
}

TEST_F(HttpProcessTest, IsConfiguredByEnvironmentAndFile) {
  {
    Process server(usual(), directory / "log", {{"BATON_HTTP", "127.0.0.1:0"}});
    find_url();
    EXPECT_EQ(get("/healthz").status, 200);
  }
  std::ofstream(directory / "config") << "http = [\"127.0.0.1:0\", \"localhost:0\"]\n";
  std::vector<std::string> arguments = usual();
  arguments.insert(arguments.end(), {"--config", (directory / "config").string()});
  Process server(arguments, directory / "log");
  find_url();
  EXPECT_EQ(get("/v1/status").json().at("http").as_array().size(), 2U);
}

TEST_F(HttpProcessTest, SaysWhatIsWrongWithItsAddress) {
  for (const char* address : {"nonsense", "127.0.0.1:99999", "no.such.host.invalid:1"}) {
    std::vector<std::string> arguments = usual();
    arguments.insert(arguments.end(), {"--http", address});
    Process server(arguments, directory / "log");
    EXPECT_EQ(server.wait(), 2) << address;
    EXPECT_NE(log().find("critical"), std::string::npos);
  }
  std::vector<std::string> arguments = usual();
  arguments.insert(arguments.end(), {"--http", "0.0.0.0:0"});
  Process server(arguments, directory / "log");
  find_url();
  EXPECT_NE(log().find("there is no authentication yet"), std::string::npos);
  const std::string taken = "127.0.0.1:" + std::to_string(port_of(url));
  Process second({"--journal", "memory:", "--http", taken}, directory / "log");
  EXPECT_EQ(second.wait(), 2);
  EXPECT_NE(log().find("cannot listen on " + taken + ": the port is in use"), std::string::npos)
      << log();
}

}  // namespace
}  // namespace baton::http
