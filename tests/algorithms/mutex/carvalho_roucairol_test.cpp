#include "algorithms/mutex/carvalho_roucairol.h"

#include <gtest/gtest.h>

#include <random>

#include "algorithms/mutex/schedules.h"
#include "support/conversation.h"

namespace baton::test {
namespace {

using Nodes = std::vector<std::uint32_t>;

TEST(CarvalhoRoucairol, KeepsPermissionsUntilTheyAreAskedBack) {
  Conversation<CarvalhoRoucairol> talk({.size = 3});
  messages_of_one_entry(talk, 1);
  talk.take_log();
  messages_of_one_entry(talk, 1);
  messages_of_one_entry(talk, 2);
  messages_of_one_entry(talk, 1);
  EXPECT_EQ(talk.take_log(),
            "1 requests\n"
            "1 enters\n"
            "1 leaves\n"
            "2 requests\n"
            "2 -> 0 Request(<2,2>)\n"
            "2 -> 1 Request(<2,2>)\n"
            "0 -> 2 Reply(<2,2>)\n"
            "1 -> 2 Reply(<2,2>)\n"
            "2 enters\n"
            "2 leaves\n"
            "1 requests\n"
            "1 -> 2 Request(<3,1>)\n"
            "2 -> 1 Reply(<3,1>)\n"
            "1 enters\n"
            "1 leaves\n");
}

// Process 2 relies on the permission of 1 for a request that it sent to 0 only. When it gives the
// permission back to an earlier request it must ask for it too, or it waits for ever.
TEST(CarvalhoRoucairol, WhoGivesAPermissionBackWhileWaitingAsksForItAgain) {
  Conversation<CarvalhoRoucairol> talk({.size = 3});
  messages_of_one_entry(talk, 2);
  messages_of_one_entry(talk, 0);
  talk.take_log();
  talk.request(2);
  talk.request(1);
  talk.deliver(1, 2);
  EXPECT_EQ(talk.take_log(),
            "2 requests\n"
            "2 -> 0 Request(<3,2>)\n"
            "1 requests\n"
            "1 -> 0 Request(<3,1>)\n"
            "1 -> 2 Request(<3,1>)\n"
            "2 -> 1 Reply(<3,1>)\n"
            "2 -> 1 Request(<3,2>)\n");
  talk.deliver_all();
  EXPECT_EQ(talk.inside(), Nodes{1});
  talk.release(1);
  talk.deliver_all();
  EXPECT_EQ(talk.inside(), Nodes{2});
}

// The same, where the repeated request overtakes the permission.
TEST(CarvalhoRoucairol, ARepeatedRequestMayOvertakeThePermissionGivenBack) {
  Conversation<CarvalhoRoucairol> talk({.size = 3});
  messages_of_one_entry(talk, 2);
  messages_of_one_entry(talk, 0);
  talk.request(2);
  talk.request(1);
  talk.deliver(1, 2);
  talk.deliver(2, 1, 1);
  talk.deliver_all();
  EXPECT_EQ(talk.inside(), Nodes{1});
  talk.release(1);
  talk.deliver_all();
  EXPECT_EQ(talk.inside(), Nodes{2});
}

// The request of 1 happened before the second one of 0: 2 heard of it before it replied to 0. Yet
// 0 has everybody's permission and goes in first.
TEST(CarvalhoRoucairol, DoesNotServeInTheOrderOfHappenedBefore) {
  Conversation<CarvalhoRoucairol> talk({.size = 3});
  messages_of_one_entry(talk, 0);
  messages_of_one_entry(talk, 2);
  talk.request(0);
  talk.request(1);
  talk.deliver(1, 2);
  talk.deliver(0, 2);
  talk.deliver(2, 0);
  EXPECT_EQ(talk.inside(), Nodes{0});
  talk.release(0);
  talk.request(0);
  EXPECT_EQ(talk.inside(), Nodes{0});
  EXPECT_EQ(talk.waiting(), Nodes{1});
  // Once the request has arrived there is no overtaking any more.
  talk.deliver_all();
  talk.release(0);
  talk.request(0);
  talk.deliver_all();
  EXPECT_EQ(talk.inside(), Nodes{1});
  EXPECT_FALSE(CarvalhoRoucairol::info().promises.has(Promise::order));
}

// The reply to the first request of 1 comes a second time when that permission has been given back.
TEST(CarvalhoRoucairol, AStaleReplyIsNoPermission) {
  Conversation<CarvalhoRoucairol> talk({.size = 2});
  talk.request(1);
  talk.deliver(1, 0);
  talk.duplicate(0, 1);
  talk.deliver(0, 1);
  talk.release(1);
  talk.request(0);
  talk.deliver(0, 1, 1);
  talk.deliver(1, 0);
  EXPECT_EQ(talk.inside(), Nodes{0});
  talk.request(1);
  talk.deliver(0, 1);
  EXPECT_EQ(talk.inside(), Nodes{0});
}

TEST(CarvalhoRoucairol, CostsNothingAgainAndTwoPerOtherProcessAtMost) {
  for (std::uint32_t size = 2; size <= 20; ++size) {
    Conversation<CarvalhoRoucairol> talk({.size = size});
    EXPECT_EQ(messages_of_one_entry(talk, 0), 2 * (size - 1));
    EXPECT_EQ(messages_of_one_entry(talk, size - 1), 2 * (size - 1));
    EXPECT_EQ(messages_of_one_entry(talk, size - 1), 0U);
    EXPECT_EQ(messages_of_one_entry(talk, 0), 2U);
  }
}

TEST(CarvalhoRoucairol, CostsTwoPerOtherProcessWhenAllAskAtOnce) {
  Conversation<CarvalhoRoucairol> talk({.size = 6});
  for (std::uint32_t node = 0; node < 6; ++node) talk.request(node);
  talk.deliver_all();
  for (std::uint32_t node = 0; node < 6; ++node) {
    EXPECT_EQ(talk.inside(), Nodes{node});
    talk.release(node);
    talk.deliver_all();
  }
  EXPECT_EQ(talk.messages_sent(), 6U * 2U * 5U);
}

TEST(CarvalhoRoucairol, NoEntryCostsMoreThanRicartAgrawalaUnderAnySchedule) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    Conversation<CarvalhoRoucairol> talk({.size = 5});
    ASSERT_EQ(talk.play(seed, 4, false), 1U) << "seed " << seed;
    talk.deliver_all();
    EXPECT_LE(talk.messages_sent(), 5U * 4U * 2U * 4U) << "seed " << seed;
  }
}

