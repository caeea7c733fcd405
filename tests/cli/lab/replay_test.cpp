// `baton sim --replay`: schedules from files, as the checker writes them and as they may be
// damaged.
#include "cli/lab/baton.h"
#include "core/schedule.h"
#include "lab/view/schedule_file.h"

namespace baton::test {
namespace {

using Do = ScheduledStep::Kind;

ScheduledStep deliver(std::uint32_t from, std::uint32_t to, std::string text) {
  return {.kind = Do::deliver, .node = {to}, .peer = {from}, .message = std::move(text)};
}
ScheduledStep request(std::uint32_t node) { return {.kind = Do::request, .node = {node}}; }
ScheduledStep release(std::uint32_t node) { return {.kind = Do::release, .node = {node}}; }

Schedule deadlock() {
  return {.algorithm = "wrong-ricart-agrawala-no-tie-break",
          .arguments = {"--processes", "2"},
          .verdict = "0 and 1 wait for each other",
          .steps = {request(0), request(1), deliver(0, 1, "Request(<1,0>)"),
                    deliver(1, 0, "Request(<1,1>)")},
          .loop = {}};
}

Schedule harmless() {
  Schedule schedule = deadlock();
  schedule.algorithm = "ricart-agrawala";
  schedule.verdict = "";
  return schedule;
}

Schedule two_inside() {
  return {.algorithm = "wrong-ricart-agrawala-compares-clock",
          .arguments = {"-n", "3"},
          .verdict = "safety: 1 and 2 are inside",
          .steps = {request(2), deliver(2, 0, "Request(<1,2>)"), request(1), request(0),
                    deliver(0, 2, "Reply(<1,2> 1)"), deliver(0, 2, "Request(<2,0>)"),
                    deliver(0, 1, "Request(<2,0>)"), deliver(2, 1, "Request(<1,2>)"),
                    deliver(1, 0, "Request(<1,1>)"), deliver(0, 1, "Reply(<1,1> 2)"),
                    deliver(1, 2, "Request(<1,1>)"), deliver(1, 2, "Reply(<1,2> 2)"),
                    deliver(2, 1, "Reply(<1,1> 2)")},
          .loop = {}};
}

// A token that is passed to and fro between 0 and 1.
Schedule starvation() {
  Schedule schedule{.algorithm = "token-ring-bidirectional",
                    .arguments = {"--processes=3"},
                    .verdict = "2 starves",
                    .steps = {request(2), deliver(0, 1, "Token()"), deliver(1, 0, "Token()")},
                    .loop = 1};
  schedule.steps[0].choices = {0};
  schedule.steps[1].choices = {1};
  schedule.steps[2].choices = {0};
  return schedule;
}

// A file of one test, and the command that follows it.
class Replay : public testing::Test {
 protected:
  std::string file() const { return (folder_ / "schedule").string(); }
  std::string replay_of(const std::string& text, const std::string& options = "") {
    std::ofstream(file(), std::ios::binary) << text;
    return "sim --replay " + file() + " " + options;
  }
  std::string replay_of(const Schedule& schedule, const std::string& options = "") {
    return replay_of(view::write_schedule(schedule), options);
  }
  void expect_bad_line(const Schedule& schedule, const std::string& because) {
    expect_refused(replay_of(schedule), file() + ": line " + because);
  }

