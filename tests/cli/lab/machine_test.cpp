#include <boost/json.hpp>

#include "cli/lab/baton.h"

namespace baton::test {
namespace {

namespace json = boost::json;

TEST(SimInSharedMemory, RightOnesKeepTheirPromises) {
  for (const std::string name : {"bakery", "dijkstra"}) {
    const Outcome outcome = baton("sim " + name + " -n 4 --seeds 50");
    EXPECT_EQ(outcome.code, 0) << outcome.out;
    EXPECT_TRUE(has(outcome.out, "4 processes, seed 50 (of 50 tried)"));
    EXPECT_TRUE(has(outcome.out, "steps per entry"));
    EXPECT_TRUE(has(outcome.out, "longest wait"));
    EXPECT_TRUE(has(outcome.out, "✓ safety kept"));
    EXPECT_TRUE(has(outcome.out, "✓ deadlock-freedom kept"));
  }
}

TEST(SimInSharedMemory, TheBakeryWithoutChoosingLetsTwoIn) {
  const Outcome outcome = baton("sim wrong-bakery-no-choosing -n 3 --seeds 1000");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(has(outcome.out, "✗ safety broken at step"));
  EXPECT_TRUE(has(outcome.out, "How it came about:"));
  EXPECT_TRUE(has(outcome.out, "safety is broken with seed "));
  const json::object all =
      json::parse(baton("sim wrong-bakery-no-choosing -n 3 --seeds 1000 --json").out).as_object();
  EXPECT_EQ(all.at("verdict").as_string(), "broken");
  EXPECT_EQ(all.at("violations").at(0).at("promise").as_string(), "safety");
  EXPECT_TRUE(has(std::string(all.at("violations").at(0).at("what").as_string()), " was inside"));
}

TEST(SimInSharedMemory, DijkstraStarvesWhereThatIsJudged) {
  const std::string command = "sim dijkstra -n 3 --entries 300 --seeds 100 --starvation-bound 20";
  EXPECT_EQ(baton(command).code, 0);
  const Outcome outcome = baton(command + " --demand starvation-freedom");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(has(outcome.out, "✗ starvation-freedom broken"));
  EXPECT_EQ(baton("sim bakery -n 3 --entries 300 --seeds 100 --starvation-bound 2").code, 0);
}

TEST(SimInSharedMemory, ShowsItsSchedule) {
  const Folder folder;
  const std::string file = (folder / "schedule").string();
  const Outcome outcome = baton("sim dijkstra -n 2 --entries 2 --trace --ascii");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(has(outcome.out, "step  0 1\n")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "-> ENTERS"));
  EXPECT_TRUE(has(outcome.out, "0 b[0] := false -> wants to enter"));
  EXPECT_EQ(baton("sim dijkstra -n 2 --entries 2 --trace --ascii -o " + file).code, 0);
  EXPECT_TRUE(outcome.out.starts_with(contents(file)));
}

TEST(SimInSharedMemory, ALongScheduleIsCutShortOnTheScreenOnly) {
  const Folder folder;
  const std::string file = (folder / "schedule").string();
  const Outcome outcome = baton("sim bakery -n 5 --trace");
  EXPECT_TRUE(has(outcome.out, "the first 1,000 of ")) << outcome.out;
  const json::object all =
      json::parse(baton("sim bakery -n 5 --json --trace -o " + file).out).as_object();
  EXPECT_EQ(lines(contents(file)), all.at("steps").to_number<std::size_t>() + 1);
}

TEST(SimInSharedMemory, EntriesAreTheSameForEveryProcess) {
  const auto entries = [](const std::string& options) {
    return json::parse(baton("sim bakery --json " + options).out).at("entries").to_number<int>();
  };
  EXPECT_EQ(entries("-n 3"), 30);
  EXPECT_EQ(entries("-n 3 --entries 9"), 9);
  EXPECT_EQ(entries("-n 3 --entries 10"), 12);
}

TEST(SimInSharedMemory, TheSameSeedGivesTheSameBytes) {
  const std::string command = "sim bakery -n 4 --trace --seed ";
  EXPECT_EQ(baton(command + "5").out, baton(command + "5").out);
  EXPECT_NE(baton(command + "5").out, baton(command + "6").out);
}

TEST(SimInSharedMemory, HasNoNetworkAndNoTree) {
  for (const std::string option :
       {"--loss 0.1", "--delay heavy", "--tree star", "--voting grid", "--workload one",
        "--crash 0@1", "--allow loss", "--reorder", "--names a,b", "--until 9", "--cs 2"}) {
    const std::string name = option.substr(0, option.find(' '));
    expect_refused("sim bakery " + option, name + " cannot be used with bakery");
  }
  expect_refused("sim bakery --trace json", "no messages to export as 'json'");
  expect_refused("sim bakery --json --trace", "add -o FILE");
  expect_refused("sim bakery -o file", "--output needs --trace");
  expect_refused("sim bakery --demand speed", "'speed' is no promise");
}

}  // namespace
}  // namespace baton::test
