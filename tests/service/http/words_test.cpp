// What HTTP requests say becomes requests of the service, and its answers JSON.
#include "service/http/words.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "io/json_text.h"
#include "service/http/keys.h"
#include "service/http/refused.h"
#include "service/http/text.h"

namespace baton::http {
namespace {

Request post(std::string body) {
  Request request;
  request.method = "POST";
  request.path = "/v1/lock";
  request.body = std::move(body);
  return request;
}

// What is complained about, or nothing.
template <class Read>
std::string complaint(const std::string& body, Read read) {
  try {
    Fields fields(post(body));
    read(fields);
    fields.done();
  } catch (const Refused& refused) {
    return refused.what();
  }
  return {};
}
std::string complaint_of_lock(const std::string& body) {
  return complaint(body, [](Fields& fields) {
    proto::Acquire acquire;
    fill_lock(acquire, fields);
  });
}

TEST(Fields, OfALockAreAllUnderstood) {
  Fields fields(post(R"({"names":["a","ü"],"shared":true,"wait":"1m30s","max_hold":2.5,
                         "label":"l","owner":7,"despite_deadlock":true,"slots":1})"));
  proto::Acquire acquire;
  fill_lock(acquire, fields);
  fields.done();
  EXPECT_EQ(acquire.names_size(), 2);
  EXPECT_EQ(acquire.names(1), "ü");
  EXPECT_EQ(acquire.mode(), proto::SHARED);
  EXPECT_EQ(acquire.wait(), 90'000'000);
  EXPECT_EQ(acquire.max_hold(), 2'500'000);
  EXPECT_EQ(acquire.label(), "l");
  EXPECT_EQ(acquire.owner(), 7U);
  EXPECT_TRUE(acquire.despite_deadlock());
}

TEST(Fields, WaitForEverUnlessToldOtherwise) {
  const auto wait_of = [](const std::string& body) {
    Fields fields(post(body));
    proto::Acquire acquire;
    fill_lock(acquire, fields);
    return acquire.has_wait() ? std::optional(acquire.wait()) : std::nullopt;
  };
  EXPECT_EQ(wait_of(R"({"name":"a"})"), std::nullopt);
  EXPECT_EQ(wait_of(R"({"name":"a","try":true})"), 0);
  EXPECT_EQ(wait_of(R"({"name":"a","try":false,"wait":0.25})"), 250'000);
}

TEST(Fields, AreRefusedByName) {
  EXPECT_EQ(complaint_of_lock(""), "the body is empty: it must be a JSON object");
  EXPECT_EQ(complaint_of_lock("[1]"), "the body must be a JSON object");
  EXPECT_NE(complaint_of_lock("{\"names\":").find("not JSON"), std::string::npos);
  EXPECT_NE(complaint_of_lock("{\"name\":\"\xff\"}").find("not JSON"), std::string::npos);
  EXPECT_EQ(complaint_of_lock("{}"), "'names' is missing");
  EXPECT_EQ(complaint_of_lock(R"({"names":"a"})"), "'names' must be a list of texts");
  EXPECT_EQ(complaint_of_lock(R"({"names":[1]})"), "'names' must be a list of texts");
  EXPECT_EQ(complaint_of_lock(R"({"name":1})"), "'name' must be a text");
  EXPECT_EQ(complaint_of_lock(R"({"name":"a","names":["b"]})"),
            "give either 'name' or 'names', not both");
  EXPECT_EQ(complaint_of_lock(R"({"name":"a","try":true,"wait":"1s"})"),
            "give either 'try' or 'wait', not both");
  EXPECT_EQ(complaint_of_lock(R"({"name":"a","try":1})"), "'try' must be true or false");
  EXPECT_EQ(complaint_of_lock(R"({"name":"a","owner":-1})"), "'owner' must be a whole number");
  EXPECT_EQ(complaint_of_lock(R"({"name":"a","owner":1.5})"), "'owner' must be a whole number");
  EXPECT_EQ(complaint_of_lock(R"({"name":"a","slots":0})"), "a lock has at least one slot");
  EXPECT_EQ(complaint_of_lock(R"({"name":"a","slots":4294967296})"),
            "'slots' is at most 4294967295");
  EXPECT_EQ(complaint_of_lock(R"({"name":"a","wait":-1})"), "'wait' is out of bounds");
  EXPECT_EQ(complaint_of_lock(R"({"name":"a","wait":"soon"})"),
            "'wait' must be a length of time such as \"500ms\", \"30s\" or \"1h\"");
  EXPECT_EQ(complaint_of_lock(R"({"name":"a","lable":"x"})"), "there is no field 'lable' here");
  EXPECT_EQ(complaint_of_lock(R"({"name":"a"})"), "");
}

TEST(Fields, OfAQueryAreTextsThatMeanNumbersAndFlags) {
  Request request;
  request.method = "GET";
  request.query = {{"after", "12"}, {"elections", "true"}, {"prefix", "a b"}};
  Fields fields(request);
  EXPECT_EQ(fields.number("after"), 12U);
  EXPECT_TRUE(fields.flag("elections"));
  EXPECT_EQ(fields.text("prefix"), "a b");
  fields.done();
  request.query = {{"after", "12x"}};
  Fields wrong(request);
  EXPECT_THROW(wrong.number("after"), Refused);
  request.query = {{"a", ""}, {"a", ""}};
  EXPECT_THROW(Fields{request}, Refused);
}

TEST(Values, ThatAreNotTextAreBase64) {
  Fields fields(post(R"({"key":"k","value_base64":"/wAB"})"));
  proto::Put put;
  fill(put, fields);
  EXPECT_EQ(put.value(), std::string("\xff\0\x01", 3));
  File file{.key = "k", .value = put.value()};
  EXPECT_EQ(json_of(file).at("value_base64").as_string(), "/wAB");
  file.value = "ü";
  EXPECT_EQ(json_of(file).at("value").as_string(), "ü");
  EXPECT_EQ(complaint(R"({"v":"","v_base64":""})", [](Fields& f) { f.bytes("v"); }),
            "give either 'v' or 'v_base64'");
  EXPECT_EQ(complaint(R"({"v_base64":"a"})", [](Fields& f) { f.bytes("v"); }),
            "'v_base64' is not base64");
}

TEST(Base64, GoesThereAndBack) {
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(base64_decoded(base64(bytes)), bytes) << i;
    EXPECT_EQ(hex_decoded(hex(bytes)), bytes) << i;
    bytes += static_cast<char>(i * 7);
  }
  EXPECT_EQ(base64("Man"), "TWFu");
  EXPECT_EQ(base64("Ma"), "TWE=");
  EXPECT_EQ(base64("M"), "TQ==");
  for (const char* wrong : {"TQ", "TQ=a", "T===", "TQ==TQ==", "T!=="}) {
    EXPECT_EQ(base64_decoded(wrong), std::nullopt) << wrong;
  }
}

TEST(Targets, AreTakenApart) {
  const auto target = parse_target("/v1/files?key=a%2Fb%20c+d&x&y=");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->path, "/v1/files");
  ASSERT_EQ(target->query.size(), 3U);
  EXPECT_EQ(target->query[0], std::pair(std::string("key"), std::string("a/b c d")));
  EXPECT_EQ(target->query[1], std::pair(std::string("x"), std::string()));
  EXPECT_FALSE(parse_target("/a?b=%2"));
  EXPECT_FALSE(parse_target("/a?b=%zz"));
  EXPECT_FALSE(parse_target("/a?b=%ff"));
  EXPECT_FALSE(parse_target("/a?%ff=b"));
  EXPECT_FALSE(parse_target("/\xA3"));
}

TEST(Keys, StandForTheSameRequestOnly) {
  const Request one = post(R"({"name":"a"})");
  const KeyedRequest a = keyed_request("key", one);
  EXPECT_EQ(keyed_request("key", one).id, a.id);
  EXPECT_GE(a.id, a.first);
  EXPECT_LE(a.id, a.last);
  EXPECT_LT(a.last, service::first_unrepeated);
  const KeyedRequest b = keyed_request("key", post(R"({"name":"b"})"));
  EXPECT_NE(b.id, a.id);
  EXPECT_EQ(b.first, a.first) << "the same key";
  Request elsewhere = one;
  elsewhere.path = "/v1/unlock";
  EXPECT_NE(keyed_request("key", elsewhere).id, a.id);
  EXPECT_EQ(range_of("key").first, a.first);
  EXPECT_GT(std::max(range_of("other").first, a.first), std::min(range_of("other").last, a.last));
  EXPECT_GE(unkeyed_request(), service::first_unrepeated);
  EXPECT_NE(unkeyed_request(), unkeyed_request());
}

// Journals have these numbers.
TEST(Keys, NeverChange) {
  EXPECT_EQ(keyed_request("key", post(R"({"name":"a"})")).id.value, 4739930409397962637U);
}

TEST(Tokens, GoThereAndBack) {
  const Token token{{7}, std::string("\0n\xff", 3)};
  EXPECT_EQ(token.text(), "7.006eff");
  const auto back = Token::parse("7.006eff");
  ASSERT_TRUE(back);
  EXPECT_EQ(back->session, token.session);
  EXPECT_EQ(back->nonce, token.nonce);
  for (const char* wrong : {"", "7", "7.", ".00", "x.00", "7.0", "7.zz", "-1.00", "7 .00"}) {
    EXPECT_FALSE(Token::parse(wrong)) << wrong;
  }
}

TEST(Errors, HaveTheirStatus) {
  const Response busy = error_response(Error::busy, "'a' is held");
  EXPECT_EQ(busy.status, 409U);
  EXPECT_EQ(busy.body, "{\"error\":\"busy\",\"code\":1,\"message\":\"'a' is held\"}\n");
  for (int i = 1; i < 256; ++i) {
    const auto error = static_cast<Error>(i);
    if (name_of(error) == "unknown") continue;
    EXPECT_GE(status_of(error), 400U) << name_of(error);
    EXPECT_NE(error_response(error, "").body.find(message_of(error)), std::string::npos);
  }
}

TEST(Answers, AboutAClusterAndAGroupAreInTheStatus) {
  StatusInfo status{.server = "a", .trouble = "no majority"};
  EXPECT_FALSE(json_of(status).contains("cluster"));
  EXPECT_FALSE(json_of(status).contains("group"));
  EXPECT_EQ(json_of(status).at("trouble"), "no majority");
  status.leader = "a";
  status.proof_left = std::chrono::milliseconds(2500);
  status.servers = {{.name = "a", .url = "baton://a:7400", .leads = true}};
  status.etcd = {{.endpoint = "a:2379", .is_healthy = true, .bytes = 4096}};
  EXPECT_EQ(
      io::json_text(json_of(status).at("cluster")),
      R"({"leader":"a","leader_url":"","follows":false,"proof_left_s":2.5,"servers":[{"name":)"
      R"("a","url":"baton://a:7400","program":"","position":0,"leads":true}],"etcd":[{)"
      R"("endpoint":"a:2379","healthy":true,"leads":false,"version":"","bytes":4096,)"
      R"("problem":""}]})");
  status.group = PeerGroupInfo{.name = "g", .self = "1", .members = {{.id = "1", .belongs = true}}};
  EXPECT_EQ(io::json_text(json_of(status).at("group").at("members")),
            R"([{"id":"1","address":"","belongs":true,"connected":false,"arbiter":false,)"
            R"("problem":""}])");
}

TEST(Answers, HaveTheLabelOfTheSessionIfTheLockHasNone) {
  LocksInfo info;
  HolderInfo holder{.who = {.label = "session"}};
  info.locks = {{.holders = {holder}}};
  const auto label = [&] {
    return json_of(info).at("locks").at(0).at("holders").at(0).at("label").as_string();
  };
  EXPECT_EQ(label(), "session");
  info.locks[0].holders[0].label = "lock";
  EXPECT_EQ(label(), "lock");
}

TEST(Answers, HaveNumbersAsPeopleWriteThem) {
  boost::json::object object{{"a", boost::json::array{1, 2}}, {"b", boost::json::object{}}};
  add_lease(object, {30'000'000});
  object["fence"] = std::uint64_t{1} << 53;
  EXPECT_EQ(json_response(object).body,
            "{\"a\":[1,2],\"b\":{},\"ttl_s\":30,\"lease_s\":29.4,\"keepalive_every_s\":7.35,"
            "\"fence\":9007199254740992}\n");
}

}  // namespace
}  // namespace baton::http