  Folder folder_;
};

TEST_F(Replay, ADeadlockIsDrawn) {
  const Outcome outcome = baton(replay_of(deadlock(), "--ascii"));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(has(outcome.out, "wrong-ricart-agrawala-no-tie-break, 2 processes")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "1 gets Request<1,0> from 0")) << outcome.out;
  EXPECT_TRUE(has(outcome.out,
                  "\nThe schedule claims: 0 and 1 wait for each other\n"
                  "The replay shows:    nothing is under way, and 0 and 1 wait\n"))
      << outcome.out;
  EXPECT_FALSE(has(outcome.out, "repeat")) << outcome.out;
  EXPECT_TRUE(is_seven_bit(outcome.out)) << outcome.out;
}

TEST_F(Replay, WhatTheFileClaimsIsNotBelieved) {
  Schedule schedule = harmless();
  EXPECT_EQ(baton(replay_of(schedule)).code, 0);
  schedule.verdict = "two inside";
  const Outcome outcome = baton(replay_of(schedule));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(has(outcome.out,
                  "The schedule claims: two inside\n"
                  "The replay shows:    nothing wrong\n"))
      << outcome.out;
  schedule = two_inside();
  schedule.verdict = "";
  const Outcome other = baton(replay_of(schedule));
  EXPECT_EQ(other.code, 1);
  EXPECT_TRUE(has(other.out,
                  "The schedule claims: nothing\n"
                  "The replay shows:    two inside: 1 and 2\n"))
      << other.out;
}

TEST_F(Replay, ALoopIsToldInWords) {
  const Outcome outcome = baton(replay_of(starvation()));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(has(outcome.out, "1 sees the loop begin")) << outcome.out;
  EXPECT_TRUE(has(outcome.out,
                  "The replay shows:    2 waits while steps 2 to 3 repeat\n"
                  "Steps 2 to 3 can repeat for ever: they lead back to the same "
                  "state.\n"))
      << outcome.out;
  Schedule schedule = deadlock();
  schedule.loop = 2;
  const Outcome other = baton(replay_of(schedule));
  EXPECT_EQ(other.code, 0);
  EXPECT_TRUE(has(other.out, "Steps 3 to 4 are said to repeat for ever, but cannot, or"))
      << other.out;
}

TEST_F(Replay, WhoQuitsSaysFarewellAndStops) {
  const Outcome outcome =
      baton(replay_of({.algorithm = "central",
                       .arguments = {"--processes=3", "--resilient"},
                       .steps = {{.kind = ScheduledStep::Kind::quit, .node = {2}}, request(2)}},
                      "--trace"));
  EXPECT_TRUE(has(outcome.err, "process 2 is down")) << outcome.err;
  const Outcome told =
      baton(replay_of({.algorithm = "central",
                       .arguments = {"--processes=3", "--resilient"},
                       .steps = {{.kind = ScheduledStep::Kind::quit, .node = {2}}}},
                      "--trace"));
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_TRUE(has(told.out, "2 sends Farewell")) << told.out;
  EXPECT_TRUE(has(told.out, "2 crashes")) << told.out;
}

TEST_F(Replay, EveryOutputOfATrace) {
  const Outcome lines = baton(replay_of(deadlock(), "--trace json"));
  EXPECT_EQ(lines.code, 1);
  EXPECT_EQ(lines.out.rfind("{\"baton\":\"trace\",\"version\":1,", 0), 0U) << lines.out;
  EXPECT_FALSE(has(lines.out, "The replay shows")) << lines.out;
  EXPECT_TRUE(has(baton(replay_of(deadlock(), "--trace shiviz")).out, "send Request(<1,0>) to p1"));
  EXPECT_TRUE(has(baton(replay_of(deadlock(), "--trace chrome")).out, "\"traceEvents\""));

  const std::string picture = (folder_ / "picture").string();
  const std::string trace = (folder_ / "trace").string();
  const Outcome both =
      baton(replay_of(deadlock(), "--svg " + picture + " --trace chrome -o " + trace));
  EXPECT_EQ(both.code, 1);
  EXPECT_TRUE(has(contents(picture), "<svg"));
  EXPECT_TRUE(has(contents(trace), "\"traceEvents\""));
  EXPECT_TRUE(has(both.out, "The replay shows")) << both.out;

  const Outcome drawn = baton(replay_of(deadlock(), "--trace --names ann,bob"));
  EXPECT_TRUE(has(drawn.out, "bob gets Request<1,0> from ann")) << drawn.out;
  EXPECT_EQ(drawn.out.find("bob asks"), drawn.out.rfind("bob asks")) << "drawn twice";
}

TEST_F(Replay, ForPrograms) {
  EXPECT_EQ(baton(replay_of(starvation(), "--json")).out,
            "{\"algorithm\":\"token-ring-bidirectional\",\"n\":3,\"steps\":3,\"loop\":2,"
            "\"loop_repeats\":true,\"loop_closes\":true,\"claimed\":\"2 starves\","
            "\"found\":\"2 waits while steps 2 to 3 repeat\",\"verdict\":\"broken\"}\n");
  EXPECT_TRUE(has(baton(replay_of(harmless(), "--json")).out, "\"verdict\":\"kept\""));
}

TEST_F(Replay, TheHeaderDescribesTheGroup) {
  Schedule schedule = harmless();
  schedule.arguments = {"--processes", "2", "--reliable"};
  const Outcome outcome = baton(replay_of(schedule));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "reliable ricart-agrawala, 2 processes")) << outcome.out;

  schedule = {.algorithm = "central",
              .arguments = {"-n", "3", "--coordinator", "2"},
              .verdict = "",
              .steps = {request(0), deliver(0, 2, "Enter()")},
              .loop = {}};
  EXPECT_EQ(baton(replay_of(schedule)).code, 0);
  schedule.arguments = {"-n", "3"};
  expect_bad_line(schedule, "3: step 2: no message Enter() is under way from 0 to 2");
}

