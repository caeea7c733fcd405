#include "lab/view/diagram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "algorithms/mutex/ricart_agrawala.h"
#include "core/text.h"
#include "lab/view/golden.h"
#include "lab/view/sample_traces.h"
#include "lab/view/scripted_run.h"

namespace baton::test {
namespace {

using view::draw;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  for (const std::string& line : lines_of(text)) widest = std::max(widest, text::columns(line));
  return widest;
}

std::string without_colour(const std::string& text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\x1b') {
      at = text.find('m', at);
    } else {
      plain += text[at];
    }
  }
  return plain;
}

TEST(Diagram, ShowsAConversationOfThree) {
  expect_golden("one_asks.txt", draw(one_asks(), {}));
  expect_golden("one_asks_ascii.txt", draw(one_asks(), {.unicode = false}));
}

TEST(Diagram, KeepsFortyMessagesOfFiveProcessesReadable) {
  const std::string text = draw(everybody_asks(5), {});
  expect_golden("everybody_asks.txt", text);
  EXPECT_LE(lines_of(text).size(), 60U);
}

TEST(Diagram, ShowsNamesAndWhenAMessageWasSentIfDelaysDiffer) {
  expect_golden("named_and_uneven.txt", draw(named_and_uneven(), {}));
}

TEST(Diagram, ShowsLossCrashSuspicionAndRecovery) {
  expect_golden("loss_and_crash.txt", draw(loss_and_crash(), {}));
  expect_golden("loss_and_crash_ascii.txt", draw(loss_and_crash(), {.unicode = false}));
}

TEST(Diagram, ShowsADeadlockAndItsVerdict) {
  expect_golden("maekawa_deadlock.txt", draw(maekawa_deadlock(), {}));
}

TEST(Diagram, ShowsAnElection) { expect_golden("election.txt", draw(election(), {})); }

TEST(Diagram, ShowsTwoInsideAtOnce) { expect_golden("two_inside.txt", draw(two_inside(), {})); }

TEST(Diagram, NoLineIsWiderThanAsked) {
  for (const Trace& trace : {one_asks(), everybody_asks(5), everybody_asks(9), named_and_uneven(),
                             loss_and_crash(), maekawa_deadlock(), election(), two_inside()}) {
    for (std::size_t width = 1; width <= 130; ++width) {
      for (const bool unicode : {true, false}) {
        const std::string text = draw(trace, {.unicode = unicode, .width = width});
        ASSERT_LE(widest_line(text), width) << text;
        ASSERT_FALSE(text.empty());
      }
    }
  }
}

TEST(Diagram, LeavesOutBodiesWhereThereIsLittleRoom) {
  expect_golden("loss_and_crash_narrow.txt", draw(loss_and_crash(), {.width = 48}));
}

TEST(Diagram, NoLineEndsInSpaces) {
  for (const std::string& line : lines_of(draw(loss_and_crash(), {}))) {
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
}

TEST(Diagram, SaysSoWhenTheGroupIsTooLargeForTheWidth) {
  EXPECT_EQ(draw(one_asks(200), {}),
            "200 processes need more than 80 columns; try --trace json or an export.\n");
}

TEST(Diagram, FitsSixteenProcessesIntoEightyColumns) {
  EXPECT_TRUE(draw(one_asks(16), {}).starts_with("ricart-agrawala, 16 processes"));
}

TEST(Diagram, AsciiIsSevenBitEvenIfNamesAreNot) {
  Trace trace = loss_and_crash();
  trace.names = {"Zoë", "東京", "c", "d"};
  trace.verdict = "Ricart–Agrawala";
  for (const char letter : draw(trace, {.unicode = false})) {
    EXPECT_TRUE(letter == '\n' || (letter >= ' ' && letter <= '~'));
  }
}

TEST(Diagram, WideCharactersKeepTheColumnsAligned) {
  Trace trace = one_asks();
  trace.names = {"東京", "大阪", "c"};
  const std::vector<std::string> lines = lines_of(draw(trace, {}));
  const std::size_t in_header = text::columns(lines[2].substr(0, lines[2].find("大阪")));
  const std::size_t in_row = text::columns(lines[4].substr(0, lines[4].find("○")));
  EXPECT_EQ(in_header, in_row);
}

TEST(Diagram, NamesCannotMoveTheCursor) {
  Trace trace = one_asks();
  trace.names = {"a\x1b[2Jb", "x\ny", "\xff"};
  const std::string text = draw(trace, {});
  EXPECT_EQ(text.find('\x1b'), text.npos);
  EXPECT_NE(text.find("a?[2Jb"), text.npos);
}

TEST(Diagram, ColourChangesNothingButColour) {
  for (const Trace& trace : {everybody_asks(5), loss_and_crash(), maekawa_deadlock()}) {
    const std::string plain = draw(trace, {});
    const std::string coloured = draw(trace, {.colour = true});
    EXPECT_EQ(plain.find('\x1b'), plain.npos);
    EXPECT_NE(coloured.find("\x1b[1;38;5;"), coloured.npos);
    EXPECT_EQ(without_colour(coloured), plain);
  }
}

TEST(Diagram, ShowsTheLastRowsIfNotAllAreWanted) {
  const std::string text = draw(everybody_asks(5), {.max_rows = 3});
  EXPECT_NE(text.find("earlier rows are not shown"), text.npos);
  EXPECT_NE(text.find("4 leaves"), text.npos);
  EXPECT_NE(text.find("4 enters"), text.npos);
  EXPECT_EQ(text.find("3 leaves"), text.npos);
}

TEST(Diagram, CountsWhatIsStillUnderWay) {
  Trace trace{.algorithm = "any", .size = 2};
  TraceRecorder record(trace);
  record.send({0}, {0}, {1}, "Token", "()");
  EXPECT_NE(draw(trace, {}).find("1 message is still under way at the end."), std::string::npos);
}

TEST(Diagram, WhoEntersWithSomethingHasAskedForIt) {
  Trace trace{.algorithm = "any", .size = 2};
  TraceRecorder record(trace);
  record.local({0}, {0}, TraceKind::request, nobody, "x");
  record.local({0}, {1}, TraceKind::request, nobody, "an election");
  record.local(message_time, {0}, TraceKind::enter, nobody, "x");
  EXPECT_NE(draw(trace, {}).find("0 asks for x"), std::string::npos);
  EXPECT_NE(draw(trace, {}).find("1 starts an election"), std::string::npos);
}

TEST(Diagram, WhoLeavesWithoutHavingEnteredWasInsideFromTheBeginning) {
  Trace trace{.algorithm = "any", .size = 2};
  TraceRecorder record(trace);
  record.local(message_time, {1}, TraceKind::exit);
  EXPECT_EQ(lines_of(draw(trace, {}))[3], "       │       █");
}

TEST(Diagram, AnEmptyTraceIsAPictureOfNothingHappening) {
  EXPECT_EQ(draw({.algorithm = "any", .size = 2}, {}),
            "any, 2 processes, seed 0\n\n time  0       1\n       │       │\n\n");
}

// Rows may gather events, but a process's own events stay in order: who reads the sentences about
// one process downwards reads what it did.
TEST(Diagram, ASentBeforeAnArrivalIsAboveIt) {
  const std::string text = draw(everybody_asks(5), {});
  for (const char* request : {"Request<1,0>", "Request<1,3>"}) {
    const std::string about = request;
    EXPECT_LT(text.find("sends " + about), text.find("get " + about));
    EXPECT_LT(text.find("get " + about), text.find("Reply(" + about.substr(7)));
  }
}

}  // namespace
}  // namespace baton::test
