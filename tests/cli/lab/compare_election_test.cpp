#include <boost/json.hpp>
#include <set>

#include "cli/lab/baton.h"

namespace baton::test {
namespace {

namespace json = boost::json;

TEST(CompareElections, AgreeWithTheoryForSmallGroups) {
  const Outcome outcome = baton("compare --kind election -n 2..6");
  EXPECT_EQ(outcome.code, 0) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "Every measured value agrees with theory."));
  EXPECT_TRUE(has(outcome.out, "N = 2") && has(outcome.out, "N = 6"));
  EXPECT_FALSE(has(outcome.out, "✗"));
  // Of the other kind, and wrong.
  EXPECT_FALSE(has(outcome.out, "ricart-agrawala"));
  EXPECT_FALSE(has(outcome.out, "wrong-"));
}

TEST(CompareElections, TheNameOfAnElectionIsEnough) {
  const Outcome named = baton("compare bully chang-roberts -n 7 --json");
  EXPECT_EQ(named.code, 0) << named.err;
  EXPECT_EQ(named.out, baton("compare --kind election bully chang-roberts -n 7 --json").out);
}

TEST(CompareElections, CountMessagesByType) {
  const json::value all = json::parse(baton("compare bully -n 8 --json").out);
  ASSERT_EQ(all.as_array().size(), 1U);
  const json::object& bully = all.as_array()[0].as_object();
  EXPECT_EQ(bully.at("kind").as_string(), "election");
  EXPECT_EQ(bully.at("n").to_number<int>(), 8);
  EXPECT_TRUE(bully.at("agrees").as_bool());
  std::set<std::string> types;
  for (const json::value& one : bully.at("measurements").as_array()) {
    const std::string type(one.at("messages").as_string());
    types.insert(type);
    EXPECT_EQ(one.at("measured"), one.at("expected"));
    // Canonical Problems: the lowest of eight starts, the highest is down.
    if (one.at("situation").as_string() == "lowest starts, highest is down" && type == "all") {
      EXPECT_EQ(one.at("measured").to_number<int>(), 7 * 7 + 6);
    }
  }
  EXPECT_EQ(types, (std::set<std::string>{"all", "Coordinator", "Election", "Ok"}));
}

TEST(CompareElections, AMeanHasAnInterval) {
  const json::value all = json::parse(baton("compare chang-roberts -n 6 --json").out);
  bool found = false;
  for (const json::value& one : all.as_array()[0].at("measurements").as_array()) {
    if (one.at("formula").as_string() != "N·H(N)") continue;
    found = true;
    EXPECT_NEAR(one.at("expected").to_number<double>(), 14.7, 1e-9);  // 6·(1 + 1/2 + … + 1/6)
    EXPECT_GT(one.at("half_width").to_number<double>(), 0);
  }
  EXPECT_TRUE(found);
}

TEST(CompareElections, InSevenBits) {
  const Outcome outcome = baton("compare --kind election -n 3 --ascii");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(is_seven_bit(outcome.out)) << outcome.out;
}

TEST(CompareElections, RefuseWhatMakesNoSense) {
  expect_refused("compare --kind elections", "did you mean 'election'?");
  expect_refused("compare bully lamport", "'lamport' is of the kind mutual exclusion");
  expect_refused("compare --kind election lamport", "'lamport' is of the kind mutual exclusion");
  expect_refused("compare lamport --kind election", "'lamport' is of the kind mutual exclusion");
  expect_refused("compare bully -n 3 --ids 1,2,3", "--ids");
  expect_refused("compare randomized --bits 0", "--bits");
  expect_refused("compare randomized --bits 32", "--bits");
}

TEST(CompareElections, WithoutAKindOnlyMutualExclusionIsCompared) {
  const Outcome outcome = baton("compare -n 3");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_FALSE(has(outcome.out, "bully"));
  EXPECT_TRUE(has(outcome.out, "lamport"));
}

}  // namespace
}  // namespace baton::test