TEST_F(Replay, TheAlgorithmMayBeSaidToo) {
  EXPECT_EQ(baton(replay_of(harmless(), "ricart-agrawala")).code, 0);
  expect_refused(replay_of(harmless(), "lamport"),
                 "the file is a run of ricart-agrawala, not of lamport");
}

TEST_F(Replay, OtherOptionsDoNotGoWithIt) {
  expect_refused(replay_of(deadlock(), "-n 2"), "--processes cannot be used with --replay");
  expect_refused(replay_of(deadlock(), "--loss 0.1"), "--loss cannot be used with --replay");
  expect_refused(replay_of(deadlock(), "--json --trace"), "would both write to standard output");
  expect_refused(replay_of(deadlock(), "--names a,b,c"), "--names gives 3 names for 2 processes");
  expect_refused(replay_of(deadlock(), "--trace pdf"), "--trace takes diagram, json");
  expect_refused(replay_of(deadlock(), "-o " + file()), "--output needs --trace");
}

TEST_F(Replay, FilesThatCannotBeRead) {
  expect_refused("sim --replay " + (folder_ / "none").string(), "No such file or directory");
  expect_refused("sim --replay " + (folder_ / "").string(), "Is a directory");
  expect_refused("sim --replay ''", "cannot read ''");
  expect_refused("sim --replay", "--replay");
}

TEST_F(Replay, DamagedFiles) {
  const std::string whole = view::write_schedule(deadlock());
  const auto expect_bad = [&](const std::string& text, const std::string& because) {
    expect_refused(replay_of(text), file() + ": line " + because);
  };
  expect_bad("", "1: the file is empty");
  expect_bad(std::string("\0\x1b[2J\xff\n", 7), "1: not JSON");
  expect_bad(whole.substr(0, whole.size() - 9), "5: the file is truncated");
  expect_bad(whole.substr(0, whole.rfind("{\"step\"")), "5: the file is truncated");
  std::string edited = whole;
  edited.replace(edited.find("<1,0>"), 5, "<1,1>");
  expect_bad(edited, "1: the checksum is not that of the steps");
  std::string newer = whole;
  newer.replace(newer.find("\"version\":1"), 11, "\"version\":2");
  expect_bad(newer, "1: version 2; this program reads version 1");
  const std::string trace = (folder_ / "trace").string();
  EXPECT_EQ(baton("sim lamport -n 2 --trace json -o " + trace).code, 0);
  expect_refused("sim --replay " + trace, "line 1: this is a trace, not a schedule");
}

