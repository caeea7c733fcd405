#include "algorithms/mutex/maekawa_sanders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "algorithms/mutex/maekawa_sanders_wrong.h"
#include "support/conversation.h"
#include "support/lockstep.h"

namespace baton::test {
namespace {

using Wrong = WrongMaekawaSandersFailedToNewcomersOnly;

Setup best(std::uint32_t size) { return {.size = size, .voting = best_voting_sets(size)}; }
Setup grid(std::uint32_t size) { return {.size = size, .voting = grid_voting_sets(size)}; }

std::vector<std::uint32_t> everyone(std::uint32_t size) {
  std::vector<std::uint32_t> nodes(size);
  std::iota(nodes.begin(), nodes.end(), 0);
  return nodes;
}

// Lets whoever is inside leave, and delivers, until nothing moves. The number of entries.
template <class P>
std::size_t serve_all(Conversation<P>& talk) {
  std::size_t entries = 0;
  talk.deliver_all();
  while (!talk.inside().empty()) {
    EXPECT_EQ(talk.inside().size(), 1U);
    ++entries;
    talk.release(talk.inside().front());
    talk.deliver_all();
  }
  return entries;
}

// Where the textbook form stops (Cardellini's example), 2 learns that it must wait for 0 and gives
// its own vote up for 1. What 1 asked itself on behalf of 0 is answered when it leaves.
TEST(MaekawaSanders, SettlesTheDeadlockOfThree) {
  Conversation<MaekawaSanders> talk(best(3));
  for (const std::uint32_t node : everyone(3)) talk.request(node);
  talk.take_log();
  talk.deliver(0, 1);
  talk.deliver(1, 2);
  talk.deliver(2, 0);
  talk.deliver_all();
  EXPECT_EQ(talk.take_log(),
            "0 -> 2 Failed(<1,2>)\n"
            "2 -> 1 Grant(<1,1> 1)\n"
            "1 enters\n");
  EXPECT_EQ(serve_all(talk), 3U);
}

TEST(MaekawaSanders, SettlesTheCycleOfFourOnTheGrid) {
  Conversation<MaekawaSanders> talk(grid(4));
  for (const std::uint32_t node : everyone(4)) talk.request(node);
  EXPECT_EQ(serve_all(talk), 4U);
}

TEST(MaekawaSanders, AnInquireIsAnsweredOnlyOnceItIsClearThatOneMustWait) {
  Conversation<MaekawaSanders> talk(grid(4));
  talk.request(2);
  talk.deliver(2, 3);
  talk.deliver(3, 2);
  talk.request(1);
  talk.deliver(1, 0);
  talk.deliver(0, 1);
  talk.take_log();
  // 3 has voted for 2 and asks on behalf of 1. As far as 2 knows, it may still win.
  talk.deliver(1, 3);
  talk.deliver(3, 2);
  EXPECT_EQ(talk.take_log(), "3 -> 2 Inquire(<1,2>)\n");
  // But 0 has voted for 1.
  talk.deliver(2, 0);
  talk.deliver(0, 2);
  EXPECT_EQ(talk.take_log(),
            "0 -> 2 Failed(<1,2>)\n"
            "2 -> 3 Yield(<1,2>)\n");
  talk.deliver(2, 3);
  talk.deliver(3, 1);
  EXPECT_EQ(talk.take_log(),
            "3 -> 1 Grant(<1,1> 1)\n"
            "1 enters\n");
  EXPECT_EQ(serve_all(talk), 2U);
}

TEST(MaekawaSanders, AVoteThatComesAfterAllMakesUpForTheFailed) {
  Conversation<MaekawaSanders> talk(grid(4), NodeId{0});
  talk.request(2);
  talk.deliver(2, 0);
  talk.deliver(0, 2);
  EXPECT_EQ(talk.node(2).state().votes_failed, 2U) << "by 0 and by itself";
  talk.release(0);
  talk.deliver(0, 2);  // RELEASE, for 2 had voted for 0
  talk.deliver(0, 2);  // GRANT
  EXPECT_EQ(talk.node(2).state().votes_failed, 0U);
  talk.deliver(2, 3);
  talk.request(1);
  talk.deliver(1, 0);
  talk.deliver(0, 2);
  EXPECT_EQ(talk.in_flight(2, 0), 0U) << "2 has an INQUIRE and no reason to yield";
  EXPECT_EQ(serve_all(talk), 2U);
}

TEST(MaekawaSanders, AnInquireThatCrossesTheReleaseIsStale) {
  Conversation<MaekawaSanders> talk(grid(4));
  talk.request(2);
  talk.deliver_all();
  talk.request(1);
  talk.deliver(1, 3);
  EXPECT_EQ(talk.in_flight(3, 2), 1U) << "an INQUIRE";
  talk.release(2);
  talk.request(2);
  talk.deliver(3, 2);
  EXPECT_EQ(talk.in_flight(2, 3), 2U) << "the RELEASE and the next REQUEST, but no YIELD";
  EXPECT_EQ(serve_all(talk), 2U);
}

// What FIFO is needed for: 2 takes an INQUIRE about a vote that it does not have for a stale one.
TEST(MaekawaSanders, StopsWhereAnInquireOvertakesItsGrant) {
  for (const bool fifo : {true, false}) {
    Conversation<MaekawaSanders> talk(grid(4));
    talk.request(1);
    talk.request(2);
    talk.deliver(1, 0);
    talk.deliver(0, 1);
    talk.deliver(2, 0);
    talk.deliver(0, 2);
    talk.deliver(2, 3);
    talk.deliver(1, 3);
    ASSERT_EQ(talk.in_flight(3, 2), 2U) << "GRANT and INQUIRE";
    talk.deliver(3, 2, fifo ? 0 : 1);
    EXPECT_EQ(serve_all(talk), fifo ? 2U : 0U);
  }
}

// Three ask at once on the grid of the Chubby Slides. 3, which voted for itself, hears of 2 and of
// the better 0 or 1, in one order or the other; 2 has a vote that the better one needs, and is
// asked for it.
template <class P>
std::size_t entries_when_overtaken(bool in_the_queue) {
  Conversation<P> talk(grid(4));
  for (const std::uint32_t node : {1U, 2U, 3U}) talk.request(node);
  talk.deliver(2, 0);
  talk.deliver(0, 2);
  talk.deliver(1, 0);
  talk.deliver(0, 2);
  talk.deliver(in_the_queue ? 2 : 1, 3);
  talk.deliver(in_the_queue ? 1 : 2, 3);
  return serve_all(talk);
}

TEST(MaekawaSanders, TellsARequestThatABetterOneOvertakesInTheQueue) {
  EXPECT_EQ(entries_when_overtaken<MaekawaSanders>(true), 3U);
  EXPECT_EQ(entries_when_overtaken<Wrong>(true), 0U) << "2 was not told and yields to nobody";
}

TEST(MaekawaSanders, TellsANewcomerThatIsBetterThanTheVoteButNotThanTheQueue) {
  EXPECT_EQ(entries_when_overtaken<MaekawaSanders>(false), 3U);
  EXPECT_EQ(entries_when_overtaken<Wrong>(false), 0U) << "2 was not told and yields to nobody";
}

TEST(MaekawaSanders, TheWrongVariantStopsUnderRandomSchedulesToo) {
  std::size_t stopped = 0;
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    Conversation<Wrong> talk(best(7));
    const std::size_t most_inside = talk.play(seed, 2);
    ASSERT_LE(most_inside, 1U);
    if (most_inside == 0) ++stopped;
  }
  EXPECT_GT(stopped, 0U);
}

TEST(MaekawaSanders, ServesEveryoneUnderRandomSchedules) {
  for (const std::uint32_t size : {1U, 2U, 3U, 4U, 5U, 7U, 13U}) {
    const auto setup = best(size);
    const std::size_t others = setup.voting->set_size() - 1;
    constexpr std::uint32_t rounds = 4;
    for (std::uint32_t seed = 0; seed < 150; ++seed) {
      Conversation<MaekawaSanders> talk(setup);
      ASSERT_EQ(talk.play(seed, rounds), 1U) << "seed " << seed << ", N=" << size;
      ASSERT_LE(talk.messages_sent(), (6 * others + 3) * size * rounds)
          << "seed " << seed << ", N=" << size;
    }
  }
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    Conversation<MaekawaSanders> talk(grid(9));
    ASSERT_EQ(talk.play(seed, 3), 1U) << "seed " << seed << " on the grid";
  }
}

