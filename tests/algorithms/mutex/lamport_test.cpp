#include "algorithms/mutex/lamport.h"

#include <gtest/gtest.h>

#include <optional>

#include "algorithms/mutex/schedules.h"
#include "support/conversation.h"

namespace baton::test {
namespace {

using Nodes = std::vector<std::uint32_t>;

TEST(Lamport, EntersOnceEveryoneHasBeenHeard) {
  Conversation<Lamport> talk({.size = 3});
  talk.request(1);
  talk.deliver_all();
  talk.release(1);
  EXPECT_EQ(talk.take_log(),
            "1 requests\n"
            "1 -> 0 Request(<1,1>)\n"
            "1 -> 2 Request(<1,1>)\n"
            "0 -> 1 Ack(2)\n"
            "2 -> 1 Ack(2)\n"
            "1 enters\n"
            "1 leaves\n"
            "1 -> 0 Release(<1,1> 2)\n"
            "1 -> 2 Release(<1,1> 2)\n");
}

TEST(Lamport, ALaterRequestSaysAsMuchAsAnAck) {
  Conversation<Lamport> talk({.size = 2});
  talk.request(0);
  talk.request(1);
  talk.deliver(1, 0);
  EXPECT_EQ(talk.inside(), Nodes{0});
}

TEST(Lamport, AnEarlierRequestDoesNotCountAsHeard) {
  Conversation<Lamport> talk({.size = 2});
  talk.request(0);
  talk.request(1);
  talk.deliver(0, 1);
  EXPECT_TRUE(talk.inside().empty());
  EXPECT_TRUE(talk.node(1).state().unheard.contains({0}));
}

TEST(Lamport, WaitsForTheReleaseOfAnEarlierRequest) {
  Conversation<Lamport> talk({.size = 2});
  talk.request(0);
  talk.request(1);
  talk.deliver_all();
  EXPECT_EQ(talk.inside(), Nodes{0});
  talk.release(0);
  EXPECT_TRUE(talk.inside().empty());
  talk.deliver_all();
  EXPECT_EQ(talk.inside(), Nodes{1});
}

// The same story in the order sent and with one message overtaking another.
TEST(Lamport, WithoutFifoAnAckThatOvertakesARequestLetsTwoIn) {
  for (const bool fifo : {true, false}) {
    Conversation<Lamport> talk({.size = 2});
    talk.request(0);
    talk.request(1);
    talk.deliver(1, 0);
    EXPECT_EQ(talk.inside(), Nodes{0});
    ASSERT_EQ(talk.in_flight(0, 1), 2U);
    talk.deliver(0, 1, fifo ? 0 : 1);
    talk.deliver(0, 1);
    EXPECT_EQ(talk.inside(), fifo ? Nodes{0} : (Nodes{0, 1}));
  }
}

TEST(Lamport, CostsThreeMessagesPerOtherProcess) {
  for (std::uint32_t size = 2; size <= 20; ++size) {
    Conversation<Lamport> talk({.size = size});
    EXPECT_EQ(messages_of_one_entry(talk, size - 1), 3 * (size - 1));
    EXPECT_EQ(messages_of_one_entry(talk, size - 1), 3 * (size - 1));
    EXPECT_EQ(messages_of_one_entry(talk, 0), 3 * (size - 1));
    EXPECT_EQ(phase_of<Lamport::Release>(), Phase::exit);
  }
}

TEST(Lamport, CostsAsMuchWhenAllAskAtOnce) {
  Conversation<Lamport> talk({.size = 6});
  for (std::uint32_t node = 0; node < 6; ++node) talk.request(node);
  talk.deliver_all();
  for (std::uint32_t node = 0; node < 6; ++node) {
    EXPECT_EQ(talk.inside(), Nodes{node});
    talk.release(node);
    talk.deliver_all();
  }
  EXPECT_EQ(talk.messages_sent(), 6U * 3U * 5U);
}

TEST(Lamport, EntersInTwoMessageTimesAndHandsOverInOne) {
  Conversation<Lamport> talk({.size = 5});
  talk.request(3);
  EXPECT_EQ(message_times_until_entry(talk, 5), 2U);
  talk.request(1);
  talk.deliver_all();
  talk.release(3);
  EXPECT_EQ(message_times_until_entry(talk, 5), 1U);
  EXPECT_EQ(talk.inside(), Nodes{1});
}

TEST(Lamport, ServesInTheOrderOfTimestamps) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    Conversation<Lamport> talk({.size = 4});
    std::optional<Timestamp> last;
    const bool everyone_served = play(talk, 4, {.seed = seed}, [&] {
      const Nodes inside = talk.inside();
      ASSERT_LE(inside.size(), 1U) << "seed " << seed;
      if (inside.empty()) return;
      const Timestamp served = talk.node(inside.front()).state().mine;
      ASSERT_TRUE(!last || *last <= served) << "seed " << seed;
      last = served;
    });
    ASSERT_TRUE(everyone_served) << "seed " << seed;
  }
}

TEST(Lamport, StartsWithAnyProcessInside) {
  for (std::uint32_t inside = 0; inside < 3; ++inside) {
    for (std::uint32_t seed = 0; seed < 100; ++seed) {
      Conversation<Lamport> talk({.size = 3}, NodeId{inside});
      ASSERT_EQ(talk.inside(), Nodes{inside});
      ASSERT_EQ(talk.play(seed, 2), 1U) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace baton::test
