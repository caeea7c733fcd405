#include "algorithms/mutex/majority_voting.h"

#include <gtest/gtest.h>

#include <numeric>

#include "support/conversation.h"
#include "support/lockstep.h"

namespace baton::test {
namespace {

std::vector<std::uint32_t> everyone(std::uint32_t size) {
  std::vector<std::uint32_t> nodes(size);
  std::iota(nodes.begin(), nodes.end(), 0);
  return nodes;
}

TEST(MajorityVoting, EntersWithTheDecidingVoteAndReturnsThemAll) {
  Conversation<MajorityVoting> talk({.size = 4});
  talk.request(1);
  for (const std::uint32_t voter : {0U, 2U, 3U}) talk.deliver(1, voter);
  talk.deliver(0, 1);
  EXPECT_TRUE(talk.inside().empty()) << "two of four are no majority";
  talk.deliver(3, 1);
  EXPECT_EQ(talk.take_log(),
            "1 requests\n"
            "1 -> 2 Request(1)\n"
            "1 -> 3 Request(1)\n"
            "1 -> 0 Request(1)\n"
            "0 -> 1 Ok(1)\n"
            "2 -> 1 Ok(1)\n"
            "3 -> 1 Ok(1)\n"
            "1 enters\n");
  talk.release(1);
  talk.deliver(2, 1);
  EXPECT_EQ(talk.take_log(),
            "1 leaves\n"
            "1 -> 0 Release(1)\n"
            "1 -> 3 Release(1)\n"
            "1 -> 2 Release(1)\n")
      << "the vote that came too late goes back when it comes";
  talk.deliver_all();
  for (const std::uint32_t node : everyone(4)) {
    EXPECT_EQ(talk.node(node).state().voted_for.node, nobody);
  }
}

TEST(MajorityVoting, ReturnsWhatItGotWhenRefusedAndTriesAgainAfterAPause) {
  Conversation<MajorityVoting> talk({.size = 4});
  talk.request(0);
  talk.deliver(0, 1);
  talk.take_log();
  talk.request(3);
  talk.deliver(3, 2);
  talk.deliver(2, 3);
  talk.deliver(3, 1);
  talk.deliver(1, 3);
  talk.deliver(3, 0);
  talk.deliver(0, 3, 1);
  EXPECT_EQ(talk.take_log(),
            "3 requests\n"
            "3 -> 0 Request(1)\n"
            "3 -> 1 Request(1)\n"
            "3 -> 2 Request(1)\n"
            "2 -> 3 Ok(1)\n"
            "1 -> 3 Denied(1)\n"
            "0 -> 3 Denied(1)\n"
            "3 -> 2 GiveUp(1)\n")
      << "two refusals of four leave no majority";
  EXPECT_EQ(talk.node(3).state().voted_for.node, nobody) << "its own vote is free for 0";
  talk.deliver_all();
  EXPECT_EQ(talk.inside(), std::vector<std::uint32_t>{0});
  talk.release(0);
  talk.deliver_all();
  talk.fire_timers();
  talk.deliver_all();
  EXPECT_EQ(talk.inside(), std::vector<std::uint32_t>{3});
}

TEST(MajorityVoting, ALateRefusalDoesNotCountAgainstTheNextAttempt) {
  Conversation<MajorityVoting> talk({.size = 4}, NodeId{0});
  talk.request(3);
  for (const std::uint32_t voter : {0U, 1U, 2U}) talk.deliver(3, voter);
  talk.deliver(1, 3);
  talk.deliver(2, 3);
  talk.fire_timers();
  EXPECT_EQ(talk.node(3).state().attempt, SequenceNumber{2});
  talk.deliver(0, 3);
  EXPECT_EQ(talk.node(3).state().refusals, 1U) << "only by itself, who voted for 0";
}

TEST(MajorityVoting, AsksOnlyAsManyAsItIsTold) {
  Conversation<MajorityVoting> talk(
      {.size = 7, .chosen = {{&MajorityVoting::votes, 4}, {&MajorityVoting::ask, 5}}});
  talk.request(5);
  EXPECT_EQ(talk.take_log(),
            "5 requests\n"
            "5 -> 6 Request(1)\n"
            "5 -> 0 Request(1)\n"
            "5 -> 1 Request(1)\n"
            "5 -> 2 Request(1)\n");
  talk.deliver_all();
  talk.release(5);
  talk.deliver_all();
  EXPECT_EQ(talk.messages_sent(), 3U * (5 - 1));
}

TEST(MajorityVoting, ARequestThatOvertakesTheReleaseTakesItsPlace) {
  Conversation<MajorityVoting> talk({.size = 2});
  talk.request(0);
  talk.deliver_all();
  talk.release(0);
  talk.request(0);
  talk.deliver(0, 1, 1);
  talk.deliver(1, 0);
  EXPECT_EQ(talk.inside(), std::vector<std::uint32_t>{0});
  talk.deliver(0, 1);
  EXPECT_EQ(talk.node(1).state().voted_for.node, NodeId{0}) << "the old RELEASE returns nothing";
}

TEST(MajorityVoting, AnOldRequestThatComesAgainCannotTieUpAVote) {
  Conversation<MajorityVoting> talk({.size = 2});
  talk.request(0);
  talk.duplicate(0, 1);
  talk.deliver(0, 1);
  talk.deliver(1, 0);
  talk.release(0);
  talk.deliver(0, 1, 1);
  EXPECT_EQ(talk.node(1).state().voted_for.node, nobody);
  talk.deliver(0, 1);
  EXPECT_EQ(talk.node(1).state().voted_for.node, NodeId{0}) << "for an attempt that is over";
  talk.deliver_all();
  EXPECT_EQ(talk.node(1).state().voted_for.node, nobody);
}

TEST(MajorityVoting, AnOldRequestThatComesAgainDoesNotLoosenALaterVote) {
  Conversation<MajorityVoting> talk({.size = 2});
  talk.request(0);
  talk.duplicate(0, 1);
  talk.deliver(0, 1);
  talk.deliver(1, 0);
  talk.release(0);
  talk.request(0);
  talk.deliver(0, 1, 1);
  talk.deliver(0, 1, 1);
  talk.deliver(1, 0);
  ASSERT_EQ(talk.inside(), std::vector<std::uint32_t>{0}) << "for the second time";
  talk.deliver_all();
  talk.request(1);
  EXPECT_EQ(talk.node(1).state().voted_for.node, NodeId{0}) << "1 refuses its own vote to itself";
  talk.deliver_all();
  EXPECT_EQ(talk.inside(), std::vector<std::uint32_t>{0});
}

// Canonical Problems: a coordinator that crashes forgets its vote. With 3 votes of 4 any two
// majorities share two coordinators, and it takes 2m−n = 2 that forget to let a second one in.
TEST(MajorityVoting, CoordinatorsThatForgetLetASecondOneIn) {
  for (const std::uint32_t forgetful : {1U, 2U}) {
    Conversation<MajorityVoting> before({.size = 4});
    before.request(0);
    before.deliver(0, 1);
    before.deliver(0, 2);
    before.deliver(1, 0);
    before.deliver(2, 0);
    ASSERT_EQ(before.inside(), std::vector<std::uint32_t>{0}) << "with the votes of 0, 1 and 2";

    const auto setup = baton::Setup{.size = 4};
    std::size_t votes = 1;  // 3's own
    for (const std::uint32_t voter : {1U, 2U}) {
      const bool forgets = voter <= forgetful;
      MajorityVoting coordinator =
          forgets ? MajorityVoting(NodeId{voter}, setup) : before.node(voter);
      struct First : Chooser {
        std::uint32_t choose(std::uint32_t) override { return 0; }
      } first;
      MajorityVoting::Out out(first);
      coordinator.receive({3}, MajorityVoting::Request{{1}}, out);
      if (std::holds_alternative<MajorityVoting::Ok>(out.message(out.sends().front()))) ++votes;
    }
    EXPECT_EQ(votes >= 3, forgetful == 2);
  }
}

TEST(MajorityVoting, CostsThreeMessagesPerOtherCoordinatorWhenAlone) {
  for (std::uint32_t size = 1; size <= 50; ++size) {
    for (const std::uint32_t asked : {size, size / 2 + 1}) {
      Lockstep<MajorityVoting> group({.size = size, .chosen = {{&MajorityVoting::ask, asked}}});
      const std::uint32_t requester = size - 1;
      const Case here{group.setup(), {0}, {requester}};
      group.request(requester);
      group.run();
      ASSERT_EQ(group.last_entry_at(),
                stated<MajorityVoting>(Scenario::alone, Metric::delay, here));
      group.release(requester);
      group.run();
      ASSERT_EQ(group.enter_messages(),
                stated<MajorityVoting>(Scenario::alone, Metric::enter, here));
      ASSERT_EQ(group.exit_messages(), stated<MajorityVoting>(Scenario::alone, Metric::exit, here));
      ASSERT_EQ(group.messages(), stated<MajorityVoting>(Scenario::alone, Metric::messages, here));
    }
  }
}

TEST(MajorityVoting, EveryoneGetsInInTheEndAndNoAttemptCostsMoreThanStated) {
  double longest = 0;
  double most_attempts = 0;
  for (std::uint32_t size = 1; size <= 50; ++size) {
    for (std::uint32_t seed = 0; seed < 5; ++seed) {
      const std::uint32_t asked = seed % 2 == 0 ? size : size / 2 + 1;
      Lockstep<MajorityVoting> group({.size = size, .chosen = {{&MajorityVoting::ask, asked}}},
                                     nobody, seed);
      ASSERT_EQ(group.everyone_once(everyone(size)), 1U) << "seed " << seed << ", N=" << size;
      ASSERT_EQ(group.entries(), size);
      std::uint64_t attempts = 0;
      for (std::uint32_t i = 0; i < size; ++i) attempts += group.node(i).state().attempt.value;
      ASSERT_LE(group.messages(), 3 * (asked - 1) * attempts) << "seed " << seed;
      longest = std::max(longest, group.last_entry_at() / size);
      most_attempts = std::max(most_attempts, static_cast<double>(attempts) / size);
    }
  }
  RecordProperty("message_times_per_entry", std::to_string(longest));
  RecordProperty("attempts_per_entry", std::to_string(most_attempts));
}

TEST(MajorityVoting, SurvivesDuplicatesAndDisorder) {
  for (const std::uint32_t size : {2U, 3U, 4U, 5U, 8U}) {
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
      Lockstep<MajorityVoting> group({.size = size}, nobody, seed);
      group.be_disorderly();
      std::vector<std::uint32_t> rounds(size, 3);
      for (const std::uint32_t node : everyone(size)) group.request(node);
      group.run([&](std::uint32_t node) {
        group.release(node);
        if (--rounds[node] > 0) group.request(node);
      });
      ASSERT_EQ(group.most_inside(), 1U) << "seed " << seed << ", N=" << size;
      ASSERT_EQ(group.entries(), 3 * size) << "seed " << seed << ", N=" << size;
      for (const std::uint32_t node : everyone(size)) {
        ASSERT_EQ(group.node(node).state().voted_for.node, nobody) << "seed " << seed;
      }
    }
  }
}

TEST(MajorityVoting, StartsWithAProcessInside) {
  for (const std::uint32_t asked : {5U, 3U}) {
    for (std::uint32_t inside = 0; inside < 5; ++inside) {
      for (std::uint32_t other = 0; other < 5; ++other) {
        if (other == inside) continue;
        Conversation<MajorityVoting> talk({.size = 5, .chosen = {{&MajorityVoting::ask, asked}}},
                                          NodeId{inside});
        talk.request(other);
        talk.deliver_all();
        ASSERT_EQ(talk.inside(), std::vector{inside});
        talk.release(inside);
        talk.deliver_all();
        talk.fire_timers();
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