TEST(MaekawaSanders, IsSafeEvenWithoutFifo) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    Conversation<MaekawaSanders> talk(grid(4));
    ASSERT_LE(talk.play(seed, 3, false), 1U) << "seed " << seed;
  }
}

TEST(MaekawaSanders, OneWhoWasIdleForLongDoesNotOvertakeAgainAndAgain) {
  Conversation<MaekawaSanders> talk(grid(9));
  for (int entry = 0; entry < 20; ++entry) {
    talk.request(0);
    talk.deliver_all();
    talk.release(0);
    talk.deliver_all();
  }
  // 8 shares no row or column with 0, so that it knows nothing of 0's entries until it asks.
  talk.request(8);
  talk.deliver_all();
  talk.request(0);
  talk.deliver_all();
  talk.release(8);
  talk.request(8);
  talk.deliver_all();
  EXPECT_EQ(talk.inside(), std::vector<std::uint32_t>{0});
}

TEST(MaekawaSanders, StartsWithAProcessInside) {
  for (const std::uint32_t size : {1U, 2U, 3U, 4U, 5U, 7U}) {
    for (std::uint32_t inside = 0; inside < size; ++inside) {
      Conversation<MaekawaSanders> talk(best(size), NodeId{inside});
      for (const std::uint32_t node : everyone(size)) {
        if (node != inside) talk.request(node);
      }
      talk.deliver_all();
      ASSERT_EQ(talk.inside(), std::vector{inside});
      ASSERT_EQ(serve_all(talk), size) << "the one inside, then the others";
      talk.request(inside);
      ASSERT_EQ(serve_all(talk), 1U);
    }
  }
}

