#include "algorithms/mutex/permission_ring.h"

#include <gtest/gtest.h>

#include "algorithms/mutex/permission_ring_wrong.h"
#include "common_checks.h"
#include "support/conversation.h"

namespace baton::test {
namespace {

TEST(PermissionRing, EntersWhenItsRequestHasComeHome) {
  Conversation<PermissionRing> talk({.size = 3});
  talk.request(1);
  talk.deliver_all();
  EXPECT_EQ(talk.take_log(),
            "1 requests\n"
            "1 -> 2 Request(<1,1> 1)\n"
            "2 -> 0 Request(<1,1> 1)\n"
            "0 -> 1 Request(<1,1> 1)\n"
            "1 enters\n");
}

TEST(PermissionRing, WhoIsInsideHoldsARequestBack) {
  Conversation<PermissionRing> talk({.size = 3}, NodeId{0});
  talk.request(1);
  talk.deliver_all();
  talk.release(0);
  talk.deliver_all();
  EXPECT_EQ(talk.take_log(),
            "1 requests\n"
            "1 -> 2 Request(<1,1> 1)\n"
            "2 -> 0 Request(<1,1> 1)\n"
            "0 leaves\n"
            "0 -> 1 Request(<1,1> 1)\n"
            "1 enters\n");
}

TEST(PermissionRing, TheOlderOfTwoRequestsIsLetPassAndTheYoungerHeldBack) {
  Conversation<PermissionRing> talk({.size = 2});
  talk.request(1);
  talk.request(0);
  talk.deliver_all();
  EXPECT_EQ(talk.take_log(),
            "1 requests\n"
            "1 -> 0 Request(<1,1> 1)\n"
            "0 requests\n"
            "0 -> 1 Request(<1,0> 1)\n"
            "1 -> 0 Request(<1,0> 1)\n"
            "0 enters\n");
  talk.release(0);
  talk.deliver_all();
  EXPECT_EQ(talk.inside(), std::vector<std::uint32_t>{1});
}

// Process 3 asks, and then passes an older request on. Process 0 learns of that alone, and its own
// request comes after 3's by happened-before.
TEST(PermissionRing, APassedOnRequestCarriesTheClockOfWhoPassedIt) {
  Conversation<PermissionRing> talk({.size = 4});
  talk.request(2);
  talk.request(1);
  talk.deliver(1, 2);
  talk.deliver(2, 3);
  talk.request(3);
  talk.deliver(2, 3);
  ASSERT_EQ(talk.in_flight(3, 0), 3U);
  talk.deliver(3, 0, 2);
  talk.request(0);
  EXPECT_EQ(talk.node(3).state().mine, (Timestamp{{2}, {3}}));
  EXPECT_EQ(talk.node(0).state().mine, (Timestamp{{3}, {0}}));

  std::vector<std::uint32_t> served;
  for (int i = 0; i < 4; ++i) {
    talk.deliver_all();
    ASSERT_EQ(talk.inside().size(), 1U);
    served.push_back(talk.inside().front());
    talk.release(served.back());
  }
  EXPECT_EQ(served, (std::vector<std::uint32_t>{1, 2, 3, 0}));
}

TEST(PermissionRing, ACopyOfAnEarlierRequestLetsNobodyIn) {
  Conversation<PermissionRing> talk({.size = 2});
  talk.request(0);
  talk.deliver(0, 1);
  talk.duplicate(1, 0);
  talk.deliver(1, 0);
  talk.release(0);
  talk.request(1);
  talk.deliver(1, 0, 1);
  talk.deliver(0, 1);
  ASSERT_EQ(talk.inside(), std::vector<std::uint32_t>{1});
  talk.request(0);
  talk.deliver(1, 0);
  EXPECT_EQ(talk.inside(), std::vector<std::uint32_t>{1});
}

TEST(PermissionRing, CostsWhatItStates) {
  for (std::uint32_t size = 2; size <= 50; ++size) {
    expect_costs_as_stated<PermissionRing>({.size = size}, size == 5);
  }
}

TEST(PermissionRing, ServesEveryoneUnderRandomSchedulesWithoutFifo) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    Conversation<PermissionRing> talk({.size = 1 + seed % 6});
    ASSERT_EQ(talk.play(seed, 3, false), 1U) << "seed " << seed;
  }
}

