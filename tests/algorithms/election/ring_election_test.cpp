#include "algorithms/election/ring_election.h"

#include <gtest/gtest.h>

#include "support/election_conversation.h"

namespace baton::test {
namespace {

using Talk = ElectionConversation<RingElection>;

std::vector<NodeId> all_take(std::uint32_t leader, std::uint32_t size) {
  return std::vector<NodeId>(size, NodeId{leader});
}

TEST(RingElection, EveryoneSignsAndTheHighestLeads) {
  Talk talk({.size = 3});
  talk.elect(1);
  talk.deliver_all();
  EXPECT_EQ(talk.take_log(),
            "1 holds an election\n"
            "1 -> 2 Election(1 [1])\n"
            "2 -> 0 Election(1 [1 2])\n"
            "0 -> 1 Election(1 [1 2 0])\n"
            "1 -> 2 Coordinator(2 1 2)\n"
            "1 takes 2 for the leader\n"
            "2 -> 0 Coordinator(2 1 2)\n"
            "2 takes 2 for the leader\n"
            "0 -> 1 Coordinator(2 1 2)\n"
            "0 takes 2 for the leader\n");
}

TEST(RingElection, SkipsSuccessorsThatAreDown) {
  for (std::uint32_t size = 4; size <= 12; ++size) {
    Talk talk({.size = size});
    talk.crash(size - 1);
    talk.crash(size - 2);
    talk.elect(0);
    talk.deliver_all();
    for (std::uint32_t node = 0; node < size - 2; ++node) {
      EXPECT_EQ(talk.leaders()[node], NodeId{size - 3});
    }
    // Two circles, and in each of them two sends to processes that are down.
    EXPECT_EQ(talk.returned(), 4U);
    EXPECT_EQ(talk.messages_sent() - talk.returned(), 2 * (size - 2));
  }
}

TEST(RingElection, IsAloneInTheEnd) {
  Talk talk({.size = 3});
  talk.crash(1);
  talk.crash(2);
  talk.elect(0);
  talk.deliver_all();
  EXPECT_EQ(talk.leaders()[0], NodeId{0});
  EXPECT_EQ(talk.messages_sent(), talk.returned());
}

TEST(RingElection, TheListMakesMessagesGrow) {
  const auto bytes = [](std::uint32_t size) {
    Talk talk({.size = size});
    talk.elect(0);
    talk.deliver_all();
    return talk.bytes_sent();
  };
  // Each of the N messages has one byte more than the one before: all in all O(N²).
  EXPECT_EQ(bytes(40) - 2 * bytes(20), 20U * 20U);
}

TEST(RingElection, SeveralInitiatorsDoNoHarmAndPayTheFullPriceForTheirLists) {
  for (std::uint32_t size = 2; size <= 10; ++size) {
    Talk talk({.size = size});
    for (std::uint32_t node = 0; node < size; ++node) talk.elect(node);
    talk.deliver_all();
    EXPECT_EQ(talk.leaders(), all_take(size - 1, size));
    EXPECT_LE(talk.messages_sent(), 2 * size * size);
    EXPECT_GE(talk.messages_sent(), size * size + size);
  }
}

// Whichever process crashes after whichever message: who is left agrees, once told of it.
TEST(RingElection, SurvivesTheCrashOfAnyProcessAtAnyTime) {
  constexpr std::uint32_t size = 5;
  for (std::uint32_t victim = 0; victim < size; ++victim) {
    for (int moment = 0; moment <= 10; ++moment) {
      Talk talk({.size = size});
      talk.elect(1);
      for (int i = 0; i < moment; ++i) talk.deliver_next();
      talk.crash(victim);
      talk.deliver_all();
      talk.suspect(victim);
      talk.deliver_all();
      std::vector<NodeId> expected = all_take(victim == size - 1 ? size - 2 : size - 1, size);
      expected[victim] = nobody;
      EXPECT_EQ(talk.leaders(), expected) << victim << " after " << moment;
    }
  }
}

TEST(RingElection, EndsAtTheNextWhenItsInitiatorIsGone) {
  Talk talk({.size = 4});
  talk.elect(0);
  talk.deliver_next();
  talk.crash(0);
  talk.deliver_all();
  EXPECT_EQ(talk.leaders(), (std::vector<NodeId>{nobody, {3}, {3}, {3}}));
  EXPECT_EQ(talk.node(1).state().latest.announcer, NodeId{1});
}

TEST(RingElection, WhoComesBackHoldsAnElection) {
  Talk talk({.size = 4});
  talk.crash(3);
  talk.elect(0);
  talk.deliver_all();
  EXPECT_EQ(talk.leaders(), (std::vector<NodeId>{{2}, {2}, {2}, nobody}));
  talk.recover(3);
  talk.deliver_all();
  EXPECT_EQ(talk.leaders(), all_take(3, 4));
}

// The result of an election that went past a process while it was down reaches it when it is back.
TEST(RingElection, APassedOverProcessDoesNotPassTheResultOn) {
  Talk talk({.size = 3});
  talk.crash(2);
  talk.elect(0);
  talk.deliver_next();  // 1 signs
  talk.deliver_next();  // 2 is down: past it to 0
  talk.deliver_next();  // 0 announces 1
  talk.recover(2);
  talk.deliver_all();
  EXPECT_EQ(talk.leaders(), all_take(2, 3));
}

}  // namespace
}  // namespace baton::test
