#include <boost/json.hpp>
#include <cstdint>

#include "cli/lab/baton.h"

namespace baton::test {
namespace {

namespace json = boost::json;

std::uint64_t fnv1a(const std::string& bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
  return hash;
}

TEST(Sim, TellsWhatWasMeasured) {
  const Outcome outcome = baton("sim ricart-agrawala -n 5");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(has(outcome.out, "Ricart–Agrawala, 5 processes, seed 1"));
  EXPECT_TRUE(has(outcome.out, "20 Request, 20 Reply"));
  EXPECT_TRUE(has(outcome.out, "✓ order kept"));
}

TEST(Sim, IsAnObjectForPrograms) {
  const Outcome outcome = baton("sim ricart-agrawala -n 5 --json");
  EXPECT_EQ(outcome.code, 0);
  const json::object all = json::parse(outcome.out).as_object();
  EXPECT_EQ(all.at("entries").to_number<int>(), 5);
  EXPECT_EQ(all.at("messages_per_entry").to_number<double>(), 8);
  EXPECT_EQ(all.at("verdict").as_string(), "kept");
}

TEST(Sim, DrawsADiagram) {
  const Outcome outcome = baton("sim ricart-agrawala -n 3 --trace");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(has(outcome.out, "all get Request<1,0> from 0"));
  EXPECT_TRUE(has(outcome.out, "2 enters, having waited 6.0"));
  EXPECT_EQ(baton("sim ricart-agrawala -n 3 --trace diagram").out, outcome.out);
}

TEST(Sim, CallsProcessesByTheirNames) {
  const Outcome outcome = baton("sim ricart-agrawala -n 3 --names 32,12,80 --trace");
  EXPECT_TRUE(has(outcome.out, "80 enters")) << outcome.out;
}

TEST(Sim, ExportsTracesToFilesAndToStandardOutput) {
  const Folder folder;
  for (const std::string kind : {"json", "shiviz", "chrome", "diagram"}) {
    const std::string file = (folder / kind).string();
    const Outcome to_file = baton("sim lamport -n 3 --trace " + kind + " -o " + file);
    EXPECT_EQ(to_file.code, 0);
    EXPECT_TRUE(has(to_file.out, "✓ safety kept")) << kind;
    const Outcome to_pipe = baton("sim lamport -n 3 --trace " + kind);
    const std::string written = contents(file);
    EXPECT_GT(written.size(), 500U);
    // The diagram is for people, who want the report too.
    EXPECT_TRUE(kind == "diagram" ? to_pipe.out.starts_with(written) : to_pipe.out == written)
        << kind;
  }
  EXPECT_EQ(json::parse(contents(folder / "chrome")).is_null(), false);
  const Outcome both =
      baton("sim lamport -n 3 --json --trace json -o " + (folder / "json").string());
  EXPECT_EQ(json::parse(both.out).at("verdict").as_string(), "kept");
}

TEST(Sim, TheSameSeedGivesTheSameBytes) {
  const std::string command =
      "sim maekawa-sanders -n 7 --delay heavy --workload closed --entries 50 --trace json --seed ";
  const std::string once = baton(command + "3").out;
  EXPECT_GT(lines(once), 500U);
  EXPECT_EQ(once, baton(command + "3").out);
  EXPECT_NE(once, baton(command + "4").out);
}

// Debug, sanitizer and release builds, gcc and clang all run this test: one constant for all. It
// changes when the order of events or the trace format does, and then only on purpose.
TEST(Sim, ATraceIsTheSameWithAnyOptimisation) {
  const std::string trace =
      baton(
          "sim maekawa-sanders -n 6 --delay exponential --workload saturated --entries 60 "
          "--seed 7 --trace json")
          .out;
  EXPECT_EQ(fnv1a(trace), 0xa81c1087fc61a811U) << std::hex << "0x" << fnv1a(trace);
}

TEST(Sim, AWrongVariantFailsWithItsSeedAndADiagram) {
  const Outcome outcome = baton(
      "sim wrong-ricart-agrawala-counts-replies -n 4 --delay exponential --duplicate 0.2 "
      "--workload saturated --entries 200 --seeds 300");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(has(outcome.out, "✗ safety broken at")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "How it came about, in the shortest run found"));
  EXPECT_TRUE(has(outcome.out, "█"));
  EXPECT_TRUE(has(outcome.out, "safety is broken with seed "));
}

// The diagram once read the row before the first one of a run too long to be shown whole.
TEST(Sim, OfALongRunThatFailsTheEndIsDrawn) {
  const Outcome outcome = baton("sim wrong-permission-ring-retry -n 3");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(has(outcome.out, "earlier rows are not shown")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "deadlock-freedom is broken with seed 1")) << outcome.out;
}

