// A grant that was not heard is told again, but not when its hold has been taken away since.
#include <gtest/gtest.h>

#include <functional>

#include "service/state/world.h"

namespace baton::service {
namespace {

class KeptAnswers : public testing::Test {
 protected:
  template <class What>
  void repeat(SessionId session, RequestId request, What what) {
    world.apply({.session = session, .request = request, .what = std::move(what)});
  }
  void restore() { world.state = State(world.state.image()); }

  World world;
  SessionId a = world.open();
  SessionId b = world.open();
};

TEST_F(KeptAnswers, AGrantIsToldAgainWhileItIsHeld) {
  const Acquire acquire{.names = {"x"}};
  const auto request = world.ask(a, acquire);
  const auto fence = world.fence(request);
  repeat(a, request, acquire);
  EXPECT_EQ(world.fence(request), fence);
}

TEST_F(KeptAnswers, AGrantDoesNotOutliveAHoldThatWasTakenAway) {
  const std::vector<std::pair<const char*, std::function<void()>>> ends{
      {"broken", [&] { world.ask(b, Break{.name = "x"}); }},
      {"broken by force", [&] { world.ask(b, Break{.name = "x", .force = true}); }},
      {"held too long", [&] { world.pass(seconds(60)); }},
      {"held too long, and let go", [&] { world.pass(seconds(60)), world.pass(seconds(10)); }}};
  for (const auto& [what, end] : ends)
    for (const bool is_restored : {false, true}) {
      const Acquire acquire{.names = {"x"}, .terms = {.hold = {.max_hold = seconds(60)}}};
      const auto request = world.ask(a, acquire);
      const auto fence = world.fence(request);
      ASSERT_NE(fence, FencingToken{}) << what;
      if (is_restored) restore();
      end();
      if (is_restored) restore();
      repeat(a, request, acquire);
      EXPECT_EQ(world.error(request), Error::lock_lost) << what;
      EXPECT_EQ(world.message(request).substr(0, 5), "'x': ") << what;
      world.ask(a, Acknowledge{.name = "x", .fence = fence});
      repeat(a, request, acquire);
      EXPECT_EQ(world.error(request), Error::lock_lost) << what;
      EXPECT_TRUE(world.holders("x").empty()) << what;
    }
}

TEST_F(KeptAnswers, ALaterHoldOfTheSameNameIsAnotherOne) {
  const Acquire acquire{.names = {"x"}};
  const auto lost = world.ask(a, acquire);
  world.ask(b, Break{.name = "x", .force = true});
  const auto held = world.ask(a, acquire);
  ASSERT_TRUE(world.is_granted(held));
  repeat(a, lost, acquire);
  EXPECT_EQ(world.error(lost), Error::lock_lost);
  repeat(a, held, acquire);
  EXPECT_TRUE(world.is_granted(held));
}

TEST_F(KeptAnswers, AllThatHadEnteredAgainAreLost) {
  const Acquire acquire{.names = {"x"}};
  const auto once = world.ask(a, acquire), twice = world.ask(a, acquire);
  world.ask(b, Break{.name = "x"});
  for (const auto request : {once, twice}) {
    repeat(a, request, acquire);
    EXPECT_EQ(world.error(request), Error::lock_lost);
  }
}

TEST_F(KeptAnswers, SharedSlotsAndElections) {
  const std::vector<Acquire> all{
      {.names = {"x"}, .terms = {.hold = {.mode = Mode::shared}}},
      {.names = {"x"}, .terms = {.slots = 3}},
      {.space = Namespace::election, .names = {"x"}, .terms = {.hold = {.value = "me"}}}};
  for (const Acquire& acquire : all) {
    const auto request = world.ask(a, acquire);
    ASSERT_TRUE(world.is_granted(request));
    world.ask(b, Break{.space = acquire.space, .name = "x", .force = true});
    repeat(a, request, acquire);
    EXPECT_EQ(world.error(request), Error::lock_lost);
  }
}

TEST_F(KeptAnswers, OneOfTwoThatShareLosesOnlyItsOwn) {
  Acquire brief{.names = {"x"},
                .owner = {1},
                .terms = {.hold = {.mode = Mode::shared, .max_hold = seconds(1)}}};
  Acquire lasting{.names = {"x"}, .owner = {2}, .terms = {.hold = {.mode = Mode::shared}}};
  const auto first = world.ask(a, brief), second = world.ask(a, lasting);
  world.pass(seconds(1));
  repeat(a, first, brief);
  EXPECT_EQ(world.error(first), Error::lock_lost);
  repeat(a, second, lasting);
  EXPECT_TRUE(world.is_granted(second)) << "it bears the same fence, but is still held";
}

TEST_F(KeptAnswers, UpgradesAndDowngradesAreLostWithTheirHold) {
  const Acquire share{.names = {"x"}, .terms = {.hold = {.mode = Mode::shared}}};
  const auto shared = world.ask(a, share);
  const auto upgraded = world.ask(a, Upgrade{.name = "x"});
  const auto downgraded = world.ask(a, Downgrade{.name = "x"});
  ASSERT_TRUE(world.is_granted(downgraded));
  world.ask(b, Break{.name = "x", .force = true});
  repeat(a, shared, share);
  EXPECT_EQ(world.error(shared), Error::lock_lost) << "though its fence was another";
  repeat(a, upgraded, Upgrade{.name = "x"});
  EXPECT_EQ(world.error(upgraded), Error::lock_lost);
  repeat(a, downgraded, Downgrade{.name = "x"});
  EXPECT_EQ(world.error(downgraded), Error::lock_lost);
}

// The client has to give back what it has never heard of.
TEST_F(KeptAnswers, OfSeveralNamesItIsSaidWhichAreLeft) {
  const Acquire acquire{.names = {"x", "y", "z"}};
  const auto request = world.ask(a, acquire);
  const auto before = std::get<Grant>(world.reply(request)->result);
  const auto expect_left = [&](bool x, bool y, bool z) {
    repeat(a, request, acquire);
    EXPECT_EQ(world.error(request), Error::lock_lost);
    const auto& granted = std::get<Grant>(world.reply(request)->result);
    ASSERT_EQ(granted.parts.size(), 3u);
    EXPECT_EQ(granted.parts[0].fence, x ? before.parts[0].fence : FencingToken{});
    EXPECT_EQ(granted.parts[1].fence, y ? before.parts[1].fence : FencingToken{});
    EXPECT_EQ(granted.parts[2].fence, z ? before.parts[2].fence : FencingToken{});
  };
  world.ask(b, Break{.name = "y"});
  expect_left(true, false, true);
  world.ask(b, Break{.name = "x", .force = true});
  expect_left(false, false, true);
  EXPECT_EQ(world.holders("z"), std::vector{a}) << "a repetition changes nothing";
}

// It holds nothing of it, so it can have it anew.
TEST_F(KeptAnswers, WhoReportsAfterACrashIsServedAnew) {
  const auto fast = world.open({.fast = true});
  const Acquire acquire{.names = {"x"}, .terms = {.fast = true}};
  const auto request = world.ask(fast, acquire);
  world.ask(b, Break{.name = "x"});
  world.apply({.what = Lead{.fences_from = {2'000'000}, .after_crash = true}});
  world.apply({.what = Reserve{.below = {3'000'000}}});
  world.ask(fast, Reclaim{.waiting = {{.request = request, .acquire = acquire}}});
  EXPECT_TRUE(world.is_granted(request));
  EXPECT_EQ(world.holders("x"), std::vector{fast});
}

TEST_F(KeptAnswers, AHoldDoesNotRememberMoreThanTheSession) {
  const auto script = world.open({.latest_answers = 3});
  for (int i = 0; i < 10; ++i) world.lock(script, {"x"});
  world.ask(a, Acquire{.names = {"y"}});
  for (int i = 0; i < 10; ++i)
    world.apply({.session = a,
                 .request = {++world.requests},
                 .confirmed = {world.requests},
                 .what = Acquire{.names = {"y"}}});
  for (const LockImage& lock : world.state.image().locks)
    EXPECT_EQ(lock.holds.at(0).requests.size(), lock.name == "x" ? 3u : 1u) << lock.name;
  world.apply({.session = script, .request = first_unrepeated, .what = Acquire{.names = {"z"}}});
  EXPECT_TRUE(world.state.image().locks.at(2).holds.at(0).requests.empty()) << "not kept at all";
}

}  // namespace
}  // namespace baton::service
