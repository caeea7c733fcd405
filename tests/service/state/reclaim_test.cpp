#include <gtest/gtest.h>

#include "service/state/world.h"

namespace baton::service {
namespace {

using Sessions = std::vector<SessionId>;

// A server that has crashed and come back with what its journal had.
class Crashed : public World {
 public:
  SessionId open_fast() { return open({.fast = true}); }
  void crash() {
    apply({.what = Lead{.fences_from = {2'000'000}, .after_crash = true}});
    apply({.what = Reserve{.below = {9'000'000}}});
  }
  static Reclaim::Held held(std::string name, std::uint64_t fence) {
    return {.name = std::move(name), .hold = {.fence = {fence}}};
  }
};

TEST(Reclaim, NothingIsGrantedUntilAllHaveReported) {
  Crashed world;
  const auto a = world.open_fast(), b = world.open_fast(), c = world.open();
  world.crash();
  EXPECT_TRUE(world.state.is_recovering());
  EXPECT_EQ(world.state.unreported(), (Sessions{a, b}));
  const auto waits = world.lock(c, {"x"});
  EXPECT_TRUE(world.is_queued(waits));
  const auto tries = world.ask(c, Acquire{.names = {"y"}, .owner = {1}, .wait = Duration{0}});
  EXPECT_TRUE(world.is_queued(tries));
  world.ask(a, Reclaim{.held = {Crashed::held("y", 1500)}});
  EXPECT_FALSE(world.is_granted(waits));
  world.apply({.what = ExpireSession{b}});
  EXPECT_FALSE(world.state.is_recovering());
  EXPECT_TRUE(world.is_granted(waits));
  EXPECT_GE(world.fence(waits), FencingToken{2'000'000});
  EXPECT_EQ(world.error(tries), Error::busy);
  EXPECT_EQ(world.holders("y"), Sessions{a});
}

TEST(Reclaim, WithoutFastSessionsNobodyIsWaitedFor) {
  Crashed world;
  const auto a = world.open();
  world.crash();
  EXPECT_FALSE(world.state.is_recovering());
  EXPECT_TRUE(world.is_granted(world.lock(a, {"x"})));
}

TEST(Reclaim, TheHigherFenceIsRight) {
  Crashed world;
  const auto a = world.open_fast(), b = world.open_fast(), c = world.open();
  const auto old = world.lock(c, {"x"});
  const auto fence = world.fence(old);
  world.crash();
  // The journal has c as the holder, but c let go and b got it.
  world.ask(b, Reclaim{.held = {Crashed::held("x", fence.value + 2)}});
  ASSERT_EQ(world.told<HoldOver>().size(), 1u);
  EXPECT_EQ(world.told<HoldOver>()[0].session, c);
  EXPECT_EQ(world.holders("x"), Sessions{b});
  world.ask(a, Reclaim{.held = {Crashed::held("x", fence.value + 1)}});
  ASSERT_EQ(world.told<HoldOver>().size(), 1u);
  EXPECT_EQ(world.told<HoldOver>()[0].session, a);
  EXPECT_EQ(world.holders("x"), Sessions{b});
}

TEST(Reclaim, WhatWasTakenAwayIsNotGivenBack) {
  Crashed world;
  const auto a = world.open_fast(), b = world.open();
  const auto fence = world.fence(world.lock(a, {"x"}));
  world.ask(b, Break{.name = "x", .force = true});
  world.crash();
  world.ask(a, Reclaim{.held = {Crashed::held("x", fence.value)}});
  ASSERT_EQ(world.told<HoldOver>().size(), 1u);
  EXPECT_EQ(world.told<HoldOver>()[0].reason, "it was broken by an operator, by force");
  EXPECT_TRUE(world.holders("x").empty());
  EXPECT_TRUE(world.is_granted(world.lock(b, {"x"})));
}

TEST(Reclaim, WhatIsNotReportedIsGivenUp) {
  Crashed world;
  const auto a = world.open_fast(), b = world.open();
  const auto request = world.lock(a, {"x"});
  const auto fence = world.fence(request);
  world.lock(a, {"y"});
  const auto waiting = world.lock(b, {"y"});
  world.crash();
  world.ask(a, Reclaim{.held = {Crashed::held("x", fence.value)}});
  EXPECT_TRUE(world.is_granted(waiting));
  EXPECT_TRUE(world.told<HoldOver>().empty());
  EXPECT_EQ(world.holders("x"), Sessions{a});
}

TEST(Reclaim, AGrantThatWasNeverHeardOfIsAskedForAnew) {
  Crashed world;
  const auto a = world.open_fast(), b = world.open();
  const Acquire acquire{.names = {"x"}};
  world.apply({.session = a, .request = {100}, .what = acquire});
  const auto lost = world.fence({100});
  const auto waiting = world.lock(b, {"x"});
  world.crash();
  world.ask(a, Reclaim{});
  EXPECT_TRUE(world.is_granted(waiting));
  world.apply({.session = a, .request = {100}, .what = acquire});
  EXPECT_TRUE(world.is_queued({100}));
  world.unlock(b, {"x"});
  EXPECT_GT(world.fence({100}), lost);
}

TEST(Reclaim, ThoseWhoWaitedKeepTheirPlaces) {
  Crashed world;
  const auto holder = world.open(), a = world.open_fast(), b = world.open_fast();
  world.lock(holder, {"x"});
  const auto known = world.lock(a, {"x"});
  const auto ticket = world.told<Queued>().at(0).ticket;
  world.crash();
  const Acquire acquire{.names = {"x"}};
  const auto late = world.lock(holder, {"x"}, {1});
  world.ask(b, Reclaim{.waiting = {{{500}, ticket + 1, acquire}, {{501}, 0, acquire}}});
  ASSERT_EQ(world.told<Queued>().size(), 2u);
  EXPECT_EQ(world.told<Queued>()[0].ticket, ticket + 1);
  world.ask(a, Reclaim{.waiting = {{known, ticket, acquire}}});
  const auto lock = world.state.lock(Namespace::lock, "x");
  ASSERT_EQ(lock->queue.size(), 4u);
  EXPECT_EQ(lock->queue[0].id, known);
  EXPECT_EQ(lock->queue[1].id, RequestId{500});
  EXPECT_EQ(lock->queue[2].id, late);
  EXPECT_EQ(lock->queue[3].id, RequestId{501});
}

TEST(Reclaim, NothingWaitsUnderTheNumberOfTheReportItself) {
  Crashed world;
  const auto a = world.open_fast(), b = world.open();
  world.lock(b, {"x"});
  world.crash();
  const RequestId own{world.requests + 1};
  const auto report =
      world.ask(a, Reclaim{.waiting = {{.request = own, .acquire = {.names = {"x"}}}}});
  ASSERT_EQ(report, own);
  EXPECT_EQ(world.told<Reply>().size(), 1u);
  EXPECT_EQ(world.error(report), Error::none);
  EXPECT_EQ(world.state.waiting_count(), 0u);
  EXPECT_EQ(what_is_wrong_with(world.state.image()), std::nullopt);
}

TEST(Reclaim, ARequestThatIsNotReportedIsNoLongerWanted) {
  Crashed world;
  const auto holder = world.open(), a = world.open_fast();
  world.lock(holder, {"x"});
  world.lock(a, {"x"});
  world.crash();
  world.ask(a, Reclaim{});
  EXPECT_TRUE(world.state.lock(Namespace::lock, "x")->queue.empty());
}

TEST(Reclaim, ReadersOfOneFenceBelongTogether) {
  Crashed world;
  const auto a = world.open_fast(), b = world.open_fast(), c = world.open_fast();
  world.crash();
  Reclaim::Held held = Crashed::held("x", 1500);
  held.hold.terms.mode = Mode::shared;
  world.ask(a, Reclaim{.held = {held}});
  world.ask(b, Reclaim{.held = {held}});
  EXPECT_EQ(world.holders("x"), (Sessions{a, b}));
  held.hold.fence = {1600};
  world.ask(c, Reclaim{.held = {held}});
  EXPECT_EQ(world.holders("x"), Sessions{c});
  EXPECT_EQ(world.told<HoldOver>().size(), 2u);
}

// A writer that only its client knew of may have come after those readers, so their fence may be
// too low for anybody else.
TEST(Reclaim, ReadersFromBeforeTheCrashAreNotJoined) {
  Crashed world;
  const auto a = world.open(), b = world.open(), fast = world.open_fast();
  const auto old = world.share(a, {"x"});
  const auto fence = world.fence(old);
  world.crash();
  world.ask(fast, Reclaim{});
  const auto next = world.share(b, {"x"});
  EXPECT_TRUE(world.is_queued(next));
  EXPECT_TRUE(world.is_granted(world.share(a, {"x"})));  // entered again
  world.unlock(a, {"x"});
  world.unlock(a, {"x"});
  EXPECT_GT(world.fence(next), fence);
  EXPECT_TRUE(world.is_granted(world.share(a, {"x"})));
}

TEST(Reclaim, SlotsAreToldApart) {
  Crashed world;
  const auto a = world.open_fast(), b = world.open_fast(), c = world.open_fast();
  world.crash();
  const auto slot = [](std::uint32_t number, std::uint64_t fence) {
    Reclaim::Held held = Crashed::held("pool", fence);
    held.slots = 3;
    held.hold.slot = number;
    return Reclaim{.held = {held}};
  };
  world.ask(a, slot(2, 1500));
  world.ask(b, slot(0, 1501));
  world.ask(c, slot(2, 1502));
  EXPECT_EQ(world.holders("pool"), (Sessions{b, c}));
  const auto next = world.ask(a, Acquire{.names = {"pool"}, .terms = {.slots = 3}});
  EXPECT_EQ(std::get<Grant>(world.reply(next)->result).slot, 1u);
}

TEST(Reclaim, AFenceFromTheFutureIsRefused) {
  Crashed world;
  const auto a = world.open_fast(), b = world.open_fast();
  world.crash();
  world.ask(a, Reclaim{.held = {Crashed::held("x", 2'000'000), Crashed::held("", 1500)}});
  EXPECT_EQ(world.told<HoldOver>().size(), 2u);
  EXPECT_EQ(world.state.lock_count(), 0u);
  world.ask(b, Reclaim{});
  EXPECT_FALSE(world.state.is_recovering());
}

TEST(Reclaim, ALeaderIsRestoredForAllToSee) {
  Crashed world;
  const auto a = world.open_fast();
  world.crash();
  Reclaim::Held held = Crashed::held("chief", 1500);
  held.space = Namespace::election;
  held.hold.terms.value = "me";
  world.ask(a, Reclaim{.held = {held}});
  ASSERT_EQ(world.told<Change>().size(), 1u);
  EXPECT_EQ(world.told<Change>()[0].kind, Change::Kind::elect);
  EXPECT_EQ(world.state.leader("chief")->terms.value, "me");
}

TEST(Reclaim, OtherwiseTheServerKnowsBetter) {
  Crashed world;
  const auto a = world.open_fast();
  const auto request = world.lock(a, {"x"});
  const auto fence = world.fence(request);
  world.lock(a, {"y"});
  world.ask(a, Reclaim{.held = {Crashed::held("x", fence.value), Crashed::held("z", 1)}});
  ASSERT_EQ(world.told<HoldOver>().size(), 1u);
  EXPECT_EQ(world.told<HoldOver>()[0].name, "z");
  EXPECT_EQ(world.state.lock_count(), 2u);
}

// What is reported may close a cycle that nobody saw.
TEST(Reclaim, ACycleThatWasReportedIsBrokenAtItsYoungest) {
  Crashed world;
  const auto a = world.open_fast(), b = world.open_fast();
  world.crash();
  world.ask(a, Reclaim{.held = {Crashed::held("x", 1500)},
                       .waiting = {{{500}, 5, Acquire{.names = {"y"}}}}});
  world.ask(b, Reclaim{.held = {Crashed::held("y", 1501)},
                       .waiting = {{{501}, 6, Acquire{.names = {"x"}}}}});
  EXPECT_EQ(world.error({501}), Error::would_deadlock);
  EXPECT_EQ(world.reply({500}), nullptr);
  EXPECT_EQ(world.state.waiting_count(), 1u);
}

TEST(Reclaim, AnEndOfAllUnreportedSessionsEndsTheWait) {
  Crashed world;
  const auto a = world.open_fast(), b = world.open();
  const auto held = world.lock(a, {"x"});
  EXPECT_TRUE(world.is_granted(held));
  world.crash();
  const auto waiting = world.lock(b, {"x"});
  world.ask(a, CloseSession{});
  EXPECT_TRUE(world.is_granted(waiting));
}

TEST(Grades, AFastGrantIsMarked) {
  Crashed world;
  const auto a = world.open_fast(), b = world.open_fast();
  const auto first = world.ask(a, Acquire{.names = {"x"}, .terms = {.fast = true}});
  EXPECT_TRUE(world.reply(first)->fast);
  const auto second = world.ask(b, Acquire{.names = {"x"}, .terms = {.fast = true}});
  const auto release = world.unlock(a, {"x"});
  EXPECT_FALSE(world.reply(release)->fast);
  EXPECT_TRUE(world.reply(second)->fast);
  EXPECT_FALSE(world.reply(world.lock(a, {"y"}))->fast);
}

}  // namespace
}  // namespace baton::service
