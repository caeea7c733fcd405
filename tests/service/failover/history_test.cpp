// The oracles themselves: they find what they are there for.
#include "service/failover/history.h"

#include <gtest/gtest.h>

namespace baton::test {
namespace {

TEST(Oracles, AcceptOneAfterTheOther) {
  EXPECT_TRUE(judge(std::vector<Belief>{
                        {"a", 1, 10, 100, 200}, {"a", 2, 11, 201, 300}, {"b", 3, 5, 150, 160}})
                  .empty());
}

TEST(Oracles, FindTwoAtOnce) {
  EXPECT_EQ(judge(std::vector<Belief>{{"a", 1, 10, 100, 200}, {"a", 2, 11, 200, 300}}).size(), 1u);
  EXPECT_EQ(judge(std::vector<Belief>{
                      {"a", 1, 10, 100, 900}, {"a", 2, 11, 1000, 1100}, {"a", 3, 12, 800, 810}})
                .size(),
            1u);
}

TEST(Oracles, FindFencesThatFall) {
  EXPECT_EQ(judge(std::vector<Belief>{{"a", 1, 11, 100, 200}, {"a", 2, 10, 300, 400}}).size(), 1u);
}

TEST(Oracles, FindOneFenceTwice) {
  EXPECT_EQ(judge(std::vector<Belief>{{"a", 1, 10, 100, 200}, {"a", 2, 10, 300, 400}}).size(), 1u);
}

TEST(Oracles, FindWhatWasLostOrDoneTwice) {
  EXPECT_FALSE(judge(Count{.acknowledged = 5, .unknown = 1, .found = 5}));
  EXPECT_FALSE(judge(Count{.acknowledged = 5, .unknown = 1, .found = 6}));
  EXPECT_TRUE(judge(Count{.acknowledged = 5, .unknown = 1, .found = 4}));
  EXPECT_TRUE(judge(Count{.acknowledged = 5, .unknown = 1, .found = 7}));
}

TEST(Oracles, FindTermsThatDoNotRise) {
  EXPECT_FALSE(judge_terms({1, 2, 5}));
  EXPECT_TRUE(judge_terms({1, 2, 2}));
  EXPECT_TRUE(judge_terms({3, 2}));
}

TEST(Oracles, ResourceRefusesWhoComesTooLate) {
  FencedResource resource;
  EXPECT_TRUE(resource.write("a", 10));
  EXPECT_TRUE(resource.write("a", 10));
  EXPECT_TRUE(resource.write("a", 12));
  EXPECT_FALSE(resource.write("a", 11));
  EXPECT_TRUE(resource.write("b", 1));
}

}  // namespace
}  // namespace baton::test