TEST(Sim, TheSeedThatIsPrintedShowsTheSameViolation) {
  const std::string deadlock =
      "sim maekawa -n 3 --delay exponential --demand deadlock-freedom --ascii";
  const Outcome found = baton(deadlock + " --seeds 1000");
  EXPECT_EQ(found.code, 1);
  EXPECT_TRUE(has(found.out, "BROKEN  deadlock-freedom broken at")) << found.out;
  const std::string mark = "deadlock-freedom is broken with seed ";
  const auto at = found.out.find(mark);
  ASSERT_NE(at, found.out.npos);
  const std::string seed = std::to_string(std::stoull(found.out.substr(at + mark.size())));
  const Outcome again = baton(deadlock + " --seed " + seed);
  EXPECT_EQ(again.code, 1);
  EXPECT_TRUE(has(again.out, "How it came about:")) << again.out;
}

// What was found by searching is explained by a shorter run, with the command that shows it.
TEST(Sim, AShorterRunThatFailsAlikeIsACommand) {
  for (const std::string line :
       {"sim maekawa -n 7 --delay exponential --demand deadlock-freedom --seeds 100",
        "sim wrong-ricart-agrawala-counts-replies -n 5 --delay exponential --duplicate 0.2 "
        "--workload saturated --entries 200 --seeds 300",
        "sim suzuki-kasami -n 5 --resilient --workload saturated --entries 20 --cs 7.03976 "
        "--suspect 1:0@31.838687 --crash 3@60 --omit waiting-for-leases --seeds 200"}) {
    const Outcome found = baton(line);
    ASSERT_EQ(found.code, 1) << line << found.out;
    const std::string algorithm = line.substr(4, line.find(' ', 4) - 4);
    const auto at = found.out.find("\nbaton sim " + algorithm + " ");
    ASSERT_NE(at, found.out.npos) << found.out;
    const std::string command = found.out.substr(at + 7, found.out.find('\n', at + 1) - at - 7);
    const Outcome shorter = baton(command);
    EXPECT_EQ(shorter.code, 1) << command << shorter.out;
    // A fault less, or fewer processes or entries.
    EXPECT_FALSE(has(command, "--crash 3@60")) << command;
    EXPECT_FALSE(has(command, "--entries 200")) << command;
  }
}

TEST(Sim, ADiagramEndsWithThePromiseThatWasBroken) {
  const Outcome outcome = baton(
      "sim wrong-suzuki-kasami-last-first -n 3 --workload saturated --entries 20 "
      "--starvation-bound 6 --trace");
  EXPECT_EQ(outcome.code, 1);
  // Its order, which it does not promise, was violated before.
  EXPECT_TRUE(has(outcome.out, "• order not promised, and not kept")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "\nstarvation: process 0 has waited")) << outcome.out;
  EXPECT_FALSE(has(outcome.out, "\nprocess 1 entered before")) << outcome.out;
}

TEST(Sim, WhatIsNotPromisedIsOnlyNoted) {
  const Outcome outcome = baton("sim maekawa -n 3");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(has(outcome.out, "• deadlock-freedom not promised, and not kept")) << outcome.out;
}

}  // namespace
}  // namespace baton::test
