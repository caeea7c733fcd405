#include "algorithms/mutex/ricart_agrawala.h"

#include <gtest/gtest.h>

#include <array>

#include "algorithms/mutex/schedules.h"
#include "support/conversation.h"

namespace baton::test {
namespace {

using Nodes = std::vector<std::uint32_t>;

// Processes that have had a life before: in the lectures a clock counts all events of its
// process, of which mutual exclusion is a part. Baton's counts only its own, and N processes cannot
// drive their clocks more than N apart by requests alone.
template <std::uint64_t... clocks>
class Experienced : public RicartAgrawala {
 public:
  Experienced(NodeId self, const Setup& setup, NodeId inside = nobody)
      : RicartAgrawala(self, setup, inside) {
    state_.clock = {std::array<std::uint64_t, sizeof...(clocks)>{clocks...}[self.value]};
  }
};

TEST(RicartAgrawala, AsksEveryoneAndEntersOnTheLastReply) {
  Conversation<RicartAgrawala> talk({.size = 3});
  talk.request(1);
  talk.deliver_all();
  EXPECT_EQ(talk.take_log(),
            "1 requests\n"
            "1 -> 0 Request(<1,1>)\n"
            "1 -> 2 Request(<1,1>)\n"
            "0 -> 1 Reply(<1,1> 1)\n"
            "2 -> 1 Reply(<1,1> 1)\n"
            "1 enters\n");
}

// What is sent when processes 3 and 5 ask while 4 is inside.
constexpr const char* two_more_ask =
    "3 requests\n"
    "3 -> 0 Request(<115,3>)\n"
    "3 -> 1 Request(<115,3>)\n"
    "3 -> 2 Request(<115,3>)\n"
    "3 -> 4 Request(<115,3>)\n"
    "3 -> 5 Request(<115,3>)\n"
    "5 requests\n"
    "5 -> 0 Request(<110,5>)\n"
    "5 -> 1 Request(<110,5>)\n"
    "5 -> 2 Request(<110,5>)\n"
    "5 -> 3 Request(<110,5>)\n"
    "5 -> 4 Request(<110,5>)\n"
    "0 -> 3 Reply(<115,3> 115)\n"
    "1 -> 3 Reply(<115,3> 115)\n"
    "2 -> 3 Reply(<115,3> 115)\n"
    "0 -> 5 Reply(<110,5> 115)\n"
    "1 -> 5 Reply(<110,5> 115)\n"
    "2 -> 5 Reply(<110,5> 115)\n"
    "3 -> 5 Reply(<110,5> 115)\n";

// The example of the Chubby Slides. Its processes 3, 5, 6, 12, 32 and 80 are 0 … 5 here.
TEST(RicartAgrawala, ServesTheSixProcessesOfTheChubbySlidesByTimestamp) {
  constexpr std::uint32_t n12 = 3;
  constexpr std::uint32_t n32 = 4;
  constexpr std::uint32_t n80 = 5;
  Conversation<Experienced<90, 91, 92, 114, 101, 109>> talk({.size = 6});
  talk.request(n32);
  talk.deliver_all();
  EXPECT_EQ(talk.take_log(),
            "4 requests\n"
            "4 -> 0 Request(<102,4>)\n"
            "4 -> 1 Request(<102,4>)\n"
            "4 -> 2 Request(<102,4>)\n"
            "4 -> 3 Request(<102,4>)\n"
            "4 -> 5 Request(<102,4>)\n"
            "0 -> 4 Reply(<102,4> 102)\n"
            "1 -> 4 Reply(<102,4> 102)\n"
            "2 -> 4 Reply(<102,4> 102)\n"
            "3 -> 4 Reply(<102,4> 114)\n"
            "5 -> 4 Reply(<102,4> 109)\n"
            "4 enters\n");

  // N32 and N80 queue what comes while they are inside or have the smaller timestamp.
  talk.request(n12);
  talk.request(n80);
  talk.deliver_all();
  EXPECT_EQ(talk.inside(), Nodes{n32});
  EXPECT_EQ(talk.waiting(), (Nodes{n12, n80}));
  EXPECT_EQ(reflect::printed(talk.node(n32).state().deferred), "[<115,3> <110,5>]");
  EXPECT_EQ(reflect::printed(talk.node(n80).state().deferred), "[<115,3>]");
  EXPECT_EQ(reflect::printed(talk.node(n12).state().deferred), "[]");
  EXPECT_EQ(talk.take_log(), two_more_ask);

  talk.release(n32);
  talk.deliver_all();
  EXPECT_EQ(talk.inside(), Nodes{n80});
  talk.release(n80);
  talk.deliver_all();
  EXPECT_EQ(talk.inside(), Nodes{n12});
  talk.release(n12);
  EXPECT_EQ(talk.take_log(),
            "4 leaves\n"
            "4 -> 3 Reply(<115,3> 115)\n"
            "4 -> 5 Reply(<110,5> 115)\n"
            "5 enters\n"
            "5 leaves\n"
            "5 -> 3 Reply(<115,3> 115)\n"
            "3 enters\n"
            "3 leaves\n");
  EXPECT_EQ(talk.messages_sent(), 3U * 2U * 5U);
}

// The example of Canonical Problems: processes 0 and 2 ask at the same moment, and 0 has the
// lowest timestamp.
TEST(RicartAgrawala, OfTwoThatAskAtOnceTheLowestTimestampWins) {
  Conversation<Experienced<7, 0, 11>> talk({.size = 3});
  talk.request(0);
  talk.request(2);
  talk.deliver_all();
  EXPECT_EQ(talk.inside(), Nodes{0});
  talk.release(0);
  talk.deliver_all();
  EXPECT_EQ(talk.take_log(),
            "0 requests\n"
            "0 -> 1 Request(<8,0>)\n"
            "0 -> 2 Request(<8,0>)\n"
            "2 requests\n"
            "2 -> 0 Request(<12,2>)\n"
            "2 -> 1 Request(<12,2>)\n"
            "1 -> 0 Reply(<8,0> 8)\n"
            "2 -> 0 Reply(<8,0> 12)\n"
            "0 enters\n"
            "1 -> 2 Reply(<12,2> 12)\n"
            "0 leaves\n"
            "0 -> 2 Reply(<12,2> 12)\n"
            "2 enters\n");
}

TEST(RicartAgrawala, ADuplicatedReplyCountsOnce) {
  Conversation<RicartAgrawala> talk({.size = 3});
  talk.request(1);
  talk.deliver(1, 0);
  talk.duplicate(0, 1);
  talk.deliver(0, 1);
  talk.deliver(0, 1);
  EXPECT_TRUE(talk.inside().empty());
}

TEST(RicartAgrawala, ServesEveryoneUnderRandomSchedulesWithoutFifo) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    Conversation<RicartAgrawala> talk({.size = 4});
    ASSERT_EQ(talk.play(seed, 3, false), 1U) << "seed " << seed;
  }
}