TEST(PermissionRing, StartsWithAProcessInside) {
  expect_start_with_each_process_inside<PermissionRing>({.size = 4}, false);
}

// Two want to enter at once; returns who gets in one after the other.
template <class P>
std::vector<std::uint32_t> served_when_two_ask_at_once() {
  Conversation<P> talk({.size = 3});
  talk.request(0);
  talk.request(2);
  std::vector<std::uint32_t> served;
  for (int i = 0; i < 100; ++i) {
    talk.deliver_all();
    for (const std::uint32_t node : talk.inside()) {
      served.push_back(node);
      talk.release(node);
    }
    talk.fire_timers();
  }
  return served;
}

TEST(PermissionRing, TwoThatAskAtOnceAreServedOneAfterTheOther) {
  EXPECT_EQ(served_when_two_ask_at_once<PermissionRing>(), (std::vector<std::uint32_t>{0, 2}));
}

TEST(PermissionRing, TheLiteralFormDeadlocks) {
  EXPECT_TRUE(served_when_two_ask_at_once<WrongPermissionRingLiteral>().empty());
}

TEST(PermissionRing, TheLiteralFormForgetsWhoAsksWhileAnotherIsInside) {
  Conversation<WrongPermissionRingLiteral> talk({.size = 3}, NodeId{0});
  talk.request(1);
  talk.deliver_all();
  talk.release(0);
  EXPECT_FALSE(talk.deliver_any());
  EXPECT_EQ(talk.waiting(), std::vector<std::uint32_t>{1});
}

TEST(PermissionRing, TryingAgainLivelocks) {
  EXPECT_TRUE(served_when_two_ask_at_once<WrongPermissionRingRetry>().empty());

  Conversation<WrongPermissionRingRetry> talk({.size = 3});
  talk.request(0);
  talk.request(2);
  talk.deliver_all();
  const std::size_t sent_by_then = talk.messages_sent();
  for (int i = 0; i < 100; ++i) {
    talk.fire_timers();
    talk.deliver_all();
  }
  EXPECT_EQ(talk.waiting(), (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(talk.messages_sent(), 101 * sent_by_then);
}

TEST(PermissionRing, TryingAgainHelpsWhoAsksWhileAnotherIsInside) {
  Conversation<WrongPermissionRingRetry> talk({.size = 3}, NodeId{0});
  talk.request(1);
  talk.deliver_all();
  talk.fire_timers();
  talk.deliver_all();
  talk.release(0);
  talk.fire_timers();
  talk.deliver_all();
  EXPECT_EQ(talk.inside(), std::vector<std::uint32_t>{1});
}

// Asks, leaves, delivers and tries again at random, also long after a deadlock of some.
template <class P>
std::size_t most_inside_at_random(std::uint32_t seed) {
  Conversation<P> talk({.size = 3});
  std::mt19937 random(seed);
  std::size_t most_inside = 0;
  for (int step = 0; step < 500; ++step) {
    const auto node = static_cast<std::uint32_t>(random() % 3);
    const auto waiting = talk.waiting();
    const auto inside = talk.inside();
    const auto is_in = [&](const auto& nodes) {
      return std::count(nodes.begin(), nodes.end(), node);
    };
    if (is_in(inside) > 0) {
      talk.release(node);
    } else if (is_in(waiting) == 0 && random() % 4 == 0) {
      talk.request(node);
    } else if (random() % 20 == 0) {
      talk.fire_timers();
    } else if (const std::size_t queued = talk.in_flight(node, (node + 1) % 3); queued > 0) {
      talk.deliver(node, (node + 1) % 3, random() % queued);
    }
    most_inside = std::max(most_inside, talk.inside().size());
  }
  return most_inside;
}

TEST(PermissionRing, TheLiteralFormsAreSafeAllTheSame) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    ASSERT_LE(most_inside_at_random<WrongPermissionRingLiteral>(seed), 1U) << "seed " << seed;
    ASSERT_LE(most_inside_at_random<WrongPermissionRingRetry>(seed), 1U) << "seed " << seed;
    ASSERT_EQ(most_inside_at_random<PermissionRing>(seed), 1U) << "seed " << seed;
  }
}

}  // namespace
}  // namespace baton::test
