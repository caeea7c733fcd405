#include "algorithms/mutex/raymond.h"

#include <gtest/gtest.h>

#include "common_checks.h"
#include "support/conversation.h"

namespace baton::test {
namespace {

TEST(Raymond, AsksAlongTheTreeAndTheTokenComesBackTheSameWay) {
  Conversation<Raymond> talk({.size = 3, .tree = Tree::line()});
  talk.request(2);
  talk.deliver_all();
  EXPECT_EQ(talk.take_log(),
            "2 requests\n"
            "2 -> 1 Request()\n"
            "1 -> 0 Request()\n"
            "0 -> 1 Token()\n"
            "1 -> 2 Token()\n"
            "2 enters\n");
  EXPECT_EQ(talk.node(0).state().holder, NodeId{1});
  EXPECT_EQ(talk.node(1).state().holder, NodeId{2});
  EXPECT_EQ(talk.node(2).state().holder, NodeId{2});
}

// Process 1 lies between the holder 0 and two that ask, and asks only once for both.
TEST(Raymond, AsksOnceForAllWhoAskedIt) {
  Conversation<Raymond> talk({.size = 5}, NodeId{0});
  talk.request(3);
  talk.deliver_all();
  talk.request(4);
  talk.deliver_all();
  talk.request(1);
  talk.release(0);
  talk.deliver_all();
  talk.release(3);
  talk.deliver_all();
  talk.release(4);
  talk.deliver_all();
  EXPECT_EQ(talk.take_log(),
            "3 requests\n"
            "3 -> 1 Request()\n"
            "1 -> 0 Request()\n"
            "4 requests\n"
            "4 -> 1 Request()\n"
            "1 requests\n"
            "0 leaves\n"
            "0 -> 1 Token()\n"
            "1 -> 3 Token()\n"
            "1 -> 3 Request()\n"
            "3 enters\n"
            "3 leaves\n"
            "3 -> 1 Token()\n"
            "1 -> 4 Token()\n"
            "1 -> 4 Request()\n"
            "4 enters\n"
            "4 leaves\n"
            "4 -> 1 Token()\n"
            "1 enters\n");
}

TEST(Raymond, ARequestMayOvertakeTheToken) {
  Conversation<Raymond> talk({.size = 2}, NodeId{0});
  talk.request(1);
  talk.deliver(1, 0);
  talk.release(0);
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

TEST(Raymond, CostsWhatItStatesOnEveryShapeOfTree) {
  for (std::uint32_t size = 2; size <= 50; ++size) {
    for (const Tree tree : {Tree::binary(), Tree::line(), Tree::star(), Tree::with_arity(3)}) {
      expect_costs_as_stated<Raymond>({.size = size, .tree = tree}, size == 3 || size == 12);
    }
  }
}

TEST(Raymond, CostsWhatItStatesWhereverTheTokenStarts) {
  for (std::uint32_t size = 2; size <= 9; ++size) {
    for (std::uint32_t start = 0; start < size; ++start) {
      for (const Tree tree : {Tree::binary(), Tree::line(), Tree::star()}) {
        expect_costs_as_stated<Raymond>({.size = size, .coordinator = {start}, .tree = tree});
      }
    }
  }
}

TEST(Raymond, FromLeafToLeafOfAStarTakesFourMessages) {
  Conversation<Raymond> talk({.size = 9, .coordinator = NodeId{3}, .tree = Tree::star()});
  talk.request(7);
  talk.deliver_all();
  EXPECT_EQ(talk.inside(), std::vector<std::uint32_t>{7});
  EXPECT_EQ(talk.messages_sent(), 4U);
}

// The walk round a star costs 4 messages for each leaf, except that the token stays at the last.
TEST(Raymond, WhenEveryoneAsksAtOnceTheTokenWalksRoundTheTree) {
  for (std::uint32_t size = 2; size <= 30; ++size) {
    Lockstep<Raymond> star({.size = size, .tree = Tree::star()});
    star.let_everyone_in(1, false);
    EXPECT_EQ(star.messages(Metric::messages), 4 * (size - 1) - 2);
    Lockstep<Raymond> line({.size = size, .tree = Tree::line()});
    line.let_everyone_in(1, false);
    EXPECT_EQ(line.messages(Metric::messages), 2 * (size - 1));
  }
}

TEST(Raymond, ServesEveryoneUnderRandomSchedulesWithoutFifo) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    const Tree tree = seed % 2 == 0 ? Tree::binary() : Tree::line();
    Conversation<Raymond> talk({.size = 1 + seed % 6, .tree = tree});
    ASSERT_EQ(talk.play(seed, 3, false), 1U) << "seed " << seed;
  }
}

TEST(Raymond, StartsWithAProcessInside) {
  expect_start_with_each_process_inside<Raymond>({.size = 5}, false);
  expect_start_with_each_process_inside<Raymond>({.size = 4, .tree = Tree::line()}, false);
}

TEST(Raymond, AnIdleProcessKeepsAPointerAndAnEmptyQueue) {
  EXPECT_LE(sizeof(Raymond), 48U);
  const baton::Setup setup{.size = 1'000'000};
  const Raymond last({999'999}, setup);
  EXPECT_EQ(last.state().holder, setup.tree.parent({999'999}));
  EXPECT_TRUE(last.state().queue.empty());
}

}  // namespace
}  // namespace baton::test
