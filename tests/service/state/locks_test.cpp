#include <gtest/gtest.h>

#include "service/state/world.h"

namespace baton::service {
namespace {

using Sessions = std::vector<SessionId>;

TEST(Locks, OneHolderThenTheNextInLine) {
  World world;
  const auto a = world.open(), b = world.open(), c = world.open();
  const auto first = world.lock(a, {"x"});
  EXPECT_TRUE(world.is_granted(first));
  const auto fence = world.fence(first);
  const auto second = world.lock(b, {"x"});
  EXPECT_TRUE(world.is_queued(second));
  const auto third = world.lock(c, {"x"});
  const auto release = world.unlock(a, {"x"});
  EXPECT_EQ(world.error(release), Error::none);
  EXPECT_TRUE(world.is_granted(second));
  EXPECT_FALSE(world.is_granted(third));
  EXPECT_GT(world.fence(second), fence);
  world.unlock(b, {"x"});
  EXPECT_TRUE(world.is_granted(third));
  world.unlock(c, {"x"});
  EXPECT_EQ(world.state.lock_count(), 0u);
}

TEST(Locks, FencesGrowThoughTheNameWasForgotten) {
  World world;
  const auto a = world.open();
  FencingToken last;
  for (int i = 0; i < 5; ++i) {
    const auto request = world.lock(a, {"x"});
    EXPECT_GT(world.fence(request), last);
    last = world.fence(request);
    world.unlock(a, {"x"});
    EXPECT_FALSE(world.state.lock(Namespace::lock, "x"));
  }
}

TEST(Locks, TryDoesNotWaitAndSaysWhoHolds) {
  World world;
  const auto a = world.open_named("backup", "alpha"), b = world.open();
  world.lock(a, {"x"});
  const auto request = world.ask(b, Acquire{.names = {"x"}, .wait = Duration{0}});
  EXPECT_EQ(world.error(request), Error::busy);
  EXPECT_EQ(world.message(request), "'x' is held by session 1 (backup on host alpha)");
  EXPECT_TRUE(world.state.lock(Namespace::lock, "x")->queue.empty());
}

TEST(Locks, AFailedTryLeavesNothingBehind) {
  World world;
  const auto a = world.open(), b = world.open();
  world.lock(a, {"x"});
  world.ask(b, Acquire{.names = {"x", "free"}, .wait = Duration{0}});
  EXPECT_FALSE(world.state.lock(Namespace::lock, "free"));
}

TEST(Locks, AWaitWithADeadlineEnds) {
  World world;
  const auto a = world.open(), b = world.open(), c = world.open();
  world.lock(a, {"x"});
  const auto patient = world.ask(b, Acquire{.names = {"x"}, .wait = seconds(5)});
  EXPECT_EQ(world.state.next_due(), world.now + seconds(5));
  const auto behind = world.share(c, {"x"});
  world.pass(seconds(4));
  EXPECT_EQ(world.reply(patient), nullptr);
  world.pass(seconds(1));
  EXPECT_EQ(world.error(patient), Error::timed_out);
  EXPECT_FALSE(world.state.next_due());
  world.unlock(a, {"x"});
  EXPECT_TRUE(world.is_granted(behind));
}

TEST(Locks, ADeadlineThatPassesLetsThoseBehindIn) {
  World world;
  const auto a = world.open(), b = world.open(), c = world.open();
  world.share(a, {"x"});
  const auto writer = world.ask(b, Acquire{.names = {"x"}, .wait = seconds(5)});
  const auto reader = world.share(c, {"x"});
  EXPECT_TRUE(world.is_queued(reader));
  world.pass(seconds(5));
  EXPECT_EQ(world.error(writer), Error::timed_out);
  EXPECT_TRUE(world.is_granted(reader));
}

TEST(Locks, AnyCommandBringsAboutWhatIsDue) {
  World world;
  const auto a = world.open(), b = world.open();
  world.lock(a, {"x"});
  const auto waiting = world.ask(b, Acquire{.names = {"x"}, .wait = seconds(1)});
  world.now = world.now + seconds(2);
  world.unlock(a, {"x"});
  EXPECT_EQ(world.error(waiting), Error::timed_out);
}

TEST(Locks, ReadersShareButDoNotStarveAWriter) {
  World world;
  const auto a = world.open(), b = world.open(), c = world.open(), d = world.open();
  const auto first = world.share(a, {"x"});
  const auto fence = world.fence(first);
  const auto second = world.share(b, {"x"});
  EXPECT_EQ(world.fence(second), fence);
  const auto writer = world.lock(c, {"x"});
  const auto late = world.share(d, {"x"});
  EXPECT_TRUE(world.is_queued(late));
  world.unlock(a, {"x"});
  EXPECT_TRUE(world.told<Queued>().empty());
  world.unlock(b, {"x"});
  EXPECT_TRUE(world.is_granted(writer));
  EXPECT_GT(world.fence(writer), fence);
  const auto written = world.fence(writer);
  world.unlock(c, {"x"});
  EXPECT_TRUE(world.is_granted(late));
  EXPECT_GT(world.fence(late), written);
}

TEST(Locks, SlotsAreNumberedAndHaveFencesOfTheirOwn) {
  World world;
  const auto a = world.open(), b = world.open(), c = world.open();
  const Acquire acquire{.names = {"pool"}, .terms = {.slots = 2}};
  const auto first = world.ask(a, acquire);
  const auto one = std::get<Grant>(world.reply(first)->result);
  const auto second = world.ask(b, acquire);
  const auto two = std::get<Grant>(world.reply(second)->result);
  EXPECT_EQ(one.slot, 0u);
  EXPECT_EQ(two.slot, 1u);
  EXPECT_GT(two.fence, one.fence);
  const auto third = world.ask(c, acquire);
  EXPECT_TRUE(world.is_queued(third));
  world.unlock(a, {"pool"});
  ASSERT_TRUE(world.is_granted(third));
  EXPECT_EQ(std::get<Grant>(world.reply(third)->result).slot, 0u);
}

TEST(Locks, AllWhoUseANameAgreeOnItsSlots) {
  World world;
  const auto a = world.open(), b = world.open();
  world.ask(a, Acquire{.names = {"pool"}, .terms = {.slots = 2}});
  EXPECT_EQ(world.error(world.lock(b, {"pool"})), Error::slots_differ);
  EXPECT_EQ(world.message(RequestId{world.requests}), "'pool' is in use with 2 slots");
  world.unlock(a, {"pool"});
  EXPECT_TRUE(world.is_granted(world.lock(b, {"pool"})));
}

TEST(Locks, SeveralNamesAllOrNothing) {
  World world;
  const auto a = world.open(), b = world.open(), c = world.open();
  world.lock(a, {"y"});
  const auto both = world.lock(b, {"x", "y"});
  EXPECT_TRUE(world.is_queued(both));
  EXPECT_TRUE(world.holders("x").empty());
  // x is free, but b was here first.
  const auto later = world.lock(c, {"x"});
  EXPECT_TRUE(world.is_queued(later));
  world.unlock(a, {"y"});
  ASSERT_TRUE(world.is_granted(both));
  const auto granted = std::get<Grant>(world.reply(both)->result);
  ASSERT_EQ(granted.parts.size(), 2u);
  EXPECT_EQ(granted.fence, granted.parts[1].fence);
  EXPECT_LT(granted.parts[0].fence, granted.parts[1].fence);
  const auto release = world.unlock(b, {"x", "y"});
  EXPECT_EQ(world.error(release), Error::none);
  EXPECT_TRUE(world.is_granted(later));
}

TEST(Locks, ReleaseOfSeveralIsAllOrNothing) {
  World world;
  const auto a = world.open();
  world.lock(a, {"x"});
  EXPECT_EQ(world.error(world.unlock(a, {"x", "y"})), Error::not_held);
  EXPECT_EQ(world.holders("x"), Sessions{a});
}

TEST(Locks, TheSameGuardEntersAgainAnotherDoesNot) {
  World world;
  const auto a = world.open();
  const auto first = world.lock(a, {"x"}, OwnerId{1});
  const auto fence = world.fence(first);
  const auto again = world.lock(a, {"x"}, OwnerId{1});
  EXPECT_EQ(world.fence(again), fence);
  const auto other = world.lock(a, {"x"}, OwnerId{2});
  EXPECT_TRUE(world.is_queued(other));
  world.unlock(a, {"x"}, OwnerId{1});
  EXPECT_FALSE(world.is_granted(other));
  world.unlock(a, {"x"}, OwnerId{1});
  EXPECT_TRUE(world.is_granted(other));
}

TEST(Locks, EnteringAgainComesBeforeThoseWhoWait) {
  World world;
  const auto a = world.open(), b = world.open();
  world.lock(a, {"x"});
  world.lock(b, {"x"});
  EXPECT_TRUE(world.is_granted(world.lock(a, {"x"})));
}

TEST(Locks, OfTwoRequestsOfOneGuardTheSecondEntersWithTheFirst) {
  World world;
  const auto a = world.open(), b = world.open(), c = world.open();
  world.lock(b, {"x"});
  const auto first = world.lock(a, {"x"});
  const auto between = world.lock(c, {"x"});
  const auto second = world.lock(a, {"x"});
  EXPECT_TRUE(world.is_queued(second));
  world.unlock(b, {"x"});
  EXPECT_TRUE(world.is_granted(first));
  EXPECT_TRUE(world.is_granted(second));
  EXPECT_FALSE(world.is_granted(between));
}

TEST(Locks, EnteringAgainGivesItsPlaceInLineToTheNext) {
  World world;
  const auto a = world.open(), b = world.open(), c = world.open();
  world.ask(a, Acquire{.names = {"pool"}, .terms = {.slots = 2}});
  world.ask(b, Acquire{.names = {"other"}, .terms = {.slots = 2}});
  world.ask(b, Acquire{.names = {"other"}, .owner = {1}, .terms = {.slots = 2}});
  const auto both = world.ask(a, Acquire{.names = {"pool", "other"}, .terms = {.slots = 2}});
  EXPECT_TRUE(world.is_queued(both));
  const auto next = world.ask(c, Acquire{.names = {"pool"}, .terms = {.slots = 2}});
  EXPECT_TRUE(world.is_queued(next));
  world.unlock(b, {"other"});
  EXPECT_TRUE(world.is_granted(both));
  EXPECT_TRUE(world.is_granted(next));
}

TEST(Locks, WhoWaitsForTheEndOfItsOwnHoldKeepsNoReaderBack) {
  World world;
  const auto a = world.open(), b = world.open(), c = world.open(), d = world.open();
  world.lock(d, {"y"});
  world.share(a, {"x"});
  const auto again = world.share(a, {"x", "y"});
  const auto writer = world.lock(b, {"x"});
  const auto reader = world.share(c, {"x"});
  EXPECT_TRUE(world.is_queued(reader));
  world.ask(d, Break{Namespace::lock, "x"});
  EXPECT_FALSE(world.is_granted(reader));
  world.ask(b, Cancel{writer});
  EXPECT_TRUE(world.is_granted(reader));
  EXPECT_FALSE(world.is_granted(again));
}

TEST(Locks, WhoSharesMustUpgrade) {
  World world;
  const auto a = world.open(), b = world.open();
  world.share(a, {"x"});
  EXPECT_EQ(world.error(world.lock(a, {"x"})), Error::bad_request);
  world.lock(b, {"y"});
  world.share(a, {"y"});
  EXPECT_EQ(world.error(world.lock(a, {"y"})), Error::bad_request);
}

TEST(Locks, CancelEndsAWait) {
  World world;
  const auto a = world.open(), b = world.open(), c = world.open();
  world.share(a, {"x"});
  const auto writer = world.lock(b, {"x"});
  const auto reader = world.share(c, {"x"});
  const auto cancel = world.ask(b, Cancel{writer});
  EXPECT_EQ(world.error(cancel), Error::none);
  EXPECT_EQ(world.error(writer), Error::cancelled);
  EXPECT_TRUE(world.is_granted(reader));
  EXPECT_EQ(world.error(world.ask(b, Cancel{writer})), Error::not_found);
}

TEST(Locks, DowngradeLetsReadersInUnderTheSameFence) {
  World world;
  const auto a = world.open(), b = world.open();
  const auto request = world.lock(a, {"x"});
  const auto fence = world.fence(request);
  const auto reader = world.share(b, {"x"});
  const auto down = world.ask(a, Downgrade{.name = "x"});
  EXPECT_EQ(world.fence(down), fence);
  EXPECT_EQ(world.fence(reader), fence);
  EXPECT_EQ(world.error(world.ask(b, Downgrade{.name = "y"})), Error::not_held);
}

TEST(Locks, UpgradeComesBeforeAllWhoWait) {
  World world;
  const auto a = world.open(), b = world.open(), c = world.open();
  const auto shared = world.share(a, {"x"});
  const auto fence = world.fence(shared);
  world.share(b, {"x"});
  const auto writer = world.lock(c, {"x"});
  const auto upgrade = world.ask(a, Upgrade{.name = "x"});
  EXPECT_TRUE(world.is_queued(upgrade));
  world.unlock(b, {"x"});
  EXPECT_TRUE(world.is_granted(upgrade));
  EXPECT_GT(world.fence(upgrade), fence);
  EXPECT_FALSE(world.is_granted(writer));
  world.unlock(a, {"x"});
  EXPECT_TRUE(world.is_granted(writer));
}

TEST(Locks, TwoUpgradesWouldWaitForEachOther) {
  World world;
  const auto a = world.open(), b = world.open();
  world.share(a, {"x"});
  world.share(b, {"x"});
  world.ask(a, Upgrade{.name = "x"});
  const auto second = world.ask(b, Upgrade{.name = "x"});
  EXPECT_EQ(world.error(second), Error::would_deadlock);
  EXPECT_EQ(world.message(second),
            "session 2 holds 'x' and waits for 'x'; session 1 holds 'x' and waits for 'x'");
}

TEST(Locks, AnUpgradeWithoutItsHoldIsNothing) {
  World world;
  const auto a = world.open(), b = world.open();
  world.share(a, {"x"});
  world.share(b, {"x"});
  const auto upgrade = world.ask(a, Upgrade{.name = "x"});
  world.unlock(a, {"x"});
  EXPECT_EQ(world.error(upgrade), Error::not_held);
  EXPECT_EQ(world.error(world.ask(a, Upgrade{.name = "x"})), Error::not_held);
}

TEST(Locks, AHoldThatLastsTooLongIsToldAndThenTaken) {
  World world;
  const auto a = world.open(), b = world.open();
  const auto request =
      world.ask(a, Acquire{.names = {"x"}, .terms = {.hold = {.max_hold = seconds(60)}}});
  const auto fence = world.fence(request);
  const auto waiting = world.lock(b, {"x"});
  world.pass(seconds(60));
  ASSERT_EQ(world.told<HoldOver>().size(), 1u);
  EXPECT_EQ(world.told<HoldOver>()[0].fence, fence);
  EXPECT_FALSE(world.is_granted(waiting));
  EXPECT_EQ(world.error(world.lock(a, {"x"})), Error::lock_lost);
  world.pass(seconds(9));
  EXPECT_FALSE(world.is_granted(waiting));
  world.pass(seconds(1));
  EXPECT_TRUE(world.is_granted(waiting));
}

TEST(Locks, ALateTickStillGivesTheHolderItsTime) {
  World world;
  const auto a = world.open(), b = world.open();
  world.ask(a, Acquire{.names = {"x"}, .terms = {.hold = {.max_hold = seconds(60)}}});
  const auto waiting = world.lock(b, {"x"});
  world.pass(seconds(600));
  EXPECT_EQ(world.told<HoldOver>().size(), 1u);
  EXPECT_FALSE(world.is_granted(waiting));
}

TEST(Locks, AcknowledgeFreesAHoldThatIsOver) {
  World world;
  const auto a = world.open(), b = world.open();
  const auto request = world.lock(a, {"x"});
  const auto fence = world.fence(request);
  const auto waiting = world.lock(b, {"x"});
  const Acknowledge acknowledge{.name = "x", .fence = fence};
  EXPECT_EQ(world.error(world.ask(a, acknowledge)), Error::bad_request);
  world.ask(b, Break{.name = "x"});
  ASSERT_EQ(world.told<HoldOver>().size(), 1u);
  EXPECT_EQ(world.told<HoldOver>()[0].session, a);
  EXPECT_FALSE(world.is_granted(waiting));
  EXPECT_EQ(world.error(world.ask(b, acknowledge)), Error::not_held);
  world.ask(a, acknowledge);
  EXPECT_TRUE(world.is_granted(waiting));
  EXPECT_FALSE(world.state.next_due());
}

TEST(Locks, AnEndIsRememberedUntilItsHolderSaysThatItKnows) {
  World world;
  const auto a = world.open(), b = world.open();
  const auto forced = world.fence(world.lock(a, {"x"}));
  const auto told = world.fence(world.lock(a, {"y"}, {3}));
  world.lock(a, {"z"});
  world.ask(b, Break{.name = "x", .force = true});
  world.ask(b, Break{.name = "y"});
  world.ask(b, Break{.name = "y", .force = true});
  world.ask(b, Break{.name = "z", .force = true});
  world.state = State(world.state.image());
  EXPECT_TRUE(world.state.endings(b).empty());
  const auto endings = world.state.endings(a);
  ASSERT_EQ(endings.size(), 3u) << "each hold once";
  EXPECT_EQ(endings[0].name, "x");
  EXPECT_EQ(endings[0].fence, forced);
  EXPECT_EQ(endings[1].name, "y");
  EXPECT_EQ(endings[1].reason, "it was broken by an operator, by force");

  world.ask(a, Acknowledge{.name = "y", .fence = told});
  world.ask(a, Acknowledge{.name = "y", .owner = {3}, .fence = forced});
  EXPECT_EQ(world.state.endings(a).size(), 3u) << "another owner, another fence";
  world.ask(a, Acknowledge{.name = "y", .owner = {3}, .fence = told});
  EXPECT_EQ(world.state.endings(a).size(), 2u);
  EXPECT_EQ(world.error(world.unlock(a, {"x"}, {3})), Error::not_held);
  EXPECT_EQ(world.state.endings(a).size(), 2u) << "another owner";
  EXPECT_EQ(world.error(world.unlock(a, {"x"})), Error::not_held);
  ASSERT_EQ(world.state.endings(a).size(), 1u);
  EXPECT_EQ(world.state.endings(a)[0].name, "z");
}

TEST(Locks, BreakingByForceDoesNotWait) {
  World world;
  const auto a = world.open(), b = world.open();
  world.share(a, {"x"});
  const auto waiting = world.lock(b, {"x"});
  world.apply({.request = {7}, .what = Break{.name = "x", .force = true}});
  EXPECT_EQ(world.error({7}), Error::none);
  EXPECT_EQ(world.told<HoldOver>().size(), 1u);
  EXPECT_TRUE(world.is_granted(waiting));
  EXPECT_EQ(world.error(world.ask(b, Break{.name = "y"})), Error::not_found);
}

TEST(Locks, NothingIsGrantedWithoutFencesInReserve) {
  World world;
  const auto a = world.open(), b = world.open();
  world.apply({.what = Lead{.fences_from = {5000}}});
  EXPECT_TRUE(world.state.needs_reserve());
  // Whatever was reserved before may have been given out.
  EXPECT_EQ(world.state.next_fence(), FencingToken{1'000'000});
  const auto waits = world.lock(a, {"x"});
  const auto tries = world.ask(b, Acquire{.names = {"x"}, .wait = Duration{0}});
  EXPECT_TRUE(world.is_queued(tries));
  const auto lucky = world.ask(b, Acquire{.names = {"y"}, .wait = Duration{0}});
  EXPECT_TRUE(world.is_queued(lucky));
  world.apply({.what = Reserve{.below = {1'000'001}}});
  EXPECT_EQ(world.fence(waits), FencingToken{1'000'000});
  EXPECT_EQ(world.effects.size(), 1u);
  world.apply({.what = Reserve{.below = {2'000'000}}});
  EXPECT_FALSE(world.state.needs_reserve());
  EXPECT_TRUE(world.is_granted(lucky));
  EXPECT_EQ(world.error(tries), Error::busy);
}

TEST(Locks, ALockTellsWhoHoldsAndWhoWaits) {
  World world;
  const auto a = world.open(), b = world.open(), c = world.open();
  world.ask(a, Acquire{.names = {"x"},
                       .owner = {3},
                       .terms = {.hold = {.max_hold = seconds(9), .label = "mine"}}});
  world.now = world.now + seconds(1);
  const auto later = world.ask(
      b, Acquire{.names = {"x"}, .wait = seconds(5), .terms = {.hold = {.label = "next"}}});
  world.share(c, {"x"});
  const auto lock = world.state.lock(Namespace::lock, "x");
  ASSERT_TRUE(lock);
  ASSERT_EQ(lock->holders.size(), 1u);
  EXPECT_EQ(lock->holders[0].party, (Party{a, {3}}));
  EXPECT_EQ(lock->holders[0].terms.label, "mine");
  EXPECT_EQ(lock->holders[0].since, Time{1'000'000});
  EXPECT_EQ(lock->holders[0].limit(), Time{10'000'000});
  ASSERT_EQ(lock->queue.size(), 2u);
  EXPECT_EQ(lock->queue[0].id, later);
  EXPECT_EQ(lock->queue[0].terms.hold.label, "next");
  EXPECT_EQ(lock->queue[0].deadline, world.now + seconds(5));
  EXPECT_EQ(lock->queue[0].names, std::vector<std::string>{"x"});
  EXPECT_EQ(lock->queue[1].party.session, c);
  EXPECT_EQ(lock->queue[1].mode(), Mode::shared);
  world.lock(a, {"xylophone"});
  world.lock(a, {"a"});
  const auto some = world.state.locks(Namespace::lock, "x");
  ASSERT_EQ(some.size(), 2u);
  EXPECT_EQ(some[0].name, "x");
  EXPECT_EQ(some[1].name, "xylophone");
  EXPECT_EQ(world.state.locks(Namespace::lock, "", 1)[0].name, "a");
}

TEST(Locks, AMillionNamesLeaveNothingBehind) {
  World world;
  const auto a = world.open();
  world.apply({.what = Reserve{.below = {10'000'000}}});
  for (std::uint64_t i = 1; i <= 1'000'000; ++i) {
    const std::string name = "name " + std::to_string(i);
    world.effects.clear();
    const auto apply = [&](std::uint64_t request, auto what) {
      world.state.apply({world.now, a, {request}, {request}, std::move(what)}, world.effects);
    };
    apply(2 * i, Acquire{.names = {name}});
    apply(2 * i + 1, Release{.names = {name}});
    ASSERT_EQ(world.effects.size(), 2u);
    ASSERT_EQ(std::get<Reply>(world.effects[1]).error, Error::none);
  }
  const StateImage image = world.state.image();
  EXPECT_TRUE(image.locks.empty());
  EXPECT_EQ(image.sessions.at(0).answers.size(), 1u);
}

}  // namespace
}  // namespace baton::service
