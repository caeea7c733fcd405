#include <gtest/gtest.h>

#include "service/state/world.h"

namespace baton::service {
namespace {

TEST(Deadlock, TheDeadlyEmbraceIsNamed) {
  World world;
  const auto a = world.open_named("backup", "alpha"), b = world.open_named("report", "beta");
  world.lock(a, {"x"});
  world.lock(b, {"y"});
  EXPECT_TRUE(world.is_queued(world.lock(a, {"y"})));
  const auto closing = world.lock(b, {"x"});
  EXPECT_EQ(world.error(closing), Error::would_deadlock);
  EXPECT_EQ(world.message(closing),
            "session 2 (report on host beta) holds 'y' and waits for 'x'; "
            "session 1 (backup on host alpha) holds 'x' and waits for 'y'");
  EXPECT_TRUE(world.state.lock(Namespace::lock, "x")->queue.empty());
}

TEST(Deadlock, CanBeWaitedForAnyway) {
  World world;
  const auto a = world.open(), b = world.open();
  world.lock(a, {"x"});
  world.lock(b, {"y"});
  const auto patient = world.ask(a, Acquire{.names = {"y"}, .wait = seconds(5)});
  const auto stubborn = world.ask(b, Acquire{.names = {"x"}, .terms = {.despite_deadlock = true}});
  EXPECT_TRUE(world.is_queued(stubborn));
  EXPECT_EQ(world.state.wait_edges().size(), 2u);
  // One that waits behind them has not closed the cycle.
  EXPECT_TRUE(world.is_queued(world.lock(world.open(), {"x"})));
  world.pass(seconds(5));
  EXPECT_EQ(world.error(patient), Error::timed_out);
  world.unlock(a, {"x"});
  EXPECT_TRUE(world.is_granted(stubborn));
}

TEST(Deadlock, LeadsThroughRequestsAhead) {
  World world;
  const auto a = world.open(), b = world.open(), c = world.open();
  world.share(a, {"x"});
  world.lock(b, {"y"});
  world.lock(c, {"x"});
  EXPECT_TRUE(world.is_queued(world.lock(a, {"y"})));
  // x is shared by a, as b would have it, but c is ahead and waits for a, who waits for b.
  const auto closing = world.share(b, {"x"});
  EXPECT_EQ(world.error(closing), Error::would_deadlock);
  EXPECT_EQ(world.message(closing),
            "session 2 holds 'y' and waits for 'x'; session 3 is ahead in line for 'x' and waits "
            "for 'x'; session 1 holds 'x' and waits for 'y'");
}

TEST(Deadlock, OfTwoGuardsOfOneSessionNamesTheGuards) {
  World world;
  const auto a = world.open();
  world.lock(a, {"x"}, {1});
  world.lock(a, {"y"}, {2});
  world.lock(a, {"y"}, {1});
  const auto closing = world.lock(a, {"x"}, {2});
  EXPECT_EQ(world.error(closing), Error::would_deadlock);
  EXPECT_EQ(world.message(closing),
            "owner 2 of session 1 holds 'y' and waits for 'x'; owner 1 of session 1 holds 'x' and "
            "waits for 'y'");
}

TEST(Deadlock, AFreeSlotElsewhereIsAWayOut) {
  World world;
  const auto a = world.open(), b = world.open(), c = world.open();
  const Acquire slot{.names = {"pool"}, .terms = {.slots = 2}};
  world.ask(a, slot);
  world.ask(b, slot);
  world.lock(c, {"x"});
  EXPECT_TRUE(world.is_queued(world.lock(a, {"x"})));
  EXPECT_TRUE(world.is_queued(world.ask(c, slot)));  // b may still let go
  const auto closing = world.lock(b, {"x"});
  EXPECT_EQ(world.error(closing), Error::would_deadlock);
}

TEST(Deadlock, SeveralNamesAtOnceDoNotDeadlockAmongThemselves) {
  World world;
  const auto a = world.open(), b = world.open(), c = world.open();
  world.lock(c, {"x", "y"});
  EXPECT_TRUE(world.is_queued(world.lock(a, {"x", "y"})));
  EXPECT_TRUE(world.is_queued(world.lock(b, {"y", "x"})));
}

TEST(Deadlock, ASessionWaitsForThoseWithinIt) {
  World world;
  const auto outer = world.open(), other = world.open();
  const auto inner = world.open({.within = outer});
  world.lock(outer, {"a"});
  const auto closing = world.lock(inner, {"a"});
  EXPECT_EQ(world.error(closing), Error::would_deadlock);
  EXPECT_EQ(world.message(closing),
            "session 3 runs inside session 1 and waits for 'a'; session 1 holds 'a' and waits for "
            "session 3 to end");
  world.lock(other, {"b"});
  EXPECT_TRUE(world.is_queued(world.lock(inner, {"b"})));
  EXPECT_EQ(world.error(world.lock(other, {"a"})), Error::would_deadlock);
  EXPECT_EQ(world.state.wait_edges().size(), 2u);
}

TEST(Deadlock, TwoLevelsWithin) {
  World world;
  const auto outer = world.open();
  const auto middle = world.open({.within = outer});
  const auto inner = world.open({.within = middle});
  world.lock(outer, {"a"});
  EXPECT_EQ(world.error(world.lock(inner, {"a"})), Error::would_deadlock);
  world.ask(middle, CloseSession{});
  EXPECT_TRUE(world.is_queued(world.lock(inner, {"a"})));
}

TEST(Deadlock, AHoldThatIsOverIsNoReason) {
  World world;
  const auto a = world.open(), b = world.open();
  world.lock(a, {"x"});
  world.lock(b, {"y"});
  world.lock(a, {"y"});
  world.ask(b, Break{.name = "x"});
  EXPECT_TRUE(world.is_queued(world.lock(b, {"x"})));
}

// The owner of a waits for z and for x, and enters x again as long as it holds it. When it lets go
// of x, it waits for b, who waits for it.
TEST(Deadlock, ClosedByARelease) {
  World world;
  const auto a = world.open(), b = world.open(), c = world.open();
  world.lock(a, {"x"});
  world.lock(a, {"z"});
  world.lock(c, {"y"});
  world.lock(b, {"x"});
  world.lock(b, {"z"});
  const auto both = world.lock(a, {"x", "y"});
  ASSERT_TRUE(world.is_queued(both));
  world.unlock(a, {"x"});
  EXPECT_EQ(world.error(both), Error::would_deadlock);
}

TEST(Deadlock, ClosedByACancel) {
  World world;
  const auto a = world.open(), b = world.open(), c = world.open();
  world.lock(c, {"x"});
  world.lock(a, {"z"});
  const auto first = world.lock(a, {"x"});
  world.lock(b, {"x"});
  world.lock(b, {"z"});
  const auto second = world.lock(a, {"x"});
  ASSERT_TRUE(world.is_queued(second));  // it would enter with the first
  world.ask(a, Cancel{first});
  EXPECT_EQ(world.error(first), Error::cancelled);
  EXPECT_EQ(world.error(second), Error::would_deadlock);
}

TEST(Deadlock, ClosedByAnUpgradeThatNeedNotWait) {
  World world;
  const auto a = world.open(), b = world.open(), c = world.open();
  world.share(a, {"x"});
  world.lock(b, {"z"});
  world.lock(c, {"w"});
  world.share(b, {"x", "w"});
  ASSERT_TRUE(world.is_queued(world.lock(a, {"z"})));
  const auto upgrade = world.ask(a, Upgrade{.name = "x"});
  EXPECT_EQ(world.error(upgrade), Error::would_deadlock);
  EXPECT_EQ(world.state.lock(Namespace::lock, "x")->holders[0].terms.mode, Mode::shared);
}

TEST(Deadlock, ALongLineIsNoCycle) {
  World world;
  const auto first = world.open();
  world.lock(first, {"x"});
  world.lock(first, {"0"});
  for (int i = 1; i < 200; ++i) {
    const auto next = world.open();
    world.lock(next, {std::to_string(i)});
    world.lock(next, {std::to_string(i - 1)});
    ASSERT_TRUE(world.is_queued(world.lock(next, {"x"}, {1})));
  }
  EXPECT_TRUE(world.is_queued(world.lock(world.open(), {"199"})));
  EXPECT_EQ(world.error(world.lock(first, {"199"})), Error::would_deadlock);
}

}  // namespace
}  // namespace baton::service