TEST(MaekawaSanders, CostsThreeMessagesPerOtherVoterWhenAlone) {
  for (std::uint32_t size = 1; size <= 50; ++size) {
    Lockstep<MaekawaSanders> group(best(size));
    const std::uint32_t requester = size - 1;
    const Case here{group.setup(), {0}, {requester}};
    group.request(requester);
    group.run();
    ASSERT_EQ(group.last_entry_at(), stated<MaekawaSanders>(Scenario::alone, Metric::delay, here));
    group.release(requester);
    group.run();
    ASSERT_EQ(group.enter_messages(), stated<MaekawaSanders>(Scenario::alone, Metric::enter, here));
    ASSERT_EQ(group.exit_messages(), stated<MaekawaSanders>(Scenario::alone, Metric::exit, here));
  }
}

TEST(MaekawaSanders, HandsOverAsFastAsMaekawa) {
  for (std::uint32_t size = 2; size <= 50; ++size) {
    const auto setup = best(size);
    for (std::uint32_t before = 0; before < size; before += 1 + size / 5) {
      for (std::uint32_t requester = 0; requester < size; ++requester) {
        if (requester == before) continue;
        Lockstep<MaekawaSanders> group(setup);
        group.request(before);
        group.run();
        group.request(requester);
        group.run();
        const double left_at = group.now();
        group.release(before);
        group.run();
        const Case here{group.setup(), {before}, {requester}};
        ASSERT_EQ(group.last_entry_at() - left_at,
                  stated<MaekawaSanders>(Scenario::handover, Metric::delay, here))
            << "N=" << size << " from " << before << " to " << requester;
      }
    }
  }
}

TEST(MaekawaSanders, CostsAtMostTwiceAsMuchWhenEveryoneAsksAtOnce) {
  double most = 0;
  for (std::uint32_t size = 2; size <= 60; ++size) {
    Lockstep<MaekawaSanders> group(best(size));
    ASSERT_EQ(group.everyone_once(everyone(size)), 1U);
    ASSERT_EQ(group.entries(), size);
    const double others = static_cast<double>(group.setup().voting->set_size()) - 1;
    const double per_entry = static_cast<double>(group.messages()) / size;
    ASSERT_GE(per_entry, 3 * others) << "N=" << size;
    ASSERT_LE(per_entry, 6 * others) << "N=" << size;
    most = std::max(most, per_entry / others);
  }
  RecordProperty("most_messages_per_entry_and_voter", std::to_string(most));
}

TEST(MaekawaSanders, AThousandContendAmongAMillion) {
  Lockstep<MaekawaSanders> group(grid(1'000'000));
  std::vector<std::uint32_t> asking;
  for (std::uint32_t i = 0; i < 1'000; ++i) asking.push_back(i * 997);
  EXPECT_EQ(group.everyone_once(asking), 1U);
  EXPECT_EQ(group.entries(), 1'000U);
  EXPECT_LE(group.messages(), 1'000U * (6 * 1'998 + 3));
}

}  // namespace
}  // namespace baton::test
