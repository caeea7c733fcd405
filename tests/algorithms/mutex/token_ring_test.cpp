#include "algorithms/mutex/token_ring.h"

#include <gtest/gtest.h>

#include "algorithms/mutex/token_ring_wrong.h"
#include "common_checks.h"
#include "support/conversation.h"

namespace baton::test {
namespace {

TEST(TokenRing, PassesTheTokenOnUntilSomeoneWantsIt) {
  Conversation<TokenRing> talk({.size = 3});
  talk.request(2);
  talk.deliver_all();
  talk.release(2);
  talk.deliver(2, 0);
  EXPECT_EQ(talk.take_log(),
            "0 -> 1 Token()\n"
            "2 requests\n"
            "1 -> 2 Token()\n"
            "2 enters\n"
            "2 leaves\n"
            "2 -> 0 Token()\n"
            "0 -> 1 Token()\n");
}

TEST(TokenRing, TravelsForEverWhenNobodyWantsIt) {
  Conversation<TokenRing> talk({.size = 5});
  talk.deliver_all(1000);
  EXPECT_EQ(talk.messages_sent(), 1001U);
}

TEST(TokenRing, StartsAtTheCoordinator) {
  Conversation<TokenRing> talk({.size = 4, .coordinator = NodeId{2}});
  EXPECT_EQ(talk.take_log(), "2 -> 3 Token()\n");
}

TEST(TokenRing, AloneKeepsTheToken) {
  Conversation<TokenRing> talk({.size = 1});
  for (int i = 0; i < 3; ++i) {
    talk.request(0);
    EXPECT_EQ(talk.inside().size(), 1U);
    talk.release(0);
  }
  EXPECT_EQ(talk.messages_sent(), 0U);
}

TEST(TokenRing, CostsWhatItStates) {
  for (std::uint32_t size = 2; size <= 50; ++size)
    expect_costs_as_stated<TokenRing>({.size = size});
}

TEST(TokenRing, NeedsOneMessagePerEntryWhenAllWantIt) {
  const std::uint32_t size = 7;
  Conversation<TokenRing> talk({.size = size});
  for (std::uint32_t i = 0; i < size; ++i) talk.request(i);
  for (std::uint32_t entry = 1; entry <= 3 * size; ++entry) {
    talk.deliver_any();
    const std::uint32_t inside = entry % size;
    ASSERT_EQ(talk.inside(), std::vector<std::uint32_t>{inside});
    ASSERT_EQ(talk.messages_sent(), entry);
    talk.release(inside);
    talk.request(inside);
  }
}

TEST(TokenRing, WaitsFromOneHopToAWholeRound) {
  const std::uint32_t size = 10;
  std::size_t total = 0;
  for (std::uint32_t hops = 0; hops < size; ++hops) {
    Lockstep<TokenRing> world({.size = size});
    for (std::uint32_t i = 0; i < hops; ++i) world.pass_one_message_time();
    world.request({0});
    // The token has just left process `hops`.
    const std::size_t waited = world.wait_until_inside({0});
    EXPECT_EQ(waited, size - hops);
    total += waited;
  }
  // Each token is here one hop from its arrival at the least; between hops it is half a hop less.
  EXPECT_EQ(total, size * (size + 1) / 2);
}

TEST(TokenRing, DoesNotServeInTheOrderOfAsking) {
  Conversation<TokenRing> talk({.size = 3});
  talk.request(2);
  talk.request(1);
  talk.deliver_any();
  EXPECT_EQ(talk.inside(), std::vector<std::uint32_t>{1});
}

TEST(TokenRing, ServesEveryoneUnderRandomSchedules) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    Conversation<TokenRing> talk({.size = 2 + seed % 5});
    ASSERT_EQ(talk.play(seed, 3, false), 1U) << "seed " << seed;
  }
}

TEST(TokenRing, StartsWithAProcessInside) {
  expect_start_with_each_process_inside<TokenRing>({.size = 4}, false);
}

TEST(TokenRing, TakesNoMemoryThatGrowsWithTheGroup) {
  static_assert(std::is_trivially_copyable_v<TokenRing>);
  EXPECT_LE(sizeof(TokenRing), 24U);
}

// The holder is suspected while it is inside and alive.
template <class P>
std::size_t inside_after_a_false_suspicion() {
  Conversation<P> talk({.size = 3}, NodeId{0});
  talk.request(1);
  talk.suspect(1, 0);
  talk.deliver_all(10);
  return talk.inside().size();
}

TEST(TokenRing, ANewTokenOnSuspicionLetsTwoIn) {
  EXPECT_EQ(inside_after_a_false_suspicion<WrongTokenRingRegenerated>(), 2U);
  EXPECT_EQ(inside_after_a_false_suspicion<TokenRing>(), 1U);
}

TEST(TokenRing, ANewTokenIsMadeOnlyForAPredecessorAndNotByTheHolder) {
  Conversation<WrongTokenRingRegenerated> talk({.size = 3}, NodeId{0});
  talk.suspect(2, 0);
  talk.suspect(0, 2);
  EXPECT_EQ(talk.messages_sent(), 0U);
  talk.suspect(1, 0);
  EXPECT_EQ(talk.messages_sent(), 1U);
}

TEST(TokenRing, RegenerationDoesNoHarmWhileNobodyIsSuspected) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    Conversation<WrongTokenRingRegenerated> talk({.size = 3});
    ASSERT_EQ(talk.play(seed, 2), 1U) << "seed " << seed;
  }
}

}  // namespace
}  // namespace baton::test