TEST_F(Replay, HeadersThatDescribeNoGroup) {
  const auto expect_bad = [&](std::vector<std::string> arguments, const std::string& because) {
    Schedule schedule = harmless();
    schedule.arguments = std::move(arguments);
    expect_bad_line(schedule, "1: " + because);
  };
  expect_bad({"--colour", "red"}, "unknown argument '--colour'");
  expect_bad({"--help"}, "unknown argument '--help'");
  expect_bad({"-n", "1"}, "a group has at least 2 processes");
  expect_bad({"-n"}, "");
  expect_bad({"--tree", "oak"}, "--tree takes star, line, binary or a number");
  expect_bad({"-n", "1000000"}, "a replay has at most 1,000 processes");
  // A file does not decide what is written, and where.
  expect_bad({"--trace", "json"}, "'--trace' is no argument of a schedule");
  expect_bad({"--svg", file()}, "'--svg' is no argument of a schedule");
  expect_bad({"--replay", file()}, "'--replay' is no argument of a schedule");
  expect_bad({"--loss", "0.5"}, "'--loss' is no argument of a schedule");
  expect_bad({"lamport"}, "'ALGORITHM' is no argument of a schedule");

  Schedule schedule = harmless();
  schedule.algorithm = "ricart-agrawalla";
  expect_bad_line(schedule, "1: there is no algorithm 'ricart-agrawalla'; did you mean");
  schedule.algorithm = "bakery";
  expect_bad_line(schedule, "1: 'bakery' works in shared memory");
  schedule = deadlock();
  schedule.arguments.emplace_back("--resilient");
  expect_bad_line(schedule, "1: 'wrong-ricart-agrawala-no-tie-break' does not run on layers");
}

TEST_F(Replay, AStepThatCannotBeIsNamedWithItsLine) {
  Schedule schedule = harmless();
  schedule.steps.push_back(release(0));
  expect_bad_line(schedule, "6: step 5: process 0 is not inside");
  schedule = harmless();
  schedule.steps[3].message = "Reply(<1,1> 2)";
  expect_bad_line(schedule,
                  "5: step 4: no message Reply(<1,1> 2) is under way from 1 to 0; under way are: "
                  "Request(<1,1>), Reply(<1,0> 1)");
  schedule = starvation();
  schedule.steps[1].choices = {2};
  expect_bad_line(schedule, "3: step 2: choice 2 is not below 2");
}

// What a file says reaches the terminal only as text.
TEST_F(Replay, NothingMovesTheCursor) {
  Schedule schedule = deadlock();
  schedule.verdict = "\x1b[2J";
  EXPECT_FALSE(has(baton(replay_of(schedule)).out, "\x1b[2J"));
  schedule.steps[2].message = "\x1b[2J";
  EXPECT_FALSE(has(baton(replay_of(schedule)).err, "\x1b"));
  schedule.algorithm = "\x1b[2J";
  EXPECT_FALSE(has(baton(replay_of(schedule)).err, "\x1b"));
  EXPECT_FALSE(has(baton(replay_of(schedule, "lamport")).err, "\x1b"));
}

TEST_F(Replay, TheDocumentShowsARealOne) {
  const std::string document = contents(SOURCE_FOLDER "/docs/formats/schedule.md");
  const std::string begin = "```json\n";
  const auto first = document.find(begin) + begin.size();
  const std::string example = document.substr(first, document.find("```", first) - first);
  const Outcome outcome = baton(replay_of(example));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(has(document, "```\n" + outcome.out + "```\n")) << outcome.out;
}

TEST_F(Replay, TheExampleOfTheHelpIsTrue) {
  const std::string example = "sim --replay counterexample.jsonl";
  const Outcome help = baton("sim --help");
  EXPECT_TRUE(has(help.out, "\n  baton " + example + "\n")) << help.out;
  std::ofstream(folder_ / "counterexample.jsonl") << view::write_schedule(deadlock());
  const Outcome outcome = shell("cd " + (folder_ / "").string() + " && $BATON " + example);
  EXPECT_EQ(outcome.code, 1) << outcome.err;
}

}  // namespace
}  // namespace baton::test
