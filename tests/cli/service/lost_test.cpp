// What happens to the command when the lock is lost, or when a part of all this dies.
#include "cli/service/tool.h"

namespace baton::test {
namespace {

class Losing : public Tool {};

TEST_F(Losing, ABrokenLockStopsTheCommandAndGoesToTheNext) {
  const auto holder = hold("a --ttl 30m");
  const pid_t command = last_command();
  Running next("$BATON lock a --wait 1m -- sh -c 'kill -0 " + std::to_string(command) +
               " || echo alone'");
  EXPECT_TRUE(eventually([&] { return use_of("a") == "1+1"; }));
  EXPECT_EQ(baton("break a").code, 0);
  EXPECT_EQ(holder->wait(), 123);
  EXPECT_TRUE(has(holder->err(), "lost 'a'")) << holder->err();
  // Long before the lease is over.
  EXPECT_EQ(next.wait(), 0);
  EXPECT_EQ(next.out(), "alone\n");
}

TEST_F(Losing, WhatIgnoresTermIsKilled) {
  Running holder(
      "$BATON lock a --kill-after 200ms -- sh -c 'trap \"\" TERM; touch $F/held; while :; do sleep "
      "0.05; done'");
  EXPECT_TRUE(eventually([&] { return has_file("held"); }));
  EXPECT_EQ(baton("break a").code, 0);
  EXPECT_EQ(holder.wait(), 123);
}

TEST_F(Losing, TheCommandMayBeTold) {
  Running holder(
      "$BATON lock a --on-lost signal -- sh -c 'trap \"echo told; exit 5\" TERM; touch $F/held; "
      "while :; do sleep 0.05; done'");
  EXPECT_TRUE(eventually([&] { return has_file("held"); }));
  EXPECT_EQ(baton("break a").code, 0);
  EXPECT_EQ(holder.wait(), 123);
  EXPECT_EQ(holder.out(), "told\n");
}

TEST_F(Losing, TheCommandMayGoOn) {
  const auto holder = hold("a --on-lost ignore");
  EXPECT_EQ(baton("break a").code, 0);
  EXPECT_TRUE(eventually([&] { return has(holder->err(), "lost 'a'"); }));
  EXPECT_TRUE(is_alive(last_command()));
  EXPECT_EQ(use_of("a"), "1+0") << "nobody else has it before the holder has stopped";
  touch("end");
  EXPECT_EQ(holder->wait(), 0);
  EXPECT_EQ(use_of("a"), "0+0");
}

TEST_F(Losing, ALockMayBeHeldForALimitedTime) {
  const Outcome outcome = baton("lock a --max-hold 300ms -- sleep 600");
  EXPECT_EQ(outcome.code, 123);
  EXPECT_EQ(use_of("a"), "0+0");
}

TEST_F(Losing, AKeeperThatIsStoppedDoesNotLetTheCommandRunOn) {
  const auto holder = hold("a --ttl 3s --kill-after 500ms");
  const pid_t command = last_command();
  const pid_t keeper = keeper_of(holder->id());
  ASSERT_NE(keeper, 0);
  kill(keeper, SIGSTOP);
  Running next("$BATON lock a -- sh -c 'kill -0 " + std::to_string(command) + " || echo alone'");
  EXPECT_EQ(next.wait(), 0);
  EXPECT_EQ(next.out(), "alone\n") << next.err();
  kill(keeper, SIGCONT);
  EXPECT_EQ(holder->wait(), 123);
}

TEST_F(Losing, WhoWasAwayWhenItsLockWasBrokenByForceHearsOfItFromTheNextServer) {
  const auto holder = hold("a --ttl 5m");
  const pid_t keeper = keeper_of(holder->id());
  ASSERT_NE(keeper, 0);
  kill(keeper, SIGSTOP);
  end(server_process());
  EXPECT_EQ(baton("break a --force").code, 0) << "by a server that has never seen the holder";
  end(server_process());
  EXPECT_EQ(baton("status").code, 0);
  kill(keeper, SIGCONT);
  EXPECT_TRUE(eventually([&] { return !is_alive(last_command()); }));
  touch("end");
  EXPECT_EQ(holder->wait(), 123);
  EXPECT_TRUE(has(holder->err(), "by force")) << holder->err();
}

TEST_F(Losing, AServerThatIsSilentForTooLongCostsTheLock) {
  const auto holder = hold("a --ttl 3s --kill-after 500ms");
  const pid_t server = server_process();
  kill(server, SIGSTOP);
  EXPECT_EQ(holder->wait(), 123);
  EXPECT_FALSE(is_alive(last_command()));
  kill(server, SIGCONT);
}

TEST_F(Losing, AKilledBatonTakesTheCommandAlongAndReleases) {
  const auto holder = hold("a --ttl 30m");
  const pid_t command = last_command();
  holder->send(SIGKILL);
  EXPECT_EQ(holder->wait(), 137);
  EXPECT_TRUE(eventually([&] { return !is_alive(command); }));
  EXPECT_EQ(baton("lock a --wait 1m -- true").code, 0);
}

TEST_F(Losing, SignalsReachTheCommand) {
  Running holder(
      "$BATON lock a -- sh -c 'trap \"exit 6\" USR1; touch $F/held; while :; do sleep 0.05; done'");
  EXPECT_TRUE(eventually([&] { return has_file("held"); }));
  holder.send(SIGUSR1);
  EXPECT_EQ(holder.wait(), 6);
}

TEST_F(Losing, ALockSurvivesTheDeathOfTheLocalServer) {
  const auto holder = hold("a --ttl 20s");
  const auto before = json("locks a").at("locks").as_array()[0].at("holders").as_array()[0];
  const pid_t server = server_process();
  ASSERT_NE(server, 0);
  kill(server, SIGKILL);
  EXPECT_TRUE(eventually([&] { return !is_alive(server); }));
  const auto after = json("locks a").at("locks").as_array()[0].at("holders").as_array()[0];
  EXPECT_NE(server_process(), server);
  EXPECT_EQ(before.at("session_id"), after.at("session_id"));
  EXPECT_EQ(before.at("fence"), after.at("fence"));
  EXPECT_EQ(baton("lock a --try -- true").code, 75);
  touch("end");
  EXPECT_EQ(holder->wait(), 0);
}

TEST_F(Losing, WhoHoldsALockStartsTheLocalServerAnew) {
  const auto holder = hold("a --ttl 8s");
  const pid_t server = server_process();
  ASSERT_NE(server, 0);
  kill(server, SIGKILL);
  EXPECT_TRUE(eventually([&] {
    const pid_t now = server_process();
    return now != 0 && now != server;
  }));
  EXPECT_EQ(use_of("a"), "1+0");
  EXPECT_TRUE(is_alive(last_command()));
  touch("end");
  EXPECT_EQ(holder->wait(), 0);
}

}  // namespace
}  // namespace baton::test
