#include "cli/service/tool.h"

namespace baton::test {
namespace {

class Acquiring : public Tool {
 protected:
  static std::string token(const std::string& arguments) {
    const Outcome outcome = baton("acquire " + arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out.substr(0, outcome.out.find('\n'));
  }
};

TEST_F(Acquiring, ALockIsHeldWithoutAProcess) {
  const std::string mine = token("a b --ttl 1m");
  EXPECT_EQ(baton("lock a --try -- true").code, 75);
  EXPECT_EQ(baton("acquire b --try").code, 75);
  EXPECT_EQ(baton("acquire b --try --conflict-exit-code 4").code, 4);
  EXPECT_EQ(baton("renew " + mine).code, 0);
  EXPECT_EQ(baton("renew " + mine).code, 0);
  EXPECT_EQ(baton("lock b --try -- true").code, 75);
  EXPECT_EQ(baton("release " + mine).code, 0);
  EXPECT_EQ(baton("lock a b --try -- true").code, 0);
  EXPECT_EQ(baton("release " + mine).code, 123) << "once only";
  EXPECT_EQ(baton("renew " + mine).code, 123);
}

TEST_F(Acquiring, ItEndsWithItsLease) {
  const std::string mine = token("a --ttl 1s");
  EXPECT_EQ(baton("lock a --wait 30s -- true").code, 0);
  const Outcome outcome = baton("release " + mine);
  EXPECT_EQ(outcome.code, 123);
  EXPECT_EQ(lines(outcome.err), 1U) << outcome.err;
}

TEST_F(Acquiring, RenewingBeginsTheLeaseAnew) {
  const auto left = [] {
    return json("sessions").at("sessions").at(0).at("lease_left_s").to_number<double>();
  };
  const std::string mine = token("a --ttl 10m");
  EXPECT_TRUE(eventually([&] { return left() < 598; }));
  const double before = left();
  EXPECT_EQ(baton("renew " + mine).code, 0);
  EXPECT_GT(left(), before);
  EXPECT_EQ(baton("release " + mine).code, 0);
}

TEST_F(Acquiring, OnlyReleasingGivesBackWhatWasTakenAway) {
  const std::string mine = token("a b --ttl 10m --max-hold 1s");
  Running waiting("$BATON lock a -- touch $F/got");
  EXPECT_TRUE(eventually([] { return use_of("a") == "1+1"; }));
  Outcome renewed;
  ASSERT_TRUE(eventually([&] { return (renewed = baton("renew " + mine)).code == 123; }));
  EXPECT_EQ(lines(renewed.err), 1U) << renewed.err;
  EXPECT_TRUE(has(renewed.err, "it was held for as long as allowed")) << renewed.err;
  EXPECT_EQ(baton("renew " + mine).code, 123);
  EXPECT_EQ(use_of("a"), "1+1") << "the work may go on";
  EXPECT_FALSE(has_file("got"));
  const Outcome released = baton("release " + mine);
  EXPECT_EQ(released.code, 123);
  EXPECT_TRUE(has(released.err, "it was held for as long as allowed")) << released.err;
  EXPECT_EQ(waiting.wait(), 0);
  EXPECT_TRUE(has_file("got"));
}

TEST_F(Acquiring, WhatWasTakenAwayIsFreeAfterTheLeaseHoweverOftenItIsRenewed) {
  const std::string mine = token("a b --ttl 2s");
  Running waiting("$BATON lock a -- touch $F/got");
  EXPECT_TRUE(eventually([] { return use_of("a") == "1+1"; }));
  EXPECT_EQ(baton("renew " + mine).code, 0);
  EXPECT_EQ(baton("break a").code, 0);
  EXPECT_TRUE(eventually([&] {
    EXPECT_EQ(baton("renew " + mine).code, 123);
    return has_file("got");
  }));
  EXPECT_EQ(use_of("b"), "1+0") << "the session goes on";
  EXPECT_EQ(baton("release " + mine).code, 123);
  EXPECT_EQ(use_of("b"), "0+0");
}

TEST_F(Acquiring, ItSurvivesTheServer) {
  const std::string mine = token("a --ttl 1m");
  end(server_process());
  EXPECT_EQ(baton("lock a --try -- true").code, 75);
  EXPECT_EQ(baton("release " + mine).code, 0);
  EXPECT_EQ(baton("lock a --try -- true").code, 0);
}

TEST_F(Acquiring, ForTheShellAndForPrograms) {
  const Outcome shown =
      shell("eval $($BATON acquire a --env); echo $BATON_FENCE; $BATON release $BATON_TOKEN");
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_GT(std::atoll(shown.out.c_str()), 0);
  const auto info = json("acquire a");
  EXPECT_GT(info.at("fence").as_int64(), std::atoll(shown.out.c_str()));
  EXPECT_EQ(baton("release " + std::string(info.at("session").as_string())).code, 0);
}

TEST_F(Acquiring, ATokenKnowsItsServer) {
  Running server("$BATON serve --listen unix:$F/other --journal memory:");
  EXPECT_TRUE(eventually([&] { return has_file("other"); }));
  const std::string mine = token("a --url unix:$F/other");
  EXPECT_EQ(baton("lock a --try -- true").code, 0) << "another scope";
  EXPECT_EQ(baton("release " + mine).code, 0);
}

TEST_F(Acquiring, WhoIsInterruptedLeavesTheLine) {
  const auto holder = hold("a");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    Running waiting("$BATON acquire a --ttl 30m");
    EXPECT_TRUE(eventually([] { return use_of("a") == "1+1"; }));
    waiting.send(signal);
    EXPECT_EQ(waiting.wait(), 128 + signal);
    EXPECT_EQ(waiting.out() + waiting.err(), "");
    EXPECT_EQ(use_of("a"), "1+0");
  }
  Running unmoved("nohup $BATON acquire a");
  EXPECT_TRUE(eventually([] { return use_of("a") == "1+1"; }));
  unmoved.send(SIGHUP);
  touch("end");
  EXPECT_EQ(unmoved.wait(), 0) << "it ignores that signal";
}

TEST_F(Acquiring, WhatCannotBeToldIsNotHeld) {
  for (const std::string to : {"/dev/full", "&-"}) {
    const Outcome outcome = shell("$BATON acquire a --ttl 30m >" + to);
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_TRUE(has(outcome.err, "cannot write")) << outcome.err;
    EXPECT_EQ(use_of("a"), "0+0");
  }
}

TEST_F(Acquiring, WrongTokens) {
  expect_refused("release", "say which token");
  expect_refused("release nonsense", "is not a token");
  expect_refused("renew baton1-1-zz-1-1", "is not a token");
  EXPECT_EQ(baton("release baton1-99-00-1-1").code, 123);
  const std::string mine = token("a");
  std::string forged = mine;
  char& digit = forged[forged.find('-', 7) + 1];
  digit = digit == '0' ? '1' : '0';
  EXPECT_EQ(baton("release " + forged).code, 123);
  EXPECT_EQ(use_of("a"), "1+0");
}

}  // namespace
}  // namespace baton::test
