#include "algorithms/mutex/suzuki_kasami.h"

#include <gtest/gtest.h>

#include "algorithms/mutex/suzuki_kasami_wrong.h"
#include "common_checks.h"
#include "support/conversation.h"

namespace baton::test {
namespace {

TEST(SuzukiKasami, AsksEveryoneAndGetsTheTokenFromItsHolder) {
  Conversation<SuzukiKasami> talk({.size = 3});
  talk.request(1);
  talk.deliver_all();
  EXPECT_EQ(talk.take_log(),
            "1 requests\n"
            "1 -> 0 Request(1)\n"
            "1 -> 2 Request(1)\n"
            "0 -> 1 Token([0 0 0] [])\n"
            "1 enters\n");
}

TEST(SuzukiKasami, ServesTheQueueInTheTokenFirstComeFirstServed) {
  Conversation<SuzukiKasami> talk({.size = 4}, NodeId{0});
  talk.request(3);
  talk.deliver_all();
  talk.release(0);
  talk.deliver_all();
  talk.request(2);
  talk.deliver_all();
  talk.request(1);
  talk.deliver_all();
  talk.take_log();
  talk.release(3);
  talk.deliver_all();
  talk.request(3);
  talk.deliver_all();
  talk.release(1);
  talk.deliver_all();
  EXPECT_EQ(talk.take_log(),
            "3 leaves\n"
            "3 -> 1 Token([0 0 0 1] [2])\n"
            "1 enters\n"
            "3 requests\n"
            "3 -> 0 Request(2)\n"
            "3 -> 1 Request(2)\n"
            "3 -> 2 Request(2)\n"
            "1 leaves\n"
            "1 -> 2 Token([0 1 0 1] [3])\n"
            "2 enters\n");
}

TEST(SuzukiKasami, EntersWithoutAMessageWhenItHasTheToken) {
  Conversation<SuzukiKasami> talk({.size = 3});
  talk.request(0);
  talk.release(0);
  talk.request(0);
  EXPECT_EQ(talk.inside(), std::vector<std::uint32_t>{0});
  EXPECT_EQ(talk.messages_sent(), 0U);
}

// Process 1's first request reaches 2 only when it has long been served.
TEST(SuzukiKasami, AnOutdatedRequestDoesNotGetTheToken) {
  Conversation<SuzukiKasami> talk({.size = 3});
  talk.request(1);
  talk.deliver(1, 0);
  talk.deliver(0, 1);
  talk.release(1);
  talk.request(2);
  talk.deliver(2, 1);
  talk.deliver(1, 2, 1);
  ASSERT_EQ(talk.inside(), std::vector<std::uint32_t>{2});
  talk.release(2);
  talk.take_log();
  talk.deliver(1, 2);
  EXPECT_EQ(talk.take_log(), "");
  EXPECT_TRUE(talk.node(2).state().token.has_value());
}

// Process 1's second request reaches 2 before its first.
TEST(SuzukiKasami, AnOvertakenRequestDoesNotHideTheNewerOne) {
  Conversation<SuzukiKasami> talk({.size = 3});
  talk.request(1);
  talk.deliver(1, 0);
  talk.deliver(0, 1);
  talk.release(1);
  talk.request(2);
  talk.deliver(2, 1);
  talk.deliver(1, 2, 1);
  ASSERT_EQ(talk.inside(), std::vector<std::uint32_t>{2});
  talk.request(1);
  talk.deliver(1, 2, 1);
  talk.deliver(1, 2);
  talk.release(2);
  talk.deliver_all();
  EXPECT_EQ(talk.inside(), std::vector<std::uint32_t>{1});
}

TEST(SuzukiKasami, ADuplicatedRequestIsServedOnce) {
  Conversation<SuzukiKasami> talk({.size = 2});
  talk.request(1);
  talk.duplicate(1, 0);
  talk.deliver(1, 0);
  talk.deliver(0, 1);
  talk.release(1);
  talk.request(0);
  talk.deliver(0, 1);
  talk.deliver(1, 0, 1);
  talk.release(0);
  talk.deliver(1, 0);
  EXPECT_TRUE(talk.node(0).state().token.has_value());
}

TEST(SuzukiKasami, CostsWhatItStates) {
  for (std::uint32_t size = 2; size <= 50; ++size) {
    expect_costs_as_stated<SuzukiKasami>({.size = size}, size < 6);
  }
}

TEST(SuzukiKasami, ServesEveryoneUnderRandomSchedulesWithoutFifo) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    Conversation<SuzukiKasami> talk({.size = 1 + seed % 6});
    ASSERT_EQ(talk.play(seed, 3, false), 1U) << "seed " << seed;
  }
}

TEST(SuzukiKasami, StartsWithAProcessInside) {
  expect_start_with_each_process_inside<SuzukiKasami>({.size = 4}, false);
}

// All want it all the time. Counts the entries of process 1, which is first in the queue.
template <class P>
int entries_of_one_in_a_hundred() {
  Conversation<P> talk({.size = 3}, NodeId{0});
  talk.request(1);
  talk.request(2);
  int entries = 0;
  for (int i = 0; i < 100; ++i) {
    talk.deliver_all();
    const std::uint32_t inside = talk.inside().at(0);
    if (inside == 1) ++entries;
    talk.release(inside);
    talk.request(inside);
  }
  return entries;
}

TEST(SuzukiKasami, ServingTheLastOfTheQueueStarvesTheFirst) {
  EXPECT_EQ(entries_of_one_in_a_hundred<WrongSuzukiKasamiLastFirst>(), 0);
  EXPECT_EQ(entries_of_one_in_a_hundred<SuzukiKasami>(), 33);
}

TEST(SuzukiKasami, ServingTheLastOfTheQueueIsSafeAllTheSame) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    Conversation<WrongSuzukiKasamiLastFirst> talk({.size = 4});
    ASSERT_EQ(talk.play(seed, 3, false), 1U) << "seed " << seed;
  }
}

}  // namespace
}  // namespace baton::test
