#include "algorithms/mutex/bakery_messages.h"

#include <gtest/gtest.h>

#include "algorithms/mutex/schedules.h"
#include "support/conversation.h"

namespace baton::test {
namespace {

using Nodes = std::vector<std::uint32_t>;

// Long enough for everything to settle except the polls, which go on for ever.
void wait_a_while(Conversation<BakeryMessages>& talk, std::uint32_t size, int message_times = 20) {
  for (int i = 0; i < message_times; ++i) pass_message_time(talk, size);
}

TEST(BakeryMessages, ReadsThreeVariablesOfEveryoneElse) {
  Conversation<BakeryMessages> talk({.size = 2});
  talk.request(1);
  talk.deliver_all();
  talk.release(1);
  EXPECT_EQ(talk.take_log(),
            "1 requests\n"
            "1 -> 0 ReadNum()\n"
            "0 -> 1 Num(-)\n"
            "1 -> 0 ReadChoosing()\n"
            "0 -> 1 Choosing(false)\n"
            "1 -> 0 ReadNum()\n"
            "0 -> 1 Num(-)\n"
            "1 enters\n"
            "1 leaves\n");
}

TEST(BakeryMessages, TakesATicketAboveAllThatItSees) {
  Conversation<BakeryMessages> talk({.size = 3}, NodeId{2});
  talk.request(0);
  wait_a_while(talk, 3);
  EXPECT_EQ(talk.node(0).state().num, BakeryMessages::Ticket{2});
  talk.request(1);
  wait_a_while(talk, 3);
  EXPECT_EQ(talk.node(1).state().num, BakeryMessages::Ticket{3});
}

TEST(BakeryMessages, WhoHasLeftRemembersNothing) {
  Conversation<BakeryMessages> talk({.size = 2}, NodeId{0});
  talk.request(1);
  wait_a_while(talk, 2);
  talk.release(0);
  wait_a_while(talk, 2);
  talk.release(1);
  EXPECT_TRUE(reflect::equal(talk.node(1).state(), BakeryMessages::State{}));
}

TEST(BakeryMessages, PollsWhileAnotherGoesFirst) {
  Conversation<BakeryMessages> talk({.size = 2}, NodeId{0});
  talk.request(1);
  for (int message = 0; message < 6; ++message) talk.deliver_any();
  talk.take_log();
  talk.deliver_any();
  talk.deliver_any();
  EXPECT_EQ(talk.take_log(),
            "0 -> 1 Num(1)\n"
            "1 -> 0 ReadNum()\n");
  talk.release(0);
  talk.deliver_all();
  EXPECT_EQ(talk.inside(), Nodes{1});
}

// Why choosing exists. Process 0 has read that 1 has no ticket and is slow to take its own, equal
// one; without asking whether 0 is choosing, 1 would find no ticket there and go in, and 0, with
// the smaller id, would not wait for it.
TEST(BakeryMessages, WaitsForOneThatIsChoosing) {
  Conversation<BakeryMessages> talk({.size = 3});
  talk.request(0);
  talk.deliver(0, 1);
  talk.deliver(1, 0);
  talk.request(1);
  talk.deliver(1, 0);
  talk.deliver(0, 1);
  talk.deliver(1, 2);
  talk.deliver(2, 1);
  EXPECT_EQ(talk.node(1).state().num, BakeryMessages::Ticket{1});
  EXPECT_TRUE(talk.node(0).state().choosing);
  talk.take_log();
  talk.deliver(1, 0);
  talk.deliver(0, 1);
  EXPECT_EQ(talk.take_log(),
            "0 -> 1 Choosing(true)\n"
            "1 -> 0 ReadChoosing()\n");
  wait_a_while(talk, 3);
  EXPECT_EQ(talk.node(0).state().num, BakeryMessages::Ticket{1});
  EXPECT_EQ(talk.inside(), Nodes{0});
}

TEST(BakeryMessages, WhoHasItsTicketGoesBeforeWhoBeginsToAsk) {
  for (const std::uint32_t first : {0U, 1U}) {
    Conversation<BakeryMessages> talk({.size = 2});
    const std::uint32_t second = 1 - first;
    talk.request(first);
    talk.deliver(first, second);
    talk.deliver(second, first);
    ASSERT_TRUE(talk.node(first).state().num);
    talk.request(second);
    wait_a_while(talk, 2);
    EXPECT_EQ(talk.inside(), Nodes{first});
  }
}

// Process 0 asks after it was read from the doorway of 1, so the request of 1 happened before. Yet
// both draw the same ticket, and 0 has the smaller id.
TEST(BakeryMessages, DoesNotServeInTheOrderOfHappenedBefore) {
  Conversation<BakeryMessages> talk({.size = 3});
  talk.request(1);
  talk.deliver(1, 0);
  talk.deliver(0, 1);
  talk.request(0);
  talk.deliver(0, 1);
  wait_a_while(talk, 3);
  EXPECT_EQ(talk.node(0).state().num, talk.node(1).state().num);
  EXPECT_EQ(talk.inside(), Nodes{0});
  EXPECT_FALSE(BakeryMessages::info().promises.has(Promise::order));
}

// Why duplication is excluded: the last answer to the first entry of 0 comes again in the doorway
// of its second, and hides the ticket that 1 has taken in between.
TEST(BakeryMessages, ADuplicatedReplyWouldLetTwoIn) {
  Conversation<BakeryMessages> talk({.size = 2});
  talk.request(0);
  for (int message = 0; message < 5; ++message) talk.deliver_any();
  talk.duplicate(1, 0);
  talk.deliver(1, 0);
  talk.release(0);
  talk.request(1);
  while (talk.inside().empty()) {
    if (!talk.deliver(1, 0, 1)) talk.deliver(0, 1);
  }
  EXPECT_EQ(talk.inside(), Nodes{1});
  talk.request(0);
  wait_a_while(talk, 2);
  EXPECT_EQ(talk.inside(), (Nodes{0, 1}));
  EXPECT_TRUE(BakeryMessages::info().assumes.has(Assumption::no_duplication));
}

TEST(BakeryMessages, CostsSixMessagesPerOtherProcess) {
  for (std::uint32_t size = 2; size <= 20; ++size) {
    Conversation<BakeryMessages> talk({.size = size});
    EXPECT_EQ(messages_of_one_entry(talk, 0), 6 * (size - 1));
    EXPECT_EQ(messages_of_one_entry(talk, size - 1), 6 * (size - 1));
    EXPECT_EQ(messages_of_one_entry(talk, size - 1), 6 * (size - 1));
  }
}

TEST(BakeryMessages, EntersInSixMessageTimesHoweverManyAreRead) {
  for (std::uint32_t size = 2; size <= 10; ++size) {
    Conversation<BakeryMessages> talk({.size = size});
    talk.request(1);
    EXPECT_EQ(message_times_until_entry(talk, size), 6U);
  }
}

TEST(BakeryMessages, HandsOverInOneToThreeMessageTimes) {
  for (int polls = 0; polls < 6; ++polls) {
    Conversation<BakeryMessages> talk({.size = 3}, NodeId{1});
    talk.request(2);
    wait_a_while(talk, 3, 20 + polls);
    talk.release(1);
    const std::uint32_t delay = message_times_until_entry(talk, 3);
    EXPECT_GE(delay, 1U);
    EXPECT_LE(delay, 3U);
  }
}

TEST(BakeryMessages, ServesEveryoneUnderRandomSchedulesWithoutFifo) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    Conversation<BakeryMessages> talk({.size = 4});
    ASSERT_EQ(talk.play(seed, 3, false), 1U) << "seed " << seed;
  }
}

TEST(BakeryMessages, StartsWithAnyProcessInside) {
  for (std::uint32_t inside = 0; inside < 3; ++inside) {
    for (std::uint32_t seed = 0; seed < 50; ++seed) {
      Conversation<BakeryMessages> talk({.size = 3}, NodeId{inside});
      ASSERT_EQ(talk.inside(), Nodes{inside});
      ASSERT_EQ(talk.play(seed, 2, false), 1U) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace baton::test