TEST(RicartAgrawala, ServesEveryoneThoughMessagesAreDuplicated) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    Conversation<RicartAgrawala> talk({.size = 3});
    const Schedule schedule{.seed = seed, .fifo = false, .duplicates = true};
    const bool everyone_served =
        play(talk, 3, schedule, [&] { ASSERT_LE(talk.inside().size(), 1U) << "seed " << seed; });
    ASSERT_TRUE(everyone_served) << "seed " << seed;
  }
}

TEST(RicartAgrawala, CostsTwoMessagesPerOtherProcess) {
  for (std::uint32_t size = 2; size <= 20; ++size) {
    Conversation<RicartAgrawala> talk({.size = size});
    EXPECT_EQ(messages_of_one_entry(talk, 0), 2 * (size - 1));
    EXPECT_EQ(messages_of_one_entry(talk, 0), 2 * (size - 1));
  }
}

TEST(RicartAgrawala, StartsWithAProcessInside) {
  Conversation<RicartAgrawala> talk({.size = 3}, NodeId{2});
  talk.request(0);
  talk.deliver_all();
  EXPECT_EQ(talk.inside(), std::vector<std::uint32_t>{2});
  talk.release(2);
  talk.deliver_all();
  EXPECT_EQ(talk.inside(), std::vector<std::uint32_t>{0});
}

}  // namespace
}  // namespace baton::test
