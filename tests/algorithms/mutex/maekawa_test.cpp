#include "algorithms/mutex/maekawa.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "support/conversation.h"
#include "support/lockstep.h"

namespace baton::test {
namespace {

Setup best(std::uint32_t size) { return {.size = size, .voting = best_voting_sets(size)}; }
Setup grid(std::uint32_t size) { return {.size = size, .voting = grid_voting_sets(size)}; }

std::vector<std::uint32_t> everyone(std::uint32_t size) {
  std::vector<std::uint32_t> nodes(size);
  std::iota(nodes.begin(), nodes.end(), 0);
  return nodes;
}

TEST(Maekawa, AsksItsVotingSetAndEntersOnTheLastVote) {
  Conversation<Maekawa> talk(best(7));
  talk.request(0);
  talk.deliver_all();
  talk.release(0);
  EXPECT_EQ(talk.take_log(),
            "0 requests\n"
            "0 -> 1 Request()\n"
            "0 -> 3 Request()\n"
            "1 -> 0 Reply()\n"
            "3 -> 0 Reply()\n"
            "0 enters\n"
            "0 leaves\n"
            "0 -> 1 Release()\n"
            "0 -> 3 Release()\n");
}

TEST(Maekawa, LetsTheSecondInWhenTheFirstLeaves) {
  Conversation<Maekawa> talk(best(3));
  talk.request(0);
  talk.deliver_all();
  talk.request(1);
  talk.deliver_all();
  EXPECT_EQ(talk.inside(), std::vector<std::uint32_t>{0});
  talk.take_log();
  talk.release(0);
  talk.deliver_all();
  // The common voter of 0 and 1 is 1 itself, so one hop is enough.
  EXPECT_EQ(talk.take_log(),
            "0 leaves\n"
            "0 -> 1 Release()\n"
            "1 enters\n");
}

// Cardellini: "p1, p2, and p3 each set voted=TRUE and wait for a response from the other
// processes".
TEST(Maekawa, DeadlocksWithThreeWhoAskAtOnce) {
  Conversation<Maekawa> talk(best(3));
  for (const std::uint32_t node : everyone(3)) talk.request(node);
  talk.deliver_all();
  EXPECT_EQ(talk.take_log(),
            "0 requests\n"
            "0 -> 1 Request()\n"
            "1 requests\n"
            "1 -> 2 Request()\n"
            "2 requests\n"
            "2 -> 0 Request()\n");
  EXPECT_EQ(talk.waiting(), everyone(3));
  for (const std::uint32_t node : everyone(3)) {
    EXPECT_EQ(talk.node(node).state().voted_for, NodeId{node});
  }
}

// The Chubby Slides: P1 waits for P3, P3 for P4, P4 for P2 and P2 for P1; here from 0.
TEST(Maekawa, DeadlocksInACycleOfFourOnTheGrid) {
  Conversation<Maekawa> talk(grid(4));
  for (const std::uint32_t node : everyone(4)) talk.request(node);
  talk.deliver_all();
  EXPECT_EQ(talk.waiting(), everyone(4));
  const auto waits_for = [&](std::uint32_t node, std::uint32_t voter) {
    const auto& queue = talk.node(voter).state().queue;
    return std::find(queue.begin(), queue.end(), NodeId{node}) != queue.end();
  };
  EXPECT_TRUE(waits_for(0, 2) && waits_for(2, 3) && waits_for(3, 1) && waits_for(1, 0));
}

TEST(Maekawa, CostsThreeMessagesPerOtherVoter) {
  for (std::uint32_t size = 1; size <= 50; ++size) {
    Lockstep<Maekawa> group(best(size));
    const std::uint32_t requester = size - 1;
    const Case here{group.setup(), {0}, {requester}};
    group.request(requester);
    group.run();
    ASSERT_EQ(group.last_entry_at(), stated<Maekawa>(Scenario::alone, Metric::delay, here));
    group.release(requester);
    group.run();
    ASSERT_EQ(group.enter_messages(), stated<Maekawa>(Scenario::alone, Metric::enter, here));
    ASSERT_EQ(group.exit_messages(), stated<Maekawa>(Scenario::alone, Metric::exit, here));
    ASSERT_EQ(group.messages(), stated<Maekawa>(Scenario::alone, Metric::messages, here));
    group.request(requester);
    group.run();
    group.release(requester);
    group.run();
    ASSERT_EQ(group.messages(), 2 * stated<Maekawa>(Scenario::again, Metric::messages, here));
  }
}

TEST(Maekawa, HandsOverInOneHopOnlyWithoutAThirdCommonVoter) {
  const auto measured = [](Lockstep<Maekawa>& group, const Case& c) {
    group.request(c.before.value);
    group.run();
    group.request(c.requester.value);
    group.run();
    const double left_at = group.now();
    group.release(c.before.value);
    group.run();
    return group.last_entry_at() - left_at;
  };
  std::map<double, int> seen;
  for (std::uint32_t size = 2; size <= 50; ++size) {
    const auto setup = best(size);
    for (std::uint32_t before = 0; before < size; before += 1 + size / 5) {
      for (std::uint32_t requester = 0; requester < size; ++requester) {
        if (requester == before) continue;
        Lockstep<Maekawa> group(setup);
        const Case here{group.setup(), {before}, {requester}};
        const double hops = measured(group, here);
        ASSERT_EQ(hops, stated<Maekawa>(Scenario::handover, Metric::delay, here))
            << "N=" << size << " from " << before << " to " << requester;
        ++seen[hops];
      }
    }
  }
  EXPECT_EQ(seen.size(), 2U) << "both cases occur";
}

// A RELEASE cannot overtake anything that matters, so what is left is the next REQUEST before it.
TEST(Maekawa, ARequestThatOvertakesTheReleaseWaitsItsTurn) {
  Conversation<Maekawa> talk(best(3));
  talk.request(0);
  talk.deliver_all();
  talk.request(1);
  talk.deliver_all();
  talk.release(0);
  talk.request(0);
  talk.deliver(0, 1, 1);
  talk.deliver_all();
  EXPECT_EQ(talk.inside(), std::vector<std::uint32_t>{1});
  talk.release(1);
  talk.deliver_all();
  EXPECT_EQ(talk.inside(), std::vector<std::uint32_t>{0});
}

// Whoever plays on until it stops: the group may stop, but two are never inside.
TEST(Maekawa, IsSafeUnderRandomSchedulesWithoutFifo) {
  std::size_t stopped = 0;
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    for (const std::uint32_t size : {2U, 3U, 4U, 7U}) {
      Conversation<Maekawa> talk(best(size));
      const std::size_t most_inside = talk.play(seed, 3, false);
      ASSERT_LE(most_inside, 1U) << "seed " << seed << ", N=" << size;
      if (most_inside == 0) ++stopped;
    }
  }
  EXPECT_GT(stopped, 0U) << "it is meant to deadlock";
}

TEST(Maekawa, StartsWithAProcessInside) {
  for (const std::uint32_t size : {1U, 2U, 3U, 4U, 5U, 7U}) {
    for (std::uint32_t inside = 0; inside < size; ++inside) {
      for (std::uint32_t other = 0; other < size; ++other) {
        if (other == inside) continue;
        Conversation<Maekawa> talk(best(size), NodeId{inside});
        talk.request(other);
        talk.deliver_all();
        ASSERT_EQ(talk.inside(), std::vector{inside});
        talk.release(inside);
        talk.deliver_all();
        ASSERT_EQ(talk.inside(), std::vector{other});
        talk.release(other);
        talk.deliver_all();
        talk.request(inside);
        talk.deliver_all();
        ASSERT_EQ(talk.inside(), std::vector{inside});
      }
    }
  }
}

}  // namespace
}  // namespace baton::test
