// HTTP itself: bad input, slow and silent clients, many of them, and the end of a server.
#include <gtest/gtest.h>

#include "service/http/host_fixture.h"

namespace baton::http {
namespace {

using namespace std::chrono_literals;
using ConnectionTest = HostTest;

TEST_F(ConnectionTest, BadInputGetsAClearAnswer) {
  start();
  struct Case {
    const char* method;
    const char* target;
    std::string body;
    int status;
    const char* message;
  };
  const std::string long_name(513, 'n');
  const std::vector<Case> cases{
      {"GET", "/", "", 404, "there is nothing at /"},
      {"GET", "/v1/lock", "", 405, "this path accepts only POST, not GET"},
      {"BREW", "/v1/files", "", 405, "this path accepts only GET, PUT, DELETE, not BREW"},
      {"POST", "/v1/lock", "", 400, "the body is empty"},
      {"POST", "/v1/lock", "{", 400, "the body is not JSON"},
      {"POST", "/v1/lock", R"({"name":"a","nmae":"b"})", 400, "there is no field 'nmae'"},
      {"POST", "/v1/lock", R"({"name":""})", 400, "the name is empty"},
      {"POST", "/v1/lock", "{\"name\":\"" + long_name + "\"}", 413, "has 513 bytes"},
      {"POST", "/v1/lock", "{\"name\":\"\xc3\"}", 400, "the body is not JSON"},
      {"POST", "/v1/lock", R"({"name":"a","ttl":"1ms"})", 400, "time to live"},
      {"POST", "/v1/lock", R"({"names":[]})", 400, "no name is given"},
      {"POST", "/v1/lock", R"({"names":["a","a"]})", 400, "named twice"},
      {"POST", "/v1/lock", R"({"name":"a","slots":100000})", 429, "slots"},
      {"POST", "/v1/lock", R"({"name":"a","session":"1.00","ttl":"9s"})", 400,
       "opens its own session"},
      {"GET", "/v1/locks?name=%f", "", 400, "percent"},
      {"GET", "/v1/\xA3", "", 400, "UTF-8"},
      {"GET", "/v1/locks?nmae=a", "", 400, "there is no field 'nmae'"},
      {"GET", "/v1/files?key=a&prefix=b", "", 400, "either 'key' or 'prefix'"},
      {"GET", "/v1/watch?after=x", "", 400, "'after' must be a whole number"},
      {"GET", "/v1/leader", "", 400, "'name' is missing"},
      {"POST", "/v1/break", R"({"force":true})", 400, "either 'name' or 'session_id'"},
      {"PUT", "/v1/files", R"({"key":"k"})", 400, "'value' is missing"},
      {"PUT", "/v1/files", "{\"key\":\"k\",\"value\":\"" + std::string(70'000, 'v') + "\"}", 413,
       "the value has 70000 bytes"}};
  for (const Case& one : cases) {
    SCOPED_TRACE(std::string(one.method) + " " + one.target + " " + one.body.substr(0, 80));
    const Answer answer = ask(url, one.method, one.target, one.body);
    EXPECT_EQ(answer.status, one.status) << answer.body;
    EXPECT_NE(answer.message().find(one.message), std::string::npos) << answer.body;
  }
  EXPECT_NE(ask(url, "GET", "/v1/lock").header.find("Allow: POST"), std::string::npos);
  EXPECT_EQ(ask(url, "GET", "/v1/locks", "", "Origin: http://page\r\n").status, 403);
  EXPECT_EQ(status("sessions"), 0U) << "no session is left behind";
}

TEST_F(ConnectionTest, WhatIsNotHttpIsAnsweredAndHungUpOn) {
  start();
  const auto status_of_bytes = [this](const std::string& bytes) {
    TestClient client(url);
    client.send(bytes);
    const auto answer = client.receive();
    EXPECT_TRUE(client.is_hung_up());
    return answer ? answer->status : 0;
  };
  EXPECT_EQ(status_of_bytes("nonsense\r\n\r\n"), 400);
  EXPECT_EQ(status_of_bytes(std::string(100, '\0')), 400);
  EXPECT_EQ(status_of_bytes("GET / HTTP/1.1\r\nX: " + std::string(9000, 'x') + "\r\n\r\n"), 431);
  EXPECT_EQ(status_of_bytes("GET / HTTP/1.1\r\nX: " + std::string(100'000, 'x')), 431);
  EXPECT_EQ(status_of_bytes("POST /v1/lock HTTP/1.1\r\nContent-Length: 131073\r\n\r\n"), 413);
  EXPECT_EQ(
      status_of_bytes("POST /v1/lock HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n30000\r\n" +
                      std::string(0x30000, ' ') + "\r\n0\r\n\r\n"),
      413);
  EXPECT_EQ(get("/healthz").status, 200);
}

TEST_F(ConnectionTest, SpeaksHttp) {
  start();
  TestClient client(url);
  // Pipelined; the second waits for the first.
  client.send(TestClient::text_of("GET", "/healthz") + TestClient::text_of("GET", "/v1/status") +
              TestClient::text_of("GET", "/nowhere"));
  EXPECT_EQ(client.receive()->body, "ok\n");
  EXPECT_EQ(client.receive()->status, 200);
  EXPECT_EQ(client.receive()->status, 404);
  // In pieces.
  for (const char letter : TestClient::text_of("POST", "/v1/sessions", "{}")) {
    client.send({&letter, 1});
  }
  EXPECT_EQ(client.receive()->status, 200);
  client.send(
      "POST /v1/sessions HTTP/1.1\r\nTransfer-Encoding: "
      "chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n");
  EXPECT_EQ(client.receive()->status, 200);
  client.send("POST /v1/sessions HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  client.receive_until("100 Continue");
  client.send("{}");
  EXPECT_EQ(client.receive()->status, 200);
  client.send("GET /healthz HTTP/1.0\r\n\r\n");
  EXPECT_EQ(client.receive()->status, 200);
  EXPECT_TRUE(client.is_hung_up());
  TestClient other(url);
  other.send("HEAD /healthz HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_NE(other.receive_until("\r\n\r\n").find("Content-Length: 3"), std::string::npos);
  EXPECT_TRUE(other.is_hung_up());
}

TEST_F(ConnectionTest, AnAnswerThatIsWaitedForHoldsUpOnlyItsOwnConnection) {
  start();
  const std::string a = open(), b = open();
  lock(a, "x");
  TestClient client(url);
  client.send(TestClient::text_of("POST", "/v1/lock", lock_body(b, "x")) +
              TestClient::text_of("GET", "/healthz"));
  ASSERT_TRUE(wait_for("waiters", 1));
  EXPECT_FALSE(client.receive(50ms));
  unlock(a, "x");
  EXPECT_EQ(client.receive()->json().at("names").at(0).as_string(), "x");
  EXPECT_EQ(client.receive()->body, "ok\n");
}

TEST_F(ConnectionTest, SlowAndSilentClientsAreHungUpOn) {
  http.limits.time_to_ask = 200ms;
  http.limits.idle_time = 400ms;
  start();
  TestClient silent(url);
  TestClient slow(url);
  TestClient slow_with_body(url);
  slow.send("GET /healthz HTTP/1.1\r\n");
  slow_with_body.send("POST /v1/lock HTTP/1.1\r\nContent-Length: 100\r\n\r\n{");
  EXPECT_EQ(slow.receive()->status, 408);
  EXPECT_TRUE(slow.is_hung_up());
  EXPECT_EQ(slow_with_body.receive()->status, 408);
  EXPECT_TRUE(silent.is_hung_up());
  EXPECT_EQ(get("/healthz").status, 200);
}

TEST_F(ConnectionTest, AThousandIdleConnectionsHarmNobody) {
  start();
  std::vector<TestClient> idle;
  for (int i = 0; i < 1000; ++i) {
    idle.emplace_back(url);
    ASSERT_TRUE(idle.back().is_connected());
    if (i % 2 == 0) idle.back().send("GET /he");
  }
  ASSERT_TRUE(becomes_true(
      [&] { return get("/metrics").body.find("protocol=\"http\"} 1001\n") != std::string::npos; }));
  const Answer taken = post("/v1/lock", R"({"name":"x"})");
  EXPECT_EQ(taken.status, 200);
  EXPECT_EQ(unlock(taken.session(), "x").status, 200);
}

TEST_F(ConnectionTest, ConnectionsAreBounded) {
  http.limits.connections = 3;
  start();
  std::vector<TestClient> few;
  for (int i = 0; i < 3; ++i) {
    few.emplace_back(url);
    EXPECT_EQ(few.back().ask("GET", "/healthz").status, 200);
  }
  TestClient one_more(url);
  const auto refused = one_more.receive();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 503);
  EXPECT_EQ(refused->error(), "too_many");
  one_more.hang_up();
  few.pop_back();
  EXPECT_TRUE(becomes_true([&] { return TestClient(url).ask("GET", "/healthz").status == 200; }));
}

TEST_F(ConnectionTest, AStreamWithoutChangesShowsThatItLives) {
  http.limits.between_beats = 50ms;
  start();
  TestClient watch(url);
  watch.send(TestClient::text_of("GET", "/v1/watch?prefix=a"));
  watch.receive_until("begun");
  put(R"({"key":"b","value":"not watched"})");
  EXPECT_EQ(watch.receive_until(": alive\nid: 1\n").find("data:"), std::string::npos)
      << "and how far nothing was missed";
}

TEST_F(ConnectionTest, AReaderThatDoesNotReadIsHungUpOn) {
  http.limits.unsent_bytes = 300'000;
  start();
  TestClient deaf(url);
  deaf.send(TestClient::text_of("GET", "/v1/watch?prefix=big"));
  deaf.receive_until("begun");
  const std::string body = "{\"key\":\"big\",\"value\":\"" + std::string(60'000, 'v') + "\"}";
  TestClient writer(url);
  EXPECT_TRUE(becomes_true([&] {
    EXPECT_EQ(writer.ask("PUT", "/v1/files", body).status, 200);
    return get("/metrics").body.find("\nbaton_http_streams 0\n") != std::string::npos;
  }));
}

TEST_F(ConnectionTest, AServerThatStopsTellsThoseWhoWait) {
  start();
  const std::string a = open(), b = open();
  lock(a, "x");
  TestClient waiting = begin("/v1/lock", lock_body(b, "x"));
  ASSERT_TRUE(wait_for("waiters", 1));
  TestClient watch(url);
  watch.send(TestClient::text_of("GET", "/v1/watch"));
  watch.receive_until("begun");
  TestClient idle(url);
  std::thread stopping([this] { stop(); });
  const auto answer = waiting.receive();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 503);
  EXPECT_EQ(answer->error(), "shutting_down");
  watch.receive_until("event: end\ndata: {\"error\":\"shutting_down\"");
  watch.receive_until("\r\n0\r\n\r\n");
  EXPECT_TRUE(watch.is_hung_up());
  EXPECT_TRUE(idle.is_hung_up());
  stopping.join();
}

}  // namespace
}  // namespace baton::http
