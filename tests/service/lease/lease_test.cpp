#include "service/lease/lease.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace baton::service {
namespace {

using Phase = LeaseClient::Phase;
using Event = LeaseClient::Event;

constexpr LeaseTerms terms{.ttl = {100}, .margin = {10}, .jeopardy = {50}, .interval = {25}};
constexpr SessionId session{7};

LeaseClient opened_client(Time sent = {0}) {
  LeaseClient client("nonce", terms, false);
  client.connected(sent);
  client.receive(sent, Welcome{{1}, "nonce", session, sent});
  return client;
}

TEST(LeaseClient, OpensWithANonceUntilItIsWelcome) {
  LeaseClient client("nonce", terms, true);
  const auto first = client.connected({0});
  ASSERT_TRUE(first.send);
  EXPECT_EQ(std::get<Hello>(*first.send).nonce, "nonce");
  EXPECT_TRUE(std::get<Hello>(*first.send).fast);
  EXPECT_FALSE(client.has_lease({0}));
  EXPECT_TRUE(std::holds_alternative<Hello>(*client.wake({25}).send));
  EXPECT_EQ(client.receive({26}, Welcome{{1}, "other", session, {0}}).event, Event::none);
  EXPECT_EQ(client.receive({26}, Welcome{{1}, "nonce", session, {0}}).event, Event::opened);
  EXPECT_TRUE(client.has_lease({89}));
  EXPECT_FALSE(client.has_lease({90})) << "it runs from when it was asked for";
}

TEST(LeaseClient, KeepsAliveInTime) {
  LeaseClient client = opened_client();
  EXPECT_EQ(client.next_wake(), Time{25});
  EXPECT_FALSE(client.wake({24}).send);
  const auto step = client.wake({25});
  ASSERT_TRUE(step.send);
  EXPECT_EQ(std::get<KeepAlive>(*step.send).sent, Time{25});
  client.receive({40}, Alive{{1}, session, {25}});
  EXPECT_TRUE(client.has_lease({114}));
  EXPECT_FALSE(client.has_lease({115}));
}

TEST(LeaseClient, IsInJeopardyBeforeItLoses) {
  LeaseClient client = opened_client();
  client.set_holding(true);
  EXPECT_EQ(client.wake({49}).event, Event::none);
  EXPECT_EQ(client.wake({50}).event, Event::jeopardy);
  EXPECT_EQ(client.wake({89}).event, Event::none);
  EXPECT_EQ(client.wake({90}).event, Event::lost);
  EXPECT_EQ(client.next_wake(), std::nullopt);
  EXPECT_EQ(client.receive({91}, Alive{{1}, session, {80}}).event, Event::none);
  EXPECT_EQ(client.phase(), Phase::lost) << "a loss is final";
  EXPECT_TRUE(std::holds_alternative<Close>(*client.close().send));
}

TEST(LeaseClient, AnAnswerEndsJeopardy) {
  LeaseClient client = opened_client();
  client.wake({60});
  EXPECT_EQ(client.receive({61}, Alive{{1}, session, {60}}).event, Event::safe);
  EXPECT_EQ(client.phase(), Phase::safe);
}

TEST(LeaseClient, AnAnswerThatComesAfterTheEndIsTooLate) {
  LeaseClient client = opened_client();
  client.set_holding(true);
  EXPECT_EQ(client.receive({95}, Alive{{1}, session, {75}}).event, Event::lost);
}

TEST(LeaseClient, WithoutAnythingAtStakeItsSessionMaySurvive) {
  LeaseClient client = opened_client();
  EXPECT_EQ(client.wake({120}).event, Event::jeopardy);
  EXPECT_EQ(client.phase(), Phase::doubt);
  EXPECT_FALSE(client.has_lease({120}));
  EXPECT_EQ(client.receive({130}, Alive{{1}, session, {120}}).event, Event::safe);
  EXPECT_TRUE(client.has_lease({130}));
}

TEST(LeaseClient, IgnoresOlderEpochs) {
  LeaseClient client = opened_client();
  EXPECT_TRUE(client.receive({30}, Alive{{3}, session, {25}, true}).report);
  EXPECT_EQ(client.epoch(), Epoch{3});
  EXPECT_EQ(client.receive({31}, Gone{{2}, session}).event, Event::none);
  EXPECT_FALSE(client.is_current({2}));
  EXPECT_EQ(client.receive({31}, Gone{{3}, session}).event, Event::lost);
}

TEST(LeaseTerms, LeaveAMarginForDriftAndReaction) {
  const LeaseTerms real = LeaseTerms::of({10'000'000}, {2'000'000});
  EXPECT_EQ(real.length(), Duration{7'800'000});
  EXPECT_LT(real.interval, real.jeopardy);
  EXPECT_LT(real.jeopardy, real.length());
}

TEST(LeaseServer, ExpiresAfterTheLeaseAndRefusesFromThenOn) {
  LeaseServer server({1}, {0}, {1000});
  server.open({0}, session, {100});
  EXPECT_EQ(server.expire_next({100}), std::nullopt);
  EXPECT_TRUE(server.receive({100}, {session, {5}}));
  EXPECT_EQ(server.expire_next({200}), std::nullopt);
  EXPECT_EQ(server.expire_next({201}), session);
  EXPECT_EQ(server.expire_next({201}), std::nullopt) << "once";
  EXPECT_EQ(server.receive({201}, {session, {6}}), std::nullopt);
  server.expired(session);
  const auto answer = server.receive({202}, {session, {6}});
  ASSERT_TRUE(answer);
  EXPECT_TRUE(std::holds_alternative<Gone>(*answer));
}

TEST(LeaseServer, GivesBackTheTimeInWhichItDidNotRun) {
  LeaseServer server({1}, {0}, {10});
  server.open({0}, session, {100});
  server.wake({10});
  server.wake({500});
  EXPECT_EQ(server.expire_next({500}), std::nullopt);
  EXPECT_EQ(server.expire_next({590}), std::nullopt);
  EXPECT_EQ(server.expire_next({591}), session);
}

TEST(LeaseServer, WaitsForReportsOfTheFastGrade) {
  const SessionId other{8};
  LeaseServer server({2}, {0}, {1000});
  server.take_over({0}, session, {100}, true);
  server.take_over({0}, other, {200}, true);
  EXPECT_FALSE(server.may_grant());
  EXPECT_FALSE(server.hears(session));
  EXPECT_TRUE(std::get<Alive>(*server.receive({1}, {session, {1}})).wants_report);
  EXPECT_FALSE(server.report(session, {1})) << "of an older epoch";
  EXPECT_TRUE(server.report(session, {2}));
  EXPECT_FALSE(server.report(session, {2})) << "twice";
  EXPECT_TRUE(server.hears(session));
  EXPECT_FALSE(server.may_grant());
  server.receive({150}, {session, {1}});
  EXPECT_EQ(server.expire_next({201}), other);
  EXPECT_TRUE(server.may_grant()) << "it has run out";
}

TEST(LeaseServer, WaitsForWhatAPredecessorMayStillAnswer) {
  LeaseServer server({2}, {0}, {1000});
  server.take_over({0}, session, {100}, false, {50});
  EXPECT_TRUE(server.receive({10}, {session, {1}}));
  EXPECT_EQ(server.expire_next({150}), std::nullopt) << "a keepalive takes nothing of it back";
  EXPECT_EQ(server.expire_next({151}), session);
}

TEST(LeaseServer, AGapInItsRunningTakesNothingBack) {
  LeaseServer server({2}, {0}, {10});
  server.take_over({0}, session, {100}, false, {50});
  server.wake({20});
  EXPECT_EQ(server.expire_next({150}), std::nullopt);
  EXPECT_EQ(server.expire_next({151}), session);
}

const ProofTerms proof_terms{.ttl = {100}, .margin = {10}, .interval = {20}};

TEST(LeaderProof, RunsFromWhenTheRenewalWasSentAndEndsBeforeTheKey) {
  LeaderProof proof(proof_terms);
  EXPECT_FALSE(proof.holds({0})) << "it has no key";
  proof.begin({5}, {0});
  EXPECT_EQ(proof.next_wake(), Time{20});
  EXPECT_TRUE(proof.holds({89}));
  EXPECT_FALSE(proof.holds({90}));
  proof.sent({20});
  EXPECT_EQ(proof.next_wake(), Time{40});
  EXPECT_FALSE(proof.holds({90})) << "nobody has answered yet";
  proof.renewed({80}, {20});
  EXPECT_EQ(proof.until(), Time{110});
  EXPECT_TRUE(proof.holds({109}));
  EXPECT_FALSE(proof.holds({110}));
}

TEST(LeaderProof, AnOlderAnswerTakesNothingBack) {
  LeaderProof proof(proof_terms);
  proof.begin({0}, {0});
  proof.renewed({41}, {40});
  proof.renewed({42}, {20});
  EXPECT_EQ(proof.until(), Time{130});
}

TEST(LeaderProof, ReturnsWhenARenewalIsAnsweredLateButNotAfterItsEnd) {
  LeaderProof proof(proof_terms);
  proof.begin({0}, {0});
  EXPECT_FALSE(proof.holds({95}));
  proof.renewed({96}, {60});
  EXPECT_TRUE(proof.holds({96}));
  proof.end();
  EXPECT_FALSE(proof.holds({97}));
  proof.renewed({98}, {97});
  EXPECT_FALSE(proof.holds({98})) << "it was deposed";
}

TEST(ProofTerms, LeaveAMarginForDriftAndTimeForSeveralRenewals) {
  const ProofTerms real = ProofTerms::of({2'000'000});
  EXPECT_EQ(real.length(), Duration{1'960'000});
  EXPECT_LT(3 * real.interval.value, real.length().value);
}

TEST(LeaseRule, NamesAreReadBack) {
  std::set<std::string_view> names;
  for (std::size_t i = 1; i < lease_rules; ++i) {
    const auto rule = static_cast<LeaseRule>(i);
    EXPECT_EQ(lease_rule_named(name_of(rule)), rule);
    names.insert(name_of(rule));
  }
  EXPECT_EQ(names.size() + 1, lease_rules);
  EXPECT_EQ(lease_rule_named("loyalty"), std::nullopt);
  EXPECT_EQ(lease_rule_named(""), std::nullopt);
}

}  // namespace
}  // namespace baton::service
