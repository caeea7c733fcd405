#include "algorithms/mutex/naimi_trehel.h"

#include <gtest/gtest.h>

#include "common_checks.h"
#include "support/conversation.h"

namespace baton::test {
namespace {

TEST(NaimiTrehel, ARequestGoesFromFatherToFatherAndReversesThePath) {
  Conversation<NaimiTrehel> talk({.size = 4});
  talk.request(1);
  talk.deliver_all();
  talk.release(1);
  talk.request(2);
  talk.deliver_all();
  EXPECT_EQ(talk.take_log(),
            "1 requests\n"
            "1 -> 0 Request(1)\n"
            "0 -> 1 Token()\n"
            "1 enters\n"
            "1 leaves\n"
            "2 requests\n"
            "2 -> 0 Request(2)\n"
            "0 -> 1 Request(2)\n"
            "1 -> 2 Token()\n"
            "2 enters\n");
  EXPECT_EQ(talk.node(0).state().father, NodeId{2});
  EXPECT_EQ(talk.node(1).state().father, NodeId{2});
  EXPECT_EQ(talk.node(2).state().father, nobody);
  EXPECT_EQ(talk.node(3).state().father, NodeId{0});
}

TEST(NaimiTrehel, ThoseWhoWaitFormALineInWhichEachKnowsItsNext) {
  Conversation<NaimiTrehel> talk({.size = 3}, NodeId{0});
  talk.request(2);
  talk.deliver_all();
  talk.request(1);
  talk.deliver_all();
  EXPECT_EQ(talk.node(0).state().next, NodeId{2});
  EXPECT_EQ(talk.node(2).state().next, NodeId{1});
  talk.take_log();
  talk.release(0);
  talk.deliver_all();
  talk.release(2);
  talk.deliver_all();
  EXPECT_EQ(talk.take_log(),
            "0 leaves\n"
            "0 -> 2 Token()\n"
            "2 enters\n"
            "2 leaves\n"
            "2 -> 1 Token()\n"
            "1 enters\n");
}

TEST(NaimiTrehel, ARequestMayOvertakeTheToken) {
  Conversation<NaimiTrehel> talk({.size = 2});
  talk.request(1);
  talk.deliver(1, 0);
  talk.request(0);
  ASSERT_EQ(talk.in_flight(0, 1), 2U);
  talk.deliver(0, 1, 1);
  EXPECT_TRUE(talk.inside().empty());
  talk.deliver(0, 1);
  EXPECT_EQ(talk.inside(), std::vector<std::uint32_t>{1});
  talk.release(1);
  talk.deliver_all();
  EXPECT_EQ(talk.inside(), std::vector<std::uint32_t>{0});
}

TEST(NaimiTrehel, CostsWhatItStates) {
  for (std::uint32_t size = 2; size <= 50; ++size) {
    const bool means = size < 6 || size == 20;
    expect_costs_as_stated<NaimiTrehel>({.size = size}, means);
  }
}

TEST(NaimiTrehel, WhenEveryoneAsksAtOnceItTakesThreeMessagesEachLessFour) {
  for (std::uint32_t size = 2; size <= 30; ++size) {
    Lockstep<NaimiTrehel> world({.size = size});
    world.let_everyone_in(1, false);
    EXPECT_EQ(world.messages(Metric::messages), 3 * size - 4);
  }
}

// In a long history the worst case comes up too: a path through everyone, and the token.
TEST(NaimiTrehel, NeedsAtMostNMessages) {
  const std::uint32_t size = 6;
  std::mt19937 random(1);
  double most = 0;
  Lockstep<NaimiTrehel> world({.size = size});
  for (int i = 0; i < 20'000; ++i) {
    const double before = world.messages(Metric::messages);
    world.enter_and_leave({static_cast<std::uint32_t>(random() % size)});
    most = std::max(most, world.messages(Metric::messages) - before);
  }
  EXPECT_EQ(most, size);
}

TEST(NaimiTrehel, ServesEveryoneUnderRandomSchedulesWithoutFifo) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    Conversation<NaimiTrehel> talk({.size = 1 + seed % 6});
    ASSERT_EQ(talk.play(seed, 3, false), 1U) << "seed " << seed;
  }
}

TEST(NaimiTrehel, StartsWithAProcessInside) {
  expect_start_with_each_process_inside<NaimiTrehel>({.size = 5}, false);
}

TEST(NaimiTrehel, TakesNoMemoryThatGrowsWithTheGroup) {
  static_assert(std::is_trivially_copyable_v<NaimiTrehel>);
  EXPECT_LE(sizeof(NaimiTrehel), 16U);
}

}  // namespace
}  // namespace baton::test
