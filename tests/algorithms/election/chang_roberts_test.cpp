#include "algorithms/election/chang_roberts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "support/election_conversation.h"

namespace baton::test {
namespace {

using Talk = ElectionConversation<ChangRoberts>;

TEST(ChangRoberts, ADeniedElectionIsHeldByWhoDeniedIt) {
  Talk talk({.size = 3});
  talk.elect(1);
  talk.deliver_all();
  EXPECT_EQ(talk.take_log(),
            "1 holds an election\n"
            "1 -> 2 Election(1)\n"
            "2 -> 0 Election(2)\n"
            "0 -> 1 Election(2)\n"
            "1 -> 2 Election(2)\n"
            "2 -> 0 Leader(2)\n"
            "2 takes 2 for the leader\n"
            "0 -> 1 Leader(2)\n"
            "0 takes 2 for the leader\n"
            "1 -> 2 Leader(2)\n"
            "1 takes 2 for the leader\n");
}

TEST(ChangRoberts, WhoHasPassedAHigherIdentityOnNeedNotSendItsOwn) {
  Talk talk({.size = 3});
  talk.elect(2);
  talk.deliver_next();
  talk.elect(0);
  talk.deliver_all();
  EXPECT_EQ(talk.messages_sent(), 2U * 3);
}

// Over all arrangements of the identities: the extremes are those stated, and the mean is exactly
// N·H(N) = N!·H(N)/(N-1)! in whole numbers.
TEST(ChangRoberts, LeastMostAndMeanOverAllArrangementsWhenAllStart) {
  for (std::uint32_t size = 2; size <= 7; ++size) {
    std::vector<std::uint32_t> identities(size);
    std::iota(identities.begin(), identities.end(), 0U);
    std::size_t least = 1000;
    std::size_t most = 0;
    std::size_t sum = 0;
    std::size_t arrangements = 0;
    do {
      Talk talk({.size = size, .identities = identities});
      for (std::uint32_t node = 0; node < size; ++node) talk.elect(node);
      talk.deliver_all();
      const std::size_t elections = talk.messages_sent() - size;  // N of them announce
      least = std::min(least, elections);
      most = std::max(most, elections);
      sum += elections;
      ++arrangements;
    } while (std::next_permutation(identities.begin(), identities.end()));
    EXPECT_EQ(least, 2 * size - 1);
    EXPECT_EQ(most, size * (size + 1) / 2);
    std::size_t harmonic_times_arrangements = 0;
    for (std::uint32_t i = 1; i <= size; ++i) harmonic_times_arrangements += arrangements / i;
    EXPECT_EQ(sum, size * harmonic_times_arrangements) << size;
  }
}

TEST(ChangRoberts, AtMostThreeCirclesLessOneWhenOneStarts) {
  for (std::uint32_t size = 2; size <= 6; ++size) {
    std::vector<std::uint32_t> identities(size);
    std::iota(identities.begin(), identities.end(), 0U);
    std::size_t most = 0;
    do {
      for (std::uint32_t first = 0; first < size; ++first) {
        Talk talk({.size = size, .identities = identities});
        talk.elect(first);
        talk.deliver_all();
        most = std::max(most, talk.messages_sent());
      }
    } while (std::next_permutation(identities.begin(), identities.end()));
    EXPECT_EQ(most, 3 * size - 1);
  }
}

}  // namespace
}  // namespace baton::test
