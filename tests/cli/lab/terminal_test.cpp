// What the program does on a terminal: lines that fit, no escape sequences where none are wanted, and
// Ctrl-C.
#include <csignal>
#include <regex>

#include "cli/lab/commands.h"
#include "cli/lab/on_terminal.h"

namespace baton::test {
namespace {

constexpr unsigned usual = 80;
constexpr unsigned wide = 120;

TEST(Terminal, TheHelpOfEveryCommandFits) {
  for (const std::string& tested : {std::string(BATON_PROGRAM), std::string(SERVICE_PROGRAM)}) {
    program() = tested;
    std::vector<Words> all = commands_within();
    all.push_back({});
    all.push_back({"local-server"});
    EXPECT_GE(all.size(), 25U);
    for (const Words& command : all) {
      for (const unsigned columns : {usual, wide}) {
        const Outcome help = on_terminal(line_of(command) + "--help", columns);
        EXPECT_EQ(help.code, 0) << line_of(command);
        EXPECT_TRUE(has(help.out, "Usage: baton ")) << line_of(command);
        expect_fits(help.out, columns, line_of(command));
      }
      // Where there is no terminal, it is as wide as most are.
      expect_fits(help_of(command), usual, line_of(command));
    }
  }
  program() = BATON_PROGRAM;
}

TEST(Terminal, TheHelpUsesTheRoomThatThereIs) {
  EXPECT_GT(lines(on_terminal("sim --help", usual).out),
            lines(on_terminal("sim --help", wide).out));
  EXPECT_EQ(on_terminal("sim --help", usual).out, baton("sim --help").out);
  EXPECT_EQ(shell("COLUMNS=60 $BATON sim --help").out, on_terminal("sim --help", 60).out);
}

TEST(Terminal, TheExamplesOfTheHelpStandOnOneLine) {
  for (const Words& command : commands_within()) {
    EXPECT_FALSE(has(help_of(command), " \\\n")) << line_of(command);
  }
}

TEST(Terminal, TablesFit) {
  for (const std::string command :
       {"list",
        "list ricart-agrawala",
        "list hirschberg-sinclair",
        "compare -n 10",
        "compare --kind election -n 8",
        "compare --kind formulas",
        "compare --layers -n 3 central",
        "compare --network -n 2 --seconds 0.05 token-ring-bidirectional",
        "sim ricart-agrawala -n 3",
        "sim maekawa-sanders --resilient --crash 1@20 -n 5",
        "sim bully -n 30 --first 0",
        "sim chandy-lamport -n 3",
        "sim bakery -n 3",
        "sim central -n 3 --resources 3",
        "sim superpeer -n 100 --superpeers 8 --cap 15 --places corner --first 0",
        "sim wrong-maekawa-sanders-failed-to-newcomers-only -n 4 --seeds 1000 --delay exponential",
        "check ricart-agrawala",
        "check --states 1 --threads 1",
        "check wrong-maekawa-sanders-failed-to-newcomers-only",
        "check bakery -n 2",
        "check wrong-bakery-no-choosing -n 2",
        "check lease --omit leader-proof",
        "check membership --omit stable-storage",
        "demo counter --increments 100"}) {
    for (const unsigned columns : {usual, wide}) {
      const Outcome outcome = on_terminal(command, columns);
      EXPECT_NE(outcome.code, 2) << command << "\n" << outcome.out;
      EXPECT_GT(lines(outcome.out), 2U) << command;
      expect_fits(outcome.out, columns, command);
    }
  }
}

TEST(Terminal, DiagramsFit) {
  for (const std::string command :
       {"sim ricart-agrawala -n 3 --trace", "sim lamport -n 60 --trace", "sim bakery -n 20 --trace",
        "sim bully -n 5 --first 0 --crash 4@0 --trace",
        "sim majority-voting -n 3 --names a-name-of-many-letters,b,c --trace"}) {
    for (const unsigned columns : {usual, wide}) {
      expect_fits(on_terminal(command, columns).out, columns, command);
    }
  }
}

TEST(Terminal, ErrorsFit) {
  for (const std::string command :
       {"sim maekawa -n 6 --voting plane", "sim lamport --loss 0.1", "frobnicate",
        "sim wireless -n 4 --graph nonsense", "lock a --ttl 1s -- true", "check central -n 9",
        "put k v --tied", "compare bakery", "check lease --omit nonsense",
        "restore /no/such/directory/with/a/very/long/name/so/that/the/message/is/long --journal "
        "a"}) {
    const Outcome outcome = on_terminal(command, usual);
    EXPECT_EQ(outcome.code, 2) << command << "\n" << outcome.out;
    expect_fits(outcome.out, usual, command);
  }
}

TEST(Terminal, TablesForProgramsAreNotBroken) {
  const std::string table = baton("compare -n 10").out;
  EXPECT_TRUE(
      std::regex_search(table, std::regex("\nmaekawa .*2, or 1 without a third common voter .*\n")))
      << table;
  expect_fits(shell("COLUMNS=80 $BATON compare -n 10").out, 80, "COLUMNS");
}

// --- Escape sequences ---------------------------------------------------------------------------

const std::string escape = "\x1b[";

TEST(Terminal, NoColourWithADumbTerminalNorWithNoColor) {
  const std::string command = "sim lamport -n 3 --trace";
  EXPECT_TRUE(has(on_terminal(command, usual, {}).out, escape));
  EXPECT_TRUE(has(on_terminal(command, usual, {{"NO_COLOR", ""}}).out, escape));
  for (const std::string value : {"1", "0", "no"}) {
    EXPECT_FALSE(has(on_terminal(command, usual, {{"NO_COLOR", value}}).out, "\x1b")) << value;
  }
  EXPECT_FALSE(has(on_terminal(command, usual, {{"TERM", "dumb"}}).out, "\x1b"));
}

// --- Ctrl-C -------------------------------------------------------------------------------------

// The progress line is erased, and nothing else follows but "^C" where the terminal shows that.
void expect_clean(const OnTerminal& terminal) {
  EXPECT_TRUE(terminal.out().ends_with("\r\x1b[K")) << terminal.out();
  EXPECT_TRUE(terminal.is_sane());
}

TEST(ControlC, ASearchPrintsWhatItHasFound) {
  for (const Variables& variables :
       {Variables{}, Variables{{"TERM", "dumb"}}, Variables{{"NO_COLOR", "1"}}}) {
    OnTerminal check("$BATON check lamport -n 4 --threads 1", usual, variables);
    const bool shows_progress = variables.empty();
    if (shows_progress) {
      ASSERT_TRUE(check.prints(" in the frontier")) << check.out();
    } else {
      // So long that a progress line would be there.
      std::this_thread::sleep_for(std::chrono::seconds(1));
    }
    check.press_control_c();
    EXPECT_EQ(check.wait(), 3) << check.out();
    EXPECT_TRUE(has(check.out(), "lamport, 4 processes")) << check.out();
    EXPECT_TRUE(has(check.out(), "undecided")) << check.out();
    EXPECT_TRUE(has(check.out(), "not exhausted: you interrupted the search")) << check.out();
    EXPECT_EQ(has(check.out(), "\x1b"), shows_progress) << check.out();
    EXPECT_EQ(has(check.out(), "\r"), shows_progress) << check.out();
    EXPECT_TRUE(check.is_sane());
  }
}

TEST(ControlC, TheSearchOfAllPrintsWhatItHasFound) {
  OnTerminal check("$BATON check -n 4 --threads 1", usual, {});
  ASSERT_TRUE(check.prints(" in the frontier")) << check.out();
  check.press_control_c();
  EXPECT_EQ(check.wait(), 3) << check.out();
  EXPECT_TRUE(has(check.out(), "property")) << check.out();
  EXPECT_TRUE(has(check.out(), "You interrupted the search: ")) << check.out();
}

TEST(ControlC, EndsARunAtOnceAndLeavesACleanLine) {
  const struct {
    const char* arguments;
    const char* progress;
  } cases[] = {
      {"sim lamport -n 20 --workload saturated --entries 2000 --seeds 1000000", "seed "},
      {"sim bakery -n 20 --entries 2000 --seeds 1000000", "seed "},
      {"compare -n 2..200", "measuring "},
      {"compare --layers -n 3..50", "measuring "},
      {"compare --network -n 2..9 --seconds 1", "measuring "},
      {"demo counter --increments 100000000", "lock: "},
  };
  for (const auto& one : cases) {
    OnTerminal run(std::string("$BATON ") + one.arguments, usual, {});
    ASSERT_TRUE(run.prints(one.progress)) << one.arguments << "\n" << run.out();
    run.press_control_c();
    EXPECT_EQ(run.wait(), 128 + SIGINT) << one.arguments;
    expect_clean(run);
  }
}

}  // namespace
}  // namespace baton::test
