#include "algorithms/mutex/central.h"

#include <gtest/gtest.h>

#include "algorithms/mutex/schedules.h"
#include "support/conversation.h"

namespace baton::test {
namespace {

using Nodes = std::vector<std::uint32_t>;

// The example of Canonical Problems: the coordinator is process 3.
TEST(Central, QueuesASecondRequestUntilTheFirstIsDone) {
  Conversation<Central> talk({.size = 4, .coordinator = {3}});
  talk.request(1);
  talk.deliver_all();
  talk.request(2);
  talk.deliver_all();
  talk.release(1);
  talk.deliver_all();
  EXPECT_EQ(talk.take_log(),
            "1 requests\n"
            "1 -> 3 Enter()\n"
            "3 -> 1 Granted()\n"
            "1 enters\n"
            "2 requests\n"
            "2 -> 3 Enter()\n"
            "1 leaves\n"
            "1 -> 3 Released()\n"
            "3 -> 2 Granted()\n"
            "2 enters\n");
}

// The variant of Cardellini.
TEST(Central, SaysDeniedToARequestThatMustWait) {
  Conversation<Central> talk({.size = 3, .chosen = {{&Central::tell_queued, 1}}});
  talk.request(1);
  talk.deliver_all();
  talk.take_log();
  talk.request(2);
  EXPECT_EQ(talk.node(2).state().mode, Central::Mode::wanted);
  talk.deliver_all();
  EXPECT_EQ(talk.node(2).state().mode, Central::Mode::denied);
  talk.release(1);
  talk.deliver_all();
  EXPECT_EQ(talk.take_log(),
            "2 requests\n"
            "2 -> 0 Enter()\n"
            "0 -> 2 Denied()\n"
            "1 leaves\n"
            "1 -> 0 Released()\n"
            "0 -> 2 Granted()\n"
            "2 enters\n");
}

TEST(Central, ServesInTheOrderInWhichRequestsReachTheCoordinator) {
  Conversation<Central> talk({.size = 4}, NodeId{0});
  talk.request(1);
  talk.request(2);
  talk.request(3);
  talk.deliver(3, 0);
  talk.deliver(1, 0);
  talk.deliver(2, 0);
  for (const std::uint32_t expected : {3U, 1U, 2U}) {
    talk.release(talk.inside().front());
    talk.deliver_all();
    EXPECT_EQ(talk.inside(), Nodes{expected});
  }
}

TEST(Central, ARequestThatOvertakesTheReleaseBeforeItWaitsForIt) {
  Conversation<Central> talk({.size = 2});
  talk.request(1);
  talk.deliver_all();
  talk.release(1);
  talk.request(1);
  talk.deliver(1, 0, 1);
  EXPECT_EQ(talk.in_flight(0, 1), 0U);
  talk.deliver_all();
  EXPECT_EQ(talk.inside(), Nodes{1});
}

TEST(Central, ALateDeniedDoesNoHarm) {
  Conversation<Central> talk({.size = 2, .chosen = {{&Central::tell_queued, 1}}}, NodeId{0});
  talk.request(1);
  talk.deliver(1, 0);
  talk.release(0);
  talk.deliver(0, 1, 1);
  EXPECT_EQ(talk.inside(), Nodes{1});
  talk.deliver(0, 1);
  EXPECT_EQ(talk.node(1).state().mode, Central::Mode::held);
}

TEST(Central, CostsThreeMessagesAndNothingForTheCoordinator) {
  for (std::uint32_t size = 2; size <= 20; ++size) {
    Conversation<Central> talk({.size = size, .chosen = {{&Central::tell_queued, 1}}});
    for (std::uint32_t node = 0; node < size; ++node) {
      EXPECT_EQ(messages_of_one_entry(talk, node), node == 0 ? 0U : 3U);
    }
  }
}

TEST(Central, DeniedIsTheOneMessageMoreOfAnEntryThatWaits) {
  for (const bool tell_queued : {false, true}) {
    Conversation<Central> talk(
        {.size = 5, .chosen = {{&Central::tell_queued, tell_queued ? 1 : 0}}});
    for (std::uint32_t node = 0; node < 5; ++node) talk.request(node);
    talk.deliver_all();
    while (!talk.inside().empty()) {
      talk.release(talk.inside().front());
      talk.deliver_all();
    }
    EXPECT_EQ(talk.messages_sent(), tell_queued ? 16U : 12U);
  }
}

TEST(Central, HandsOverInTwoMessageTimesAndLessWithTheCoordinator) {
  for (std::uint32_t before = 0; before < 3; ++before) {
    for (std::uint32_t requester = 0; requester < 3; ++requester) {
      if (before == requester) continue;
      Conversation<Central> talk({.size = 3}, NodeId{before});
      talk.request(requester);
      talk.deliver_all();
      talk.release(before);
      EXPECT_EQ(message_times_until_entry(talk, 3),
                (before == 0 ? 0U : 1U) + (requester == 0 ? 0U : 1U));
    }
  }
}

TEST(Central, OnlyTheCoordinatorHasAQueue) {
  Conversation<Central> talk({.size = 3, .coordinator = {2}});
  EXPECT_FALSE(talk.node(0).state().coordination);
  EXPECT_TRUE(talk.node(2).state().coordination);
}

TEST(Central, ServesEveryoneUnderRandomSchedulesWithoutFifo) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    Conversation<Central> talk({.size = 4,
                                .coordinator = {1},
                                .chosen = {{&Central::tell_queued, seed % 2 == 0 ? 1 : 0}}});
    ASSERT_EQ(talk.play(seed, 3, false), 1U) << "seed " << seed;
  }
}

TEST(Central, StartsWithAnyProcessInside) {
  for (std::uint32_t inside = 0; inside < 3; ++inside) {
    for (std::uint32_t seed = 0; seed < 50; ++seed) {
      Conversation<Central> talk({.size = 3}, NodeId{inside});
      ASSERT_EQ(talk.inside(), Nodes{inside});
      ASSERT_EQ(talk.play(seed, 2, false), 1U) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace baton::test