TEST(CarvalhoRoucairol, AsksHalfOfTheOthersOnAverage) {
  constexpr std::uint32_t size = 9;
  constexpr int entries = 20'000;
  Conversation<CarvalhoRoucairol> talk({.size = size});
  for (std::uint32_t node = 0; node < size; ++node) messages_of_one_entry(talk, node);
  std::mt19937 random(1);
  std::size_t messages = 0;
  for (int i = 0; i < entries; ++i) {
    messages += messages_of_one_entry(talk, static_cast<std::uint32_t>(random() % size));
  }
  EXPECT_NEAR(static_cast<double>(messages) / entries, size - 1, 0.2);
}

TEST(CarvalhoRoucairol, EntersInTwoMessageTimesOrAtOnceAndHandsOverInOne) {
  Conversation<CarvalhoRoucairol> talk({.size = 5});
  talk.request(3);
  EXPECT_EQ(message_times_until_entry(talk, 5), 2U);
  talk.release(3);
  talk.request(3);
  EXPECT_EQ(message_times_until_entry(talk, 5), 0U);
  talk.request(1);
  talk.deliver_all();
  talk.release(3);
  EXPECT_EQ(message_times_until_entry(talk, 5), 1U);
  EXPECT_EQ(talk.inside(), Nodes{1});
}

TEST(CarvalhoRoucairol, ServesEveryoneUnderRandomSchedulesWithoutFifo) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    Conversation<CarvalhoRoucairol> talk({.size = 4});
    ASSERT_EQ(talk.play(seed, 4, false), 1U) << "seed " << seed;
  }
}

TEST(CarvalhoRoucairol, ServesEveryoneThoughMessagesAreDuplicated) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    Conversation<CarvalhoRoucairol> talk({.size = 3});
    const Schedule schedule{.seed = seed, .fifo = false, .duplicates = true};
    const bool everyone_served =
        play(talk, 3, schedule, [&] { ASSERT_LE(talk.inside().size(), 1U) << "seed " << seed; });
    ASSERT_TRUE(everyone_served) << "seed " << seed;
  }
}

TEST(CarvalhoRoucairol, WhoIsInsideFromTheBeginningHasEverybodysPermission) {
  Conversation<CarvalhoRoucairol> talk({.size = 3}, NodeId{1});
  talk.release(1);
  EXPECT_EQ(messages_of_one_entry(talk, 1), 0U);
  EXPECT_EQ(messages_of_one_entry(talk, 0), 4U);
}

TEST(CarvalhoRoucairol, StartsWithAnyProcessInside) {
  for (std::uint32_t inside = 0; inside < 3; ++inside) {
    for (std::uint32_t seed = 0; seed < 100; ++seed) {
      Conversation<CarvalhoRoucairol> talk({.size = 3}, NodeId{inside});
      ASSERT_EQ(talk.inside(), Nodes{inside});
      ASSERT_EQ(talk.play(seed, 2, false), 1U) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace baton::test
