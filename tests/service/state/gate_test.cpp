// A gated state: names that are shared with others elsewhere.
#include <gtest/gtest.h>

#include "service/state/valid.h"
#include "service/state/world.h"

namespace baton::service {
namespace {

using namespace std::string_literals;

class Gated : public testing::Test, protected World {
 protected:
  Gated() : World(true) {}

  void let_in(const std::string& name, std::uint64_t fence, Namespace space = Namespace::lock) {
    apply({.what = Open{space, name, {fence}}});
  }
  void revoke(const std::string& name, Namespace space = Namespace::lock) {
    apply({.what = Revoke{space, name, "the group has decided otherwise"}});
  }
  void say_elsewhere(const std::string& name, std::uint64_t fence, const std::string& value = {}) {
    apply({.what = Elsewhere{name, {fence}, value, {.host = "far"}}});
  }
  RequestId try_lock(SessionId session, const std::string& name, OwnerId owner = {}) {
    return ask(session, Acquire{.names = {name}, .owner = owner, .wait = Duration{0}});
  }
  RequestId elect(SessionId session, const std::string& name, const std::string& value) {
    return ask(session, Acquire{.space = Namespace::election,
                                .names = {name},
                                .terms = {.hold = {.value = value}}});
  }
  bool is_held(const std::string& name) const { return !holders(name).empty(); }

