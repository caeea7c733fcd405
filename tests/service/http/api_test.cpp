// What can be done over HTTP, against a server with real sockets.
#include <gtest/gtest.h>

#include <boost/asio/post.hpp>
#include <future>
#include <vector>

#include "service/http/host_fixture.h"

namespace baton::http {
namespace {

class ApiTest : public HostTest {
 protected:
  void SetUp() override {
    HostTest::SetUp();
    start();
  }

  // Whatever is sent meanwhile, the server sees all at once.
  void at_once(const std::function<void()>& what) {
    std::promise<void> stopped, done;
    boost::asio::post(host->io(), [&stopped, until = done.get_future().share()] {
      stopped.set_value();
      until.wait();
    });
    stopped.get_future().wait();
    what();
    done.set_value();
  }
  // The request waits for what `holder` holds, and hangs up as that is let go of. True if it was
  // granted all the same: it has taken a fence.
  bool is_granted_as_it_hangs_up(const std::string& holder, const std::string& name,
                                 const std::string& target, const std::string& body,
                                 const std::string& header = {}) {
    const std::uint64_t fence = lock(holder, name).number("fence");
    TestClient waiting = begin(target, body, header);
    if (!wait_for("waiters", 1)) return false;
    TestClient unlocking(url);
    unlocking.ask("GET", "/healthz");  // the server knows this connection
    at_once([&] {
      unlocking.send(TestClient::text_of("POST", "/v1/unlock", lock_body(holder, name)));
      waiting.hang_up();
    });
    EXPECT_EQ(unlocking.receive()->status, 200);
    return status("last_fence") > fence;
  }
};

// --- Locks --------------------------------------------------------------------------------------

TEST_F(ApiTest, OneRequestTakesALockAndReturnsItsSession) {
  const Answer first = post("/v1/lock", R"({"names":["nightly"],"ttl":"30s","label":"me"})");
  ASSERT_EQ(first.status, 200) << first.body;
  EXPECT_EQ(first.json().at("ttl_s").to_number<double>(), 30);
  EXPECT_LT(first.json().at("lease_s").to_number<double>(), 30);
  const Answer busy = post("/v1/lock", R"({"name":"nightly","try":true})");
  EXPECT_EQ(busy.status, 409);
  EXPECT_EQ(busy.error(), "busy");
  EXPECT_TRUE(busy.message().starts_with("'nightly' is held by session 1 (me on host 127.0.0.1:"))
      << busy.message();
  EXPECT_TRUE(wait_for("sessions", 1)) << "a session that got nothing is closed";
  EXPECT_EQ(unlock(first.session(), "nightly").status, 200);
  EXPECT_EQ(unlock(first.session(), "nightly").error(), "not_held");
  const Answer second = post("/v1/lock", R"({"name":"nightly","try":true})");
  EXPECT_GT(second.number("fence"), first.number("fence"));
  EXPECT_LT(second.number("fence"), std::uint64_t{1} << 53);
}

TEST_F(ApiTest, LocksAreGrantedInTheOrderInWhichTheyWereAskedFor) {
  const std::string a = open(), b = open(), c = open();
  ASSERT_EQ(lock(a, "x").status, 200);
  TestClient waiting_b = begin("/v1/lock", lock_body(b, "x"));
  ASSERT_TRUE(wait_for("waiters", 1));
  TestClient waiting_c = begin("/v1/lock", lock_body(c, "x"));
  ASSERT_TRUE(wait_for("waiters", 2));
  const auto shown = get("/v1/locks?name=x").json();
  const auto& waiters = shown.at("locks").at(0).at("waiters").as_array();
  ASSERT_EQ(waiters.size(), 2U);
  EXPECT_EQ(waiters[0].at("session_id").to_number<int>(), 2);
  EXPECT_EQ(waiters[1].at("position").to_number<int>(), 2);
  EXPECT_FALSE(shown.at("waits_for").as_array().empty());
  unlock(a, "x");
  const auto granted_b = waiting_b.receive();
  ASSERT_TRUE(granted_b);
  EXPECT_EQ(granted_b->status, 200);
  EXPECT_FALSE(waiting_c.receive(std::chrono::milliseconds(50)));
  unlock(b, "x");
  const auto granted_c = waiting_c.receive();
  ASSERT_TRUE(granted_c);
  EXPECT_GT(granted_c->number("fence"), granted_b->number("fence"));
}

TEST_F(ApiTest, AWaitEnds) {
  const std::string a = open(), b = open();
  lock(a, "x");
  const Answer over = lock(b, "x", R"(,"wait":"50ms")");
  EXPECT_EQ(over.status, 409);
  EXPECT_EQ(over.error(), "timed_out");
}

TEST_F(ApiTest, SharedSlotsAndSeveralNames) {
  const std::string a = open(), b = open();
  EXPECT_EQ(lock(a, "r", R"(,"shared":true)").status, 200);
  EXPECT_EQ(lock(b, "r", R"(,"shared":true)").status, 200);
  EXPECT_EQ(lock(a, "gpu", R"(,"slots":2)").number("slot"), 0U);
  EXPECT_EQ(lock(b, "gpu", R"(,"slots":2)").number("slot"), 1U);
  EXPECT_EQ(lock(b, "gpu", R"(,"slots":3)").error(), "slots_differ");
  const Answer both =
      post("/v1/lock", "{\"session\":\"" + a + "\",\"names\":[\"l\",\"m\"],\"owner\":4}");
  ASSERT_EQ(both.status, 200) << both.body;
  EXPECT_EQ(both.json().at("parts").as_array().size(), 2U);
  EXPECT_EQ(unlock(a, "l").error(), "not_held") << "another owner's";
  EXPECT_EQ(
      post("/v1/unlock", "{\"session\":\"" + a + "\",\"names\":[\"l\",\"m\"],\"owner\":4}").status,
      200);
}

TEST_F(ApiTest, UpgradesAndDowngrades) {
  const std::string a = open(), b = open();
  const std::uint64_t shared = lock(a, "x", R"(,"shared":true)").number("fence");
  const Answer up = post("/v1/upgrade", lock_body(a, "x", R"(,"try":true)"));
  EXPECT_GT(up.number("fence"), shared);
  EXPECT_EQ(lock(b, "x", R"(,"shared":true,"try":true)").error(), "busy");
  EXPECT_EQ(post("/v1/downgrade", lock_body(a, "x")).number("fence"), up.number("fence"));
  EXPECT_EQ(lock(b, "x", R"(,"shared":true,"try":true)").status, 200);
  EXPECT_EQ(post("/v1/upgrade", lock_body(a, "x", R"(,"try":true)")).error(), "busy");
}

TEST_F(ApiTest, DeadlocksAreNamed) {
  const std::string a = open(), b = open();
  lock(a, "x");
  lock(b, "y");
  TestClient waiting = begin("/v1/lock", lock_body(a, "y"));
  ASSERT_TRUE(wait_for("waiters", 1));
  const Answer refused = lock(b, "x");
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(refused.error(), "would_deadlock");
  EXPECT_NE(refused.message().find("session 1"), std::string::npos);
}

// --- Sessions -----------------------------------------------------------------------------------

TEST_F(ApiTest, ASessionIsKnownByTheAddressThatOpenedIt) {
  const std::string unnamed = open();
  const std::string named =
      post("/v1/sessions", R"({"host":"build-7","user":"ann","process":12})").session();
  lock(unnamed, "x");
  lock(named, "y");
  const auto sessions = get("/v1/sessions").json().at("sessions").as_array();
  ASSERT_EQ(sessions.size(), 2U);
  const std::string address(sessions[0].at("host").as_string());
  EXPECT_TRUE(address.starts_with("127.0.0.1:")) << address;
  EXPECT_GT(std::stoi(address.substr(10)), 0) << address;
  EXPECT_EQ(sessions[0].at("user").as_string(), "");
  EXPECT_EQ(sessions[1].at("host").as_string(), "build-7");
  EXPECT_EQ(sessions[1].at("user").as_string(), "ann");
  const auto holder = get("/v1/locks?name=x").json().at("locks").at(0).at("holders").at(0);
  EXPECT_EQ(holder.at("host").as_string(), address);
}

TEST_F(ApiTest, ASessionExpiresUnlessItIsKeptAlive) {
  const std::string a = open("1s"), kept = open("1s"), b = open();
  lock(a, "x");
  lock(kept, "y");
  TestClient waiting = begin("/v1/lock", lock_body(b, "x"));
  std::optional<Answer> granted;
  ASSERT_TRUE(becomes_true([&] {
    EXPECT_EQ(keep_alive(kept).status, 200);
    granted = waiting.receive(std::chrono::milliseconds(20));
    return granted.has_value();
  }));
  EXPECT_EQ(granted->status, 200);
  const Answer lost = keep_alive(a);
  EXPECT_EQ(lost.status, 410);
  EXPECT_EQ(lost.error(), "session_lost");
  EXPECT_EQ(lock(a, "z").status, 410);
  EXPECT_EQ(unlock(kept, "y").status, 200);
}

TEST_F(ApiTest, ASessionLivesWhileSomebodyWaitsInIt) {
  const std::string a = open();
  lock(a, "x");
  TestClient waiting = begin("/v1/lock", R"({"name":"x","ttl":"1s"})");
  const std::string other = open("1s");
  ASSERT_TRUE(becomes_true([&] {
    return get("/metrics").body.find("baton_expired_sessions_total 1\n") != std::string::npos;
  })) << "the other one expires";
  unlock(a, "x");
  const auto granted = waiting.receive();
  ASSERT_TRUE(granted);
  EXPECT_EQ(granted->status, 200) << granted->body;
}

TEST_F(ApiTest, TokensOfOthersAreRefused) {
  const std::string a = open();
  EXPECT_EQ(keep_alive("7." + a.substr(2)).error(), "session_lost");
  EXPECT_EQ(keep_alive("1.00").error(), "session_lost");
  EXPECT_EQ(keep_alive("nonsense").status, 400);
  EXPECT_EQ(post("/v1/keepalive", "{}").message(), "'session' is missing");
  EXPECT_EQ(post("/v1/keepalive", "{}", "Baton-Session: " + a + "\r\n").status, 200);
  EXPECT_EQ(keep_alive(a).status, 200);
}

TEST_F(ApiTest, ClosingReleasesEverything) {
  const std::string a = open(), b = open();
  lock(a, "x");
  lock(b, "y");
  TestClient waiting = begin("/v1/lock", lock_body(a, "y"));
  ASSERT_TRUE(wait_for("waiters", 1));
  EXPECT_EQ(post("/v1/close", "{\"session\":\"" + a + "\"}").status, 200);
  EXPECT_EQ(waiting.receive()->status, 410);
  EXPECT_EQ(lock(b, "x", R"(,"try":true)").status, 200);
  EXPECT_EQ(post("/v1/close", "{\"session\":\"" + a + "\"}").status, 410);
}

TEST_F(ApiTest, WhatIsTakenAwayIsToldByKeepalives) {
  const std::string a = open(), b = open();
  lock(a, "x", R"(,"max_hold":"50ms")");
  lock(a, "y");
  EXPECT_EQ(post("/v1/break", R"({"name":"y"})").status, 200);
  EXPECT_EQ(post("/v1/break", R"({"name":"nobody"})").status, 404);
  ASSERT_TRUE(becomes_true([&] { return keep_alive(a).json().at("lost").as_array().size() == 2; }));
  EXPECT_EQ(lock(b, "y", R"(,"try":true)").error(), "busy") << "it was not given back yet";
  EXPECT_EQ(unlock(a, "y").status, 200);
  EXPECT_EQ(lock(b, "y", R"(,"try":true)").status, 200);
  const auto lost = keep_alive(a).json().at("lost").as_array();
  ASSERT_EQ(lost.size(), 1U);
  EXPECT_EQ(lost[0].at("name").as_string(), "x");
  EXPECT_EQ(post("/v1/break", R"({"session_id":1,"force":true})").status, 200);
  EXPECT_EQ(keep_alive(a).status, 410);
}

TEST_F(ApiTest, AGrantIsNotToldAgainAfterItWasTakenAway) {
  const std::string a = open(), b = open();
  const std::string key = "Idempotency-Key: k\r\n";
  const Answer granted = post("/v1/lock", lock_body(a, "x"), key);
  EXPECT_EQ(post("/v1/lock", lock_body(a, "x"), key).body, granted.body);
  const std::string leading = "{\"session\":\"" + a + "\",\"name\":\"boss\",\"value\":\"me\"}";
  EXPECT_EQ(post("/v1/campaign", leading, "Idempotency-Key: l\r\n").status, 200);
  EXPECT_EQ(post("/v1/break", R"({"name":"x","force":true})").status, 200);
  EXPECT_EQ(post("/v1/break", R"({"name":"boss","election":true})").status, 200);
  EXPECT_EQ(lock(b, "x").status, 200);
  const Answer again = post("/v1/lock", lock_body(a, "x"), key);
  EXPECT_EQ(again.status, 410);
  EXPECT_EQ(again.error(), "lock_lost");
  EXPECT_EQ(post("/v1/campaign", leading, "Idempotency-Key: l\r\n").error(), "lock_lost");
}

// --- Connections that close ---------------------------------------------------------------------

TEST_F(ApiTest, ARequestWithoutAKeyIsTakenBackWhenItsConnectionCloses) {
  const std::string a = open(), b = open();
  lock(a, "x");
  TestClient waiting = begin("/v1/lock", lock_body(b, "x"));
  TestClient opening = begin("/v1/lock", R"({"name":"x"})");
  ASSERT_TRUE(wait_for("waiters", 2));
  EXPECT_EQ(status("sessions"), 3U);
  waiting.hang_up();
  opening.hang_up();
  EXPECT_TRUE(wait_for("waiters", 0));
  EXPECT_TRUE(wait_for("sessions", 2)) << "nobody knows of the one that was opened";
  unlock(a, "x");
  EXPECT_EQ(lock(a, "x", R"(,"try":true)").status, 200) << "nobody holds it unheard";
}

TEST_F(ApiTest, ARequestWithAKeyStaysInLineWhenItsConnectionCloses) {
  const std::string a = open(), b = open(), c = open();
  lock(a, "x");
  const std::string key = "Idempotency-Key: one\r\n";
  begin("/v1/lock", lock_body(b, "x"), key);
  ASSERT_TRUE(wait_for("waiters", 1));
  TestClient behind = begin("/v1/lock", lock_body(c, "x"));
  ASSERT_TRUE(wait_for("waiters", 2));
  unlock(a, "x");
  const Answer granted = post("/v1/lock", lock_body(b, "x"), key);
  EXPECT_EQ(granted.status, 200);
  unlock(b, "x");
  EXPECT_GT(behind.receive()->number("fence"), granted.number("fence"));
}

// The request is granted, but its connection closes before the grant is durable and can be told.
TEST_F(ApiTest, AGrantThatIsOnItsWayWhenItsConnectionClosesIsTakenBack) {
  const std::string a = open(), b = open();
  for (const std::string& body : {lock_body(b, "x"), std::string(R"({"names":["x","y"]})")}) {
    const std::uint64_t sessions = status("sessions");
    EXPECT_TRUE(is_granted_as_it_hangs_up(a, "x", "/v1/lock", body));
    EXPECT_TRUE(wait_for("locks", 0)) << body;
    EXPECT_TRUE(wait_for("sessions", sessions)) << "nobody knows of the one that was opened";
  }
  EXPECT_TRUE(
      is_granted_as_it_hangs_up(a, "x", "/v1/lock", lock_body(b, "x", R"(,"shared":true)")));
  EXPECT_EQ(lock(b, "x").status, 200) << "its session goes on";
}

TEST_F(ApiTest, AGrantThatIsOnItsWayIsKeptForARequestWithAKey) {
  const std::string a = open(), b = open();
  const std::string key = "Idempotency-Key: one\r\n";
  EXPECT_TRUE(is_granted_as_it_hangs_up(a, "x", "/v1/lock", lock_body(b, "x"), key));
  EXPECT_EQ(lock(a, "x", R"(,"try":true)").error(), "busy");
  EXPECT_EQ(post("/v1/lock", lock_body(b, "x"), key).status, 200);
  EXPECT_EQ(unlock(b, "x").status, 200);
  EXPECT_EQ(lock(a, "x", R"(,"try":true)").status, 200) << "it was entered once";
}

TEST_F(ApiTest, NothingIsHeldBeyondItsLeaseByThoseWhoHangUp) {
  constexpr int count = 50;
  const std::string a = open();
  std::vector<TestClient> waiting;
  for (int i = 0; i < count; ++i) {
    const std::string name = std::to_string(i);
    lock(a, name);
    waiting.push_back(begin("/v1/lock", R"({"ttl":"1s","name":")" + name + "\"}"));
  }
  ASSERT_TRUE(wait_for("waiters", count));
  TestClient closing = begin("/v1/close", "{\"session\":\"" + a + "\"}");
  for (TestClient& one : waiting) one.hang_up();
  EXPECT_EQ(closing.receive()->status, 200);
  EXPECT_TRUE(wait_for("locks", 0));
  EXPECT_TRUE(wait_for("sessions", 0));
}

// --- Keys ---------------------------------------------------------------------------------------

TEST_F(ApiTest, ARepeatedRequestIsAnsweredAndNotRepeated) {
  const std::string a = open(), b = open();
  const std::string key = "Idempotency-Key: k\r\n";
  const Answer first = post("/v1/lock", lock_body(a, "x"), key);
  EXPECT_EQ(post("/v1/lock", lock_body(a, "x"), key).body, first.body);
  EXPECT_EQ(post("/v1/lock", lock_body(a, "y"), key).status, 422) << "another request";
  EXPECT_EQ(post("/v1/unlock", lock_body(a, "x"), key).status, 422);
  const std::string other = "Idempotency-Key: other\r\n";
  EXPECT_EQ(post("/v1/unlock", lock_body(a, "x"), other).status, 200);
  EXPECT_EQ(post("/v1/unlock", lock_body(a, "x"), other).status, 200);
  EXPECT_EQ(lock(b, "x", R"(,"try":true)").status, 200) << "it was entered once";
  EXPECT_EQ(post("/v1/lock", lock_body(b, "q"), key).status, 200) << "a key is of its session";
}

TEST_F(ApiTest, ErrorsAreRememberedToo) {
  const std::string a = open(), b = open();
  lock(a, "x");
  const std::string key = "Idempotency-Key: k\r\n";
  const std::string body = lock_body(b, "x", R"(,"try":true)");
  EXPECT_EQ(post("/v1/lock", body, key).status, 409);
  unlock(a, "x");
  EXPECT_EQ(post("/v1/lock", body, key).status, 409);
  EXPECT_EQ(post("/v1/lock", body).status, 200);
}

TEST_F(ApiTest, OnlyTheLatestAnswersAreRemembered) {
  const std::string a = open();
  TestClient client(url);
  const auto write = [&](int i) {
    return client
        .ask("PUT", "/v1/files", "{\"key\":\"k\",\"value\":\"v\",\"session\":\"" + a + "\"}",
             "Idempotency-Key: " + std::to_string(i) + "\r\n")
        .number("version");
  };
  for (int i = 1; i <= 1001; ++i) ASSERT_EQ(write(i), static_cast<std::uint64_t>(i));
  EXPECT_EQ(write(2), 2U);
  EXPECT_EQ(write(1), 1002U) << "1000 came after it";
}

TEST_F(ApiTest, AKeyThatOpensASessionFindsItAgain) {
  const std::string key = "Idempotency-Key: 0123456789abcdef\r\n";
  const Answer first = post("/v1/lock", R"({"name":"x"})", key);
  ASSERT_EQ(first.status, 200) << first.body;
  EXPECT_EQ(post("/v1/lock", R"({"name":"x"})", key).body, first.body);
  EXPECT_EQ(status("sessions"), 1U);
  EXPECT_EQ(post("/v1/sessions", "{}", key).session(), first.session());
  EXPECT_EQ(post("/v1/lock", R"({"name":"x"})", "Idempotency-Key: short\r\n").status, 400);
  EXPECT_EQ(ask(url, "PUT", "/v1/files", R"({"key":"k","value":""})", key).status, 400)
      << "no session to remember it by";
}

TEST_F(ApiTest, AWaitingRequestIsGivenUpByItsKey) {
  const std::string a = open(), b = open();
  lock(a, "x");
  TestClient waiting = begin("/v1/lock", lock_body(b, "x"), "Idempotency-Key: wait\r\n");
  ASSERT_TRUE(wait_for("waiters", 1));
  const std::string body = "{\"session\":\"" + b + "\",\"key\":\"wait\"}";
  EXPECT_EQ(post("/v1/cancel", body).status, 200);
  const auto answer = waiting.receive();
  EXPECT_EQ(answer->status, 409);
  EXPECT_EQ(answer->error(), "cancelled");
  EXPECT_EQ(post("/v1/cancel", body).status, 404);
}

// --- Leaders, files, watching -------------------------------------------------------------------

TEST_F(ApiTest, Elections) {
  EXPECT_EQ(get("/v1/leader?name=e").status, 404);
  const Answer a = post("/v1/campaign", R"({"name":"e","value":"a:1"})");
  ASSERT_EQ(a.status, 200) << a.body;
  TestClient waiting = begin("/v1/campaign", R"({"name":"e","value":"b:1"})");
  ASSERT_TRUE(wait_for("waiters", 1));
  EXPECT_EQ(get("/v1/leader?name=e").json().at("value").as_string(), "a:1");
  EXPECT_EQ(get("/v1/leader?name=e").number("term"), a.number("term"));
  EXPECT_EQ(post("/v1/proclaim", lock_body(a.session(), "e", R"(,"value":"a:2")")).status, 200);
  EXPECT_EQ(get("/v1/leader?name=e").json().at("value").as_string(), "a:2");
  EXPECT_EQ(post("/v1/resign", lock_body(a.session(), "e")).status, 200);
  EXPECT_GT(waiting.receive()->number("term"), a.number("term"));
  EXPECT_EQ(get("/v1/locks?elections=true").json().at("locks").as_array().size(), 1U);
}

TEST_F(ApiTest, Files) {
  EXPECT_EQ(put(R"({"key":"a/1","value":"x","version":0})").number("version"), 1U);
  const Answer conflict = put(R"({"key":"a/1","value":"x","version":0})");
  EXPECT_EQ(conflict.status, 412);
  EXPECT_EQ(conflict.error(), "conflict");
  EXPECT_EQ(put(R"({"key":"a/1","value_base64":"/w==","version":1})").number("version"), 2U);
  EXPECT_EQ(get("/v1/files?key=a/1").json().at("value_base64").as_string(), "/w==");
  EXPECT_EQ(put(R"({"key":"t","value":"","tied":true})").status, 400) << "to what?";
  const std::string a = open();
  put("{\"key\":\"a/2\",\"value\":\"\",\"tied\":true,\"session\":\"" + a + "\"}");
  EXPECT_EQ(get("/v1/files?prefix=a/").json().at("files").as_array().size(), 2U);
  post("/v1/close", "{\"session\":\"" + a + "\"}");
  EXPECT_EQ(get("/v1/files?key=a/2").status, 404);
  EXPECT_EQ(ask(url, "DELETE", "/v1/files?key=a/1&version=7").status, 412);
  EXPECT_EQ(ask(url, "DELETE", "/v1/files?key=a/1").number("version"), 2U);
  EXPECT_EQ(get("/v1/files").json().at("files").as_array().size(), 0U);
}

TEST_F(ApiTest, WatchesMissNothing) {
  put(R"({"key":"a/1","value":"one"})");
  put(R"({"key":"b","value":"elsewhere"})");
  TestClient watch(url);
  watch.send(TestClient::text_of("GET", "/v1/watch?prefix=a/&after=0"));
  watch.receive_until("\"one\"");
  put(R"({"key":"a/2","value":"two"})");
  const std::string seen = watch.receive_until("\"two\"");
  EXPECT_NE(seen.find("HTTP/1.1 200"), std::string::npos);
  EXPECT_NE(seen.find("text/event-stream"), std::string::npos);
  EXPECT_NE(seen.find("id: 1\nevent: put\ndata: {"), std::string::npos) << seen;
  EXPECT_EQ(seen.find("elsewhere"), std::string::npos);
  watch.hang_up();
  put(R"({"key":"a/3","value":"three"})");
  TestClient again(url);
  again.send(TestClient::text_of("GET", "/v1/watch?prefix=a/&after=0", "", "Last-Event-ID: 3\r\n"));
  const std::string rest = again.receive_until("\"three\"");
  EXPECT_EQ(rest.find("\"two\""), std::string::npos) << "it knew of that";
}

TEST_F(ApiTest, AWatchWithoutARevisionBeginsNow) {
  put(R"({"key":"k","value":"before"})");
  TestClient watch(url);
  watch.send(TestClient::text_of("GET", "/v1/watch"));
  watch.receive_until("id: 1\n\n");
  put(R"({"key":"k","value":"after"})");
  EXPECT_EQ(watch.receive_until("\"after\"").find("\"before\""), std::string::npos);
}

TEST_F(ApiTest, WhatIsNoLongerKeptCannotBeWatched) {
  TestClient client(url);
  std::string all;
  constexpr int changes = 10'100;
  std::thread writer([&] {
    for (int i = 0; i < changes; ++i) {
      client.send(TestClient::text_of("PUT", "/v1/files", R"({"key":"k","value":"v"})"));
    }
  });
  for (int i = 0; i < changes; ++i) ASSERT_EQ(client.receive()->status, 200);
  writer.join();
  const Answer refused = get("/v1/watch?after=1");
  EXPECT_EQ(refused.status, 410);
  EXPECT_EQ(refused.error(), "compacted");
  EXPECT_EQ(refused.number("revision"), static_cast<std::uint64_t>(changes));
  EXPECT_EQ(get("/v1/watch?after=99999999").status, 410) << "nor what has never been";
}

// --- Health and metrics -------------------------------------------------------------------------

TEST_F(ApiTest, Health) {
  EXPECT_EQ(get("/healthz").body, "ok\n");
  EXPECT_EQ(get("/readyz").status, 200);
  EXPECT_EQ(get("/v1/status").json().at("http").at(0).as_string(), url);
}

TEST_F(ApiTest, MetricsCount) {
  const std::string a = open();
  lock(a, "x");
  post("/v1/lock", R"({"name":"x","try":true})");
  get("/nowhere");
  TestClient idle(url);
  TestClient watch(url);
  watch.send(TestClient::text_of("GET", "/v1/watch"));
  watch.receive_until("begun");
  const Answer page = get("/metrics");
  EXPECT_NE(page.header.find("text/plain; version=0.0.4"), std::string::npos);
  for (const char* line :
       {"\nbaton_leading 1\n", "\nbaton_locks 1\n",
        "baton_refused_requests_total{error=\"busy\"} 1\n", "\nbaton_http_streams 1\n",
        "baton_http_requests_total{route=\"/v1/lock\",code=\"409\"} 1\n",
        "baton_http_requests_total{route=\"other\",code=\"404\"} 1\n",
        "baton_connections{protocol=\"baton\"} 0\n", "# TYPE baton_batch_commands histogram\n"}) {
    EXPECT_NE(page.body.find(line), std::string::npos) << line << page.body;
  }
}

// Before it leads, a server lives but is not ready. There is one place that says so.
TEST_F(HostTest, AServerThatDoesNotLeadSaysSo) {
  class Spoken final : public Exchange {
   public:
    using Exchange::Exchange;
    void answer(const Response& response) override { said = response; }
    void begin_events() override {}
    void send_event(std::string_view) override {}
    void end_events() override {}
    bool is_open() const override { return true; }
    Response said;
  };
  server::Host still(options);
  Counters counters;
  Api api(still, counters);
  const auto say = [&](const std::string& path) {
    Request request;
    request.method = "GET";
    request.path = path;
    const auto exchange = std::make_shared<Spoken>(request);
    api.handle(exchange);
    return exchange->said;
  };
  EXPECT_EQ(say("/healthz").status, 200U);
  EXPECT_EQ(say("/readyz").status, 503U);
  EXPECT_EQ(say("/v1/locks").status, 503U);
  EXPECT_NE(say("/v1/locks").body.find("does not lead"), std::string::npos);
  EXPECT_NE(say("/metrics").body.find("\nbaton_leading 0\n"), std::string::npos);
}

}  // namespace
}  // namespace baton::http
