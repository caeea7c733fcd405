#include <boost/json.hpp>

#include "cli/lab/baton.h"

namespace baton::test {
namespace {

namespace json = boost::json;

TEST(SimResources, TheNaiveWayDeadlocksAndTheCycleIsNamed) {
  const Outcome outcome = baton("sim ricart-agrawala -n 2 --resources 2 --strategy naive");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(has(outcome.out,
                  "✗ deadlock-freedom broken at 2: deadlock: 0 holds A and waits for B, held by 1, "
                  "which waits for A"))
      << outcome.out;
  EXPECT_TRUE(has(outcome.out, "How it came about:"));
  EXPECT_TRUE(has(outcome.out, "0 holds A\n"));
  EXPECT_TRUE(has(outcome.out, "0 sends Request(B <2,0>) to 1"));
}

TEST(SimResources, ThePhilosophersDeadlockAroundTheTable) {
  const Outcome outcome = baton("sim lamport -n 5 --resources 5 --strategy naive");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(has(outcome.out, "held by 4, which waits for A")) << outcome.out;
}

TEST(SimResources, TheOtherWaysDoNot) {
  for (const std::string strategy : {"ascending", "atomic", "detect"}) {
    for (const std::string algorithm : {"ricart-agrawala", "token-ring", "maekawa-sanders"}) {
      const Outcome outcome =
          baton("sim " + algorithm + " -n 5 --resources 5 --workload saturated --entries 100 " +
                "--strategy " + strategy);
      EXPECT_EQ(outcome.code, 0) << algorithm << ' ' << strategy << outcome.out;
      EXPECT_TRUE(has(outcome.out, "✓ deadlock-freedom kept"));
    }
  }
  EXPECT_EQ(baton("sim central -n 5 --resources 5 --strategy coordinator").code, 0);
}

// Two with resources of their own are inside together, and that is no alarm.
TEST(SimResources, DrawsThoseWhoGoOnTogether) {
  const std::string command = "sim central -n 3 --resources 4 --want 1:A,B --want 2:C,D --want 0:A";
  const Outcome outcome = baton(command + " --trace");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(has(outcome.out, "2 enters with C, D, having waited")) << outcome.out;
  EXPECT_FALSE(has(outcome.out, "beside")) << outcome.out;
  const Folder folder;
  const auto file = folder / "run.svg";
  EXPECT_EQ(baton(command + " --svg " + file.string()).code, 0);
  EXPECT_FALSE(has(contents(file), "more than one inside"));
  EXPECT_TRUE(has(baton(command + " --json").out, "\"most_inside\":2"));
}

TEST(SimResources, WantsAreAsTyped) {
  // Both in the same order: nothing can go wrong.
  const std::string command = "sim central -n 2 --resources 3 --want 0:A,C --want 1:";
  EXPECT_EQ(baton(command + "A,C").code, 0);
  const Outcome outcome = baton(command + "C,B,A");
  EXPECT_EQ(outcome.code, 0) << "process 0 is the coordinator, and faster";
  EXPECT_TRUE(has(baton(command + "C,B,A --trace").out, "1 wants C, B, A"));
}

TEST(SimResources, ReportsForPrograms) {
  const Outcome outcome = baton("sim ricart-agrawala -n 3 --resources 3 --strategy detect --json");
  EXPECT_EQ(outcome.code, 0);
  const json::object all = json::parse(outcome.out).as_object();
  EXPECT_EQ(all.at("strategy").as_string(), "detect");
  EXPECT_EQ(all.at("resources").to_number<int>(), 3);
  EXPECT_GT(all.at("refusals").to_number<int>(), 0);
  EXPECT_EQ(all.at("entries").to_number<int>(), 3);
}

TEST(SimResources, WrongUsageIsRefused) {
  expect_refused("sim central --strategy naive", "--strategy needs --resources");
  expect_refused("sim bully --resources 2", "needs a plain mutual-exclusion algorithm");
  expect_refused("sim central --resources 2 --strategy ascendin", "did you mean 'ascending'?");
  expect_refused("sim lamport --resources 2 --strategy coordinator",
                 "needs central; lamport has no coordinator");
  expect_refused("sim lamport --resources 2 --strategy coordinator", "needs central");
  expect_refused("sim central --resources 2 --each 3", "--each is more than the 2 resources");
  expect_refused("sim central --resources 2 --want 0:A,C", "there is no resource 'C'");
  expect_refused("sim central --resources 2 --want 0:A,A", "names A twice");
  expect_refused("sim central --resources 2 --want 9:A", "there is no process 9");
  expect_refused("sim central --resources 2 --want A", "is not of the form PROCESS:A,B");
  expect_refused("sim central --resources 2 --crash 1@3 --allow crash",
                 "cannot be used with crashes");
  expect_refused("sim bakery -n 2 --resources 2", "--resources cannot be used with bakery");
}

TEST(SimSendCost, SerialisesSends) {
  const Outcome outcome = baton(
      "sim ricart-agrawala -n 5 --workload one --first 1 --send-cost 0.1 --delay constant:1 "
      "--json");
  EXPECT_EQ(json::parse(outcome.out).at("waiting").at("mean").to_number<double>(), 2.5);
  expect_refused("sim central --send-cost -1", "the cost of a send");
}

TEST(CompareFormulas, EveryValueAgrees) {
  const Outcome outcome = baton("compare --kind formulas");
  EXPECT_EQ(outcome.code, 0) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "p(3-2p)/(1-p)²")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "Every measured value agrees with theory."));
  const Outcome ascii = baton("compare --kind formulas --ascii");
  EXPECT_TRUE(is_seven_bit(ascii.out)) << ascii.out;
  EXPECT_FALSE(has(ascii.out, "?")) << ascii.out;
}

TEST(CompareFormulas, ReportsForPrograms) {
  const json::array all = json::parse(baton("compare --kind formulas --json").out).as_array();
  EXPECT_GT(all.size(), 30U);
  for (const json::value& check : all) EXPECT_TRUE(check.at("agrees").as_bool()) << check;
}

TEST(CompareFormulas, WrongUsageIsRefused) {
  expect_refused("compare --kind formula", "did you mean 'formulas'?");
  expect_refused("compare --kind formulas central", "takes neither algorithms nor -n");
}

}  // namespace
}  // namespace baton::test