  // What the last command told the host: "+name" if it is wanted, "-name" if it is not any more.
  std::string at_gate() const {
    std::string text;
    for (const auto& effect : effects) {
      if (const auto* wanted = std::get_if<Wanted>(&effect)) text += "+" + wanted->name;
      if (const auto* unwanted = std::get_if<Unwanted>(&effect)) text += "-" + unwanted->name;
    }
    return text;
  }
  // ... and who watches elections: "elect 5 v" for each change.
  std::string changes() const {
    static const char* const words[] = {"put", "remove", "elect", "proclaim", "resign"};
    std::string text;
    for (const Change& change : told<Change>())
      text += (text.empty() ? "" : ", ") + (words[static_cast<int>(change.kind)] + " "s) +
              std::to_string(change.fence.value) + " " + change.value;
    return text;
  }
};

TEST_F(Gated, ANameIsClosedUntilItIsOpened) {
  const SessionId a = open();
  const RequestId first = lock(a, {"x"});
  EXPECT_TRUE(is_queued(first));
  EXPECT_EQ(at_gate(), "+x");
  EXPECT_FALSE(is_held("x"));
  let_in("x", 7);
  EXPECT_EQ(fence(first), FencingToken{7});
  EXPECT_EQ(at_gate(), "");
  EXPECT_EQ(holders("x"), std::vector{a});
}

TEST_F(Gated, AnUngatedStateGrantsByItselfAndIsNotOpened) {
  World plain;
  const SessionId a = plain.open();
  EXPECT_TRUE(plain.is_granted(plain.lock(a, {"x"})));
  EXPECT_TRUE(plain.told<Wanted>().empty());
  plain.apply({.request = {9}, .what = Open{Namespace::lock, "x", {5}}});
  EXPECT_EQ(plain.error({9}), Error::bad_request);
  plain.apply({.request = {9}, .what = Revoke{Namespace::lock, "x", ""}});
  EXPECT_EQ(plain.error({9}), Error::not_held);
  plain.apply({.request = {9}, .what = Elsewhere{"x", {5}, "", {}}});
  EXPECT_EQ(plain.error({9}), Error::bad_request);
  EXPECT_EQ(plain.holders("x"), std::vector{a});
}

TEST_F(Gated, WantedIsToldOnceForAllWhoWait) {
  const SessionId a = open();
  lock(a, {"x"}, {1});
  EXPECT_EQ(at_gate(), "+x");
  lock(a, {"x"}, {2});
  lock(open(), {"x"});
  EXPECT_EQ(at_gate(), "");
}

TEST_F(Gated, LocksAndElectionsHaveTheirOwnGates) {
  const SessionId a = open();
  lock(a, {"x"});
  const RequestId campaign = elect(a, "x", "v");
  EXPECT_EQ(told<Wanted>(), (std::vector<Wanted>{{Namespace::election, "x"}}));
  let_in("x", 3, Namespace::election);
  EXPECT_EQ(fence(campaign), FencingToken{3});
  EXPECT_FALSE(is_held("x"));
}

TEST_F(Gated, OneOpeningIsOneEntry) {
  const SessionId a = open();
  const SessionId b = open();
  lock(a, {"x"});
  const RequestId second = lock(b, {"x"});
  let_in("x", 5);
  unlock(a, {"x"});
  EXPECT_EQ(at_gate(), "-x+x");
  EXPECT_FALSE(is_held("x"));
  let_in("x", 8);
  EXPECT_EQ(fence(second), FencingToken{8});
  unlock(b, {"x"});
  EXPECT_EQ(at_gate(), "-x");
  EXPECT_EQ(state.lock_count(), 0U);
}

TEST_F(Gated, TheStatesOwnFencesAreNotUsed) {
  const SessionId a = open();
  const FencingToken before = state.next_fence();
  const RequestId first = lock(a, {"x"});
  let_in("x", 5);
  EXPECT_EQ(fence(first), FencingToken{5});
  EXPECT_EQ(state.next_fence(), before);
}

TEST_F(Gated, AnOpeningThatNobodyWantsIsGivenBackAtOnce) {
  let_in("x", 5);
  EXPECT_EQ(at_gate(), "-x");
  const RequestId later = lock(open(), {"x"});
  EXPECT_TRUE(is_queued(later));
  EXPECT_EQ(at_gate(), "+x");
}

TEST_F(Gated, ASecondOpeningOfWhatIsHeldChangesNothing) {
  lock(open(), {"x"});
  let_in("x", 5);
  lock(open(), {"x"});
  let_in("x", 6);
  EXPECT_TRUE(effects.empty());
  EXPECT_EQ(state.lock(Namespace::lock, "x")->holders.at(0).fence, FencingToken{5});
}

TEST_F(Gated, WhoeverGivesUpLeavesTheNameUnwanted) {
  const SessionId a = open();
  const RequestId waiting = lock(a, {"x"});
  ask(a, Cancel{waiting});
  EXPECT_EQ(at_gate(), "-x");
  let_in("x", 5);
  EXPECT_EQ(at_gate(), "-x");
  ask(a, Acquire{.names = {"x"}, .wait = seconds(1)});
  EXPECT_EQ(at_gate(), "+x");
  pass(seconds(2));
  EXPECT_EQ(at_gate(), "-x");
}

TEST_F(Gated, ItStaysWantedWhileAnybodyWaits) {
  const SessionId a = open();
  const SessionId b = open();
  const RequestId first = lock(a, {"x"});
  const RequestId second = lock(b, {"x"});
  ask(a, Cancel{first});
  EXPECT_EQ(at_gate(), "");
  let_in("x", 5);
  EXPECT_EQ(fence(second), FencingToken{5});
}

TEST_F(Gated, AWaitThatIsOverBeforeTheOpeningComesTooLate) {
  const SessionId a = open();
  const RequestId waiting = ask(a, Acquire{.names = {"x"}, .wait = seconds(1)});
  now = now + seconds(2);
  let_in("x", 5);
  EXPECT_EQ(error(waiting), Error::timed_out);
  EXPECT_EQ(at_gate(), "-x-x");
  EXPECT_FALSE(is_held("x"));
}

TEST_F(Gated, TheHolderEntersAgainWithoutAnOpening) {
  const SessionId a = open();
  lock(a, {"x"});
  let_in("x", 5);
  const RequestId again = lock(a, {"x"});
  EXPECT_EQ(fence(again), FencingToken{5});
  EXPECT_EQ(at_gate(), "");
  unlock(a, {"x"});
  EXPECT_EQ(at_gate(), "");
  unlock(a, {"x"});
  EXPECT_EQ(at_gate(), "-x");
}

TEST_F(Gated, ASecondRequestOfTheSameGuardIsLetInWithTheFirst) {
  const SessionId a = open();
  const RequestId first = lock(a, {"x"});
  const RequestId second = lock(a, {"x"});
  let_in("x", 5);
  EXPECT_EQ(fence(first), FencingToken{5});
  EXPECT_EQ(fence(second), FencingToken{5});
}

TEST_F(Gated, ATryWaitsForAMomentIfItIsTheFirst) {
  const SessionId a = open();
  const RequestId first = try_lock(a, "x");
  EXPECT_TRUE(is_queued(first));
  EXPECT_EQ(at_gate(), "+x");
  let_in("x", 5);
  EXPECT_EQ(fence(first), FencingToken{5});
  const RequestId second = try_lock(a, "y");
  pass({longest_try.value - 1});
  EXPECT_EQ(reply(second), nullptr);
  pass({1});
  EXPECT_EQ(error(second), Error::busy);
  EXPECT_EQ(message(second), "'y' is in use elsewhere");
  EXPECT_EQ(at_gate(), "-y");
}

TEST_F(Gated, ATryIsBusyAtOnceIfSomebodyHoldsOrWaitsHere) {
  const SessionId a = open();
  lock(a, {"x"});
  EXPECT_EQ(error(try_lock(open(), "x")), Error::busy);
  let_in("x", 5);
  EXPECT_EQ(error(try_lock(open(), "x")), Error::busy);
  EXPECT_EQ(error(try_lock(a, "x", {2})), Error::busy);
  EXPECT_TRUE(is_granted(try_lock(a, "x")));
}

TEST_F(Gated, WhoGetsNoticeHasTheTimeToLetGo) {
  const SessionId a = open();
  const SessionId b = open();
  lock(a, {"x"});
  lock(b, {"x"});
  let_in("x", 5);
  const Revoke notice{Namespace::lock, "x", "the group may be gone", true};
  apply({.what = notice});
  ASSERT_EQ(told<HoldOver>().size(), 1U);
  EXPECT_EQ(told<HoldOver>()[0].reason, "the group may be gone");
  EXPECT_EQ(at_gate(), "") << "it is still its own";
  EXPECT_TRUE(is_held("x"));
  apply({.what = notice});
  EXPECT_TRUE(told<HoldOver>().empty()) << "said once";
  ask(a, Acknowledge{.name = "x", .fence = {5}});
  EXPECT_EQ(at_gate(), "-x+x");

  let_in("x", 6);
  apply({.what = notice});
  revoke("x");
  EXPECT_EQ(at_gate(), "-x") << "and then it is over at once";
}

TEST_F(Gated, WhatIsRevokedIsOverAtOnce) {
  const SessionId a = open();
  const SessionId b = open();
  lock(a, {"x"});
  lock(b, {"x"});
  let_in("x", 5);
  revoke("x");
  ASSERT_EQ(told<HoldOver>().size(), 1U);
  EXPECT_EQ(told<HoldOver>()[0].session, a);
  EXPECT_EQ(told<HoldOver>()[0].fence, FencingToken{5});
  EXPECT_EQ(told<HoldOver>()[0].reason, "the group has decided otherwise");
  EXPECT_EQ(at_gate(), "-x+x");
  EXPECT_FALSE(is_held("x"));
  EXPECT_EQ(state.endings(a).size(), 1U);
  EXPECT_EQ(error(unlock(a, {"x"})), Error::not_held);
}

TEST_F(Gated, WhatIsNotHeldCannotBeRevoked) {
  const RequestId waiting = lock(open(), {"x"});
  revoke("x");
  EXPECT_EQ(at_gate(), "");
  let_in("x", 5);
  EXPECT_TRUE(is_granted(waiting));
  revoke("y");
  EXPECT_TRUE(effects.empty());
}

TEST_F(Gated, BrokenHoldsCloseTheNameWhenTheyAreGone) {
  const SessionId a = open();
  lock(a, {"x"});
  let_in("x", 5);
  apply({.request = {90}, .what = Break{.name = "x"}});
  EXPECT_EQ(at_gate(), "");
  ask(a, Acknowledge{.name = "x", .fence = {5}});
  EXPECT_EQ(at_gate(), "-x");
  lock(a, {"x"});
  let_in("x", 6);
  apply({.request = {91}, .what = Break{.name = "x", .force = true}});
  EXPECT_EQ(at_gate(), "-x");
}

TEST_F(Gated, AHoldThatLastsTooLongEnds) {
  const SessionId a = open();
  ask(a, Acquire{.names = {"x"}, .terms = {.hold = {.max_hold = seconds(3)}}});
  pass(seconds(5));
  let_in("x", 5);
  pass(seconds(3));
  EXPECT_EQ(told<HoldOver>().size(), 1U);
  EXPECT_EQ(at_gate(), "");
  pass(seconds(10));
  EXPECT_EQ(at_gate(), "-x");
}

TEST_F(Gated, TheLockDelayKeepsTheNameHere) {
  const SessionId a = open({.lock_delay = seconds(5)});
  const RequestId waiting = lock(open(), {"y"});
  lock(a, {"x"});
  let_in("x", 5);
  let_in("y", 6);
  apply({.what = ExpireSession{a}});
  EXPECT_EQ(at_gate(), "");
  EXPECT_EQ(error(try_lock(open(), "x")), Error::busy);
  pass(seconds(5));
  EXPECT_EQ(at_gate(), "-x");
  EXPECT_EQ(error(waiting), Error::internal);
}

TEST_F(Gated, ARevokedLockDelayIsOver) {
  const SessionId a = open({.lock_delay = seconds(5)});
  lock(a, {"x"});
  let_in("x", 5);
  apply({.what = ExpireSession{a}});
  revoke("x");
  EXPECT_EQ(at_gate(), "-x");
  EXPECT_TRUE(told<HoldOver>().empty());
}

TEST_F(Gated, AnEndingSessionGivesBackAllThatItHeldAndWanted) {
  const SessionId a = open();
  lock(a, {"x"});
  lock(a, {"y"});
  let_in("x", 5);
  ask(a, CloseSession{});
  EXPECT_EQ(told<Unwanted>().size(), 2U);
  EXPECT_EQ(state.lock_count(), 0U);
}

TEST_F(Gated, DeadlocksOfItsOwnSessionsAreFound) {
  const SessionId a = open();
  const SessionId b = open();
  lock(a, {"x"});
  let_in("x", 1);
  lock(b, {"y"});
  let_in("y", 2);
  lock(a, {"y"});
  EXPECT_EQ(error(lock(b, {"x"})), Error::would_deadlock);
  EXPECT_EQ(at_gate(), "");
}

TEST_F(Gated, OnlyExclusiveLocksOfOneNameAreToBeHad) {
  const SessionId a = open();
  const auto expect_refused = [&](RequestId request) {
    EXPECT_EQ(error(request), Error::unsupported);
    EXPECT_TRUE(message(request).starts_with(only_exclusive)) << message(request);
    EXPECT_EQ(at_gate(), "");
  };
  expect_refused(share(a, {"x"}));
  expect_refused(lock(a, {"x", "y"}));
  expect_refused(ask(a, Acquire{.names = {"x"}, .terms = {.slots = 2}}));
  expect_refused(ask(a, Downgrade{.name = "x"}));
  expect_refused(ask(a, Upgrade{.name = "x"}));
  expect_refused(ask(a, Put{.key = "f", .value = "1"}));
  expect_refused(ask(a, Remove{.key = "f"}));
  EXPECT_EQ(state.lock_count(), 0U);
}

TEST_F(Gated, AClientCannotOpenOrRevoke) {
  const SessionId a = open();
  EXPECT_EQ(error(ask(a, Open{Namespace::lock, "x", {5}})), Error::bad_request);
  EXPECT_EQ(error(ask(a, Revoke{Namespace::lock, "x", ""})), Error::bad_request);
  EXPECT_EQ(error(ask(a, Elsewhere{"x", {5}, "", {}})), Error::bad_request);
}

// --- Elections that are led elsewhere -----------------------------------------------------------

TEST_F(Gated, ALeaderElsewhereIsSeenHere) {
  say_elsewhere("boss", 5, "first");
  EXPECT_EQ(changes(), "elect 5 first");
  const auto leader = state.leader("boss");
  ASSERT_TRUE(leader);
  EXPECT_EQ(leader->fence, FencingToken{5});
  EXPECT_EQ(leader->terms.value, "first");
  EXPECT_EQ(leader->party.session, no_session);
  const auto info = state.lock(Namespace::election, "boss");
  ASSERT_TRUE(info);
  EXPECT_TRUE(info->holders.empty());
  ASSERT_TRUE(info->elsewhere);
  EXPECT_EQ(info->elsewhere->who.host, "far");
  ASSERT_EQ(state.locks(Namespace::election, "bo").size(), 1U);
  EXPECT_TRUE(state.locks(Namespace::election, "c").empty());
  EXPECT_FALSE(state.lock(Namespace::lock, "boss"));
  say_elsewhere("boss", 0);
  EXPECT_EQ(changes(), "resign 5 ");
  EXPECT_FALSE(state.leader("boss"));
  EXPECT_FALSE(state.lock(Namespace::election, "boss"));
}

TEST_F(Gated, AWordFromElsewhereIsToldOnce) {
  say_elsewhere("boss", 5, "first");
  say_elsewhere("boss", 5, "first");
  EXPECT_EQ(changes(), "");
  say_elsewhere("boss", 5, "second");
  EXPECT_EQ(changes(), "proclaim 5 second");
  say_elsewhere("boss", 7, "third");
  EXPECT_EQ(changes(), "resign 5 , elect 7 third");
  say_elsewhere("boss", 6, "late");
  EXPECT_EQ(changes(), "");
  EXPECT_EQ(state.leader("boss")->terms.value, "third");
}

TEST_F(Gated, ALeaderHereComesAfterTheOneElsewhere) {
  const SessionId a = open();
  say_elsewhere("boss", 5, "there");
  elect(a, "boss", "here");
  EXPECT_TRUE(state.lock(Namespace::election, "boss")->elsewhere);
  EXPECT_EQ(state.lock(Namespace::election, "boss")->queue.size(), 1U);
  let_in("boss", 6, Namespace::election);
  EXPECT_EQ(changes(), "resign 5 , elect 6 here");
  EXPECT_EQ(state.leader("boss")->party.session, a);
  EXPECT_EQ(state.lock(Namespace::election, "boss")->holders.size(), 1U);
  EXPECT_FALSE(state.lock(Namespace::election, "boss")->elsewhere);
}

TEST_F(Gated, WhatIsSaidOfOthersWhileSomebodyLeadsHereIsToldAfterwards) {
  const SessionId a = open();
  elect(a, "boss", "here");
  let_in("boss", 6, Namespace::election);
  say_elsewhere("boss", 5, "before");
  say_elsewhere("boss", 7, "after");
  EXPECT_EQ(changes(), "");
  EXPECT_EQ(state.leader("boss")->terms.value, "here");
  revoke("boss", Namespace::election);
  EXPECT_EQ(changes(), "resign 6 , elect 7 after");
  EXPECT_EQ(state.leader("boss")->terms.value, "after");
}

TEST_F(Gated, AnImageDoesNotKeepGates) {
  const SessionId a = open();
  lock(a, {"x"});
  lock(a, {"y"});
  let_in("x", 5);
  say_elsewhere("boss", 5, "there");
  const State restored(state.image());
  EXPECT_FALSE(restored.is_gated());
  EXPECT_EQ(restored.image(), state.image());
}

}  // namespace
}  // namespace baton::service
