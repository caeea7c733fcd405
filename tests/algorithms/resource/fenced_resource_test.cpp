#include "algorithms/resource/fenced_resource.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace baton {
namespace {

FencingToken fence(std::uint64_t epoch, std::uint64_t count = 1) {
  return {{EpochNumber{epoch}, NodeId{0}, Incarnation{1}}, count};
}

TEST(FencedResource, RefusesWhoIsOutOfDate) {
  FencedResource resource;
  EXPECT_TRUE(resource.access(fence(1)));
  EXPECT_TRUE(resource.access(fence(2)));
  EXPECT_FALSE(resource.access(fence(1)));
  EXPECT_EQ(resource.highest(), fence(2));
  // Within an epoch the count decides.
  EXPECT_TRUE(resource.access(fence(2, 2)));
  EXPECT_FALSE(resource.access(fence(2, 1)));
}

TEST(FencedResource, AcceptsAHoldersSecondAccess) {
  FencedResource resource;
  EXPECT_TRUE(resource.access(fence(3)));
  EXPECT_TRUE(resource.access(fence(3)));
}

// The Article: "reject any command with an epoch e ≤ F".
TEST(FencedResource, TheLiteralRuleOfTheArticleRefusesTheHolderItself) {
  FencedResource literal(FencedResource::Rule::refuse_smaller_and_equal);
  EXPECT_TRUE(literal.access(fence(3)));
  EXPECT_FALSE(literal.access(fence(3)));
}

TEST(ReplicatedResource, AWriteNeedsAMajority) {
  ReplicatedResource resource(5);
  EXPECT_EQ(resource.needed(), 3U);
  EXPECT_TRUE(resource.write(fence(1), {true, true, true, false, false}));
  EXPECT_FALSE(resource.write(fence(1), {true, true, false, false, false}));
}

TEST(ReplicatedResource, TheCommonServerRefusesTheZombie) {
  ReplicatedResource resource(3);
  EXPECT_TRUE(resource.write(fence(1), {true, true, false}));
  // The new leader never talks to server 0, the old one never hears of it.
  EXPECT_TRUE(resource.write(fence(2), {false, true, true}));
  EXPECT_FALSE(resource.write(fence(1), {true, true, false}));
  EXPECT_FALSE(resource.write(fence(1), {true, true, true}));
}

TEST(ReplicatedResource, AFailedNewerWriteDoesNoHarm) {
  ReplicatedResource resource(3);
  EXPECT_FALSE(resource.write(fence(2), {false, false, true}));
  EXPECT_TRUE(resource.write(fence(1), {true, true, true}));
  EXPECT_TRUE(resource.write(fence(2), {true, true, false}));
}

// Writers of all epochs in any order, any servers out of reach. Returns how often a write succeeded
// although one with a larger fence had before.
int outdated_successes(std::size_t servers, std::size_t needed, std::uint32_t seed) {
  std::mt19937 random(seed);
  ReplicatedResource resource(servers, needed);
  FencingToken highest_written{};
  int outdated = 0;
  for (int i = 0; i < 200; ++i) {
    const FencingToken attempt =
        fence(1 + random() % (2 + static_cast<unsigned>(i) / 10), random() % 3);
    std::vector<bool> reachable(servers);
    for (std::size_t s = 0; s < servers; ++s) reachable[s] = random() % 4 != 0;
    if (!resource.write(attempt, reachable)) continue;
    outdated += attempt < highest_written ? 1 : 0;
    highest_written = std::max(highest_written, attempt);
  }
  return outdated;
}

TEST(ReplicatedResource, WithMajoritiesNoOlderFenceIsAcceptedAfterANewerOne) {
  for (const std::size_t servers : {1U, 2U, 3U, 4U, 5U, 7U, 8U}) {
    for (std::uint32_t seed = 0; seed < 300; ++seed) {
      ASSERT_EQ(outdated_successes(servers, 0, seed), 0) << servers << " servers, seed " << seed;
    }
  }
}

TEST(ReplicatedResource, WithLessThanAMajorityAnOlderFenceIsAccepted) {
  // The shortest story: two of four are enough, and the two leaders each have their own two.
  ReplicatedResource resource(4, 2);
  EXPECT_TRUE(resource.write(fence(2), {false, false, true, true}));
  EXPECT_TRUE(resource.write(fence(1), {true, true, false, false}));

  for (const std::size_t servers : {3U, 4U, 5U, 8U}) {
    int outdated = 0;
    for (std::uint32_t seed = 0; seed < 300; ++seed) {
      outdated += outdated_successes(servers, servers / 2, seed);
    }
    EXPECT_GT(outdated, 0) << servers << " servers";
  }
}

}  // namespace
}  // namespace baton
