#include "lab/view/json_lines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "lab/view/golden.h"
#include "lab/view/sample_traces.h"

namespace baton::test {
namespace {

std::string written(const Trace& trace) {
  std::ostringstream out;
  view::write_json_lines(trace, out);
  return out.str();
}

std::variant<Trace, view::TraceError> read(const std::string& text) {
  std::istringstream in(text);
  return view::read_json_lines(in);
}

std::string error_in(const std::string& text) {
  const auto result = read(text);
  const auto* error = std::get_if<view::TraceError>(&result);
  return error == nullptr ? "" : error->message();
}

const std::string header =
    R"({"baton":"trace","version":1,"algorithm":"x","n":2,"seed":7,"message_time":1000000})"
    "\n";
const std::string sending =
    R"({"t":5,"p":0,"e":"send","to":1,"id":1,"m":"Token","lamport":1,"vector":[1,0]})"
    "\n";
const std::string receipt =
    R"({"t":6,"p":1,"e":"receive","from":0,"id":1,"m":"Token","lamport":2,"vector":[1,1]})"
    "\n";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  return text.replace(text.find(what), what.size(), by);
}

TEST(JsonLines, WritesTheDocumentedForm) {
  expect_golden("one_asks.jsonl", written(one_asks()));
  expect_golden("loss_and_crash.jsonl", written(loss_and_crash()));
}

TEST(JsonLines, TheDocumentShowsARealTrace) {
  std::ifstream file(SOURCE_FOLDER "/docs/formats/trace.md");
  std::ostringstream document;
  document << file.rdbuf();
  EXPECT_NE(document.str().find(written(one_asks())), std::string::npos);
}

TEST(JsonLines, ReadsBackWhatItWrote) {
  for (const Trace& trace : {one_asks(), one_asks(100), everybody_asks(5), named_and_uneven(),
                             loss_and_crash(), maekawa_deadlock(), election(), two_inside()}) {
    const auto result = read(written(trace));
    ASSERT_TRUE(std::holds_alternative<Trace>(result))
        << std::get<view::TraceError>(result).message();
    EXPECT_EQ(std::get<Trace>(result), trace);
    EXPECT_EQ(written(std::get<Trace>(result)), written(trace));
  }
}

TEST(JsonLines, KeepsStringsAndLargeNumbers) {
  Trace trace = one_asks();
  trace.seed = ~std::uint64_t{0};
  trace.names = {"quote\" back\\slash", "tab\tnewline\n\x01", "Zoë"};
  trace.verdict = "two\nlines";
  EXPECT_EQ(std::get<Trace>(read(written(trace))), trace);
}

TEST(JsonLines, AHeaderAloneIsATrace) { EXPECT_EQ(error_in(header), ""); }

TEST(JsonLines, AcceptsTheSmallestConversation) {
  EXPECT_EQ(error_in(header + sending + receipt), "");
  EXPECT_EQ(error_in(header + sending + receipt + "{\"verdict\":\"fine\"}\n"), "");
}

TEST(JsonLines, NamesTheLineOfWhatIsNoTraceAtAll) {
  EXPECT_EQ(error_in(""), "line 1: the file is empty; a trace begins with a header");
  EXPECT_EQ(error_in("hello\n"), "line 1: not JSON: syntax error");
  EXPECT_EQ(error_in("[]\n"), "line 1: not a JSON object");
  EXPECT_EQ(error_in("{}\n"),
            "line 1: not a Baton trace: it has to begin with {\"baton\":\"trace\",...}");
  EXPECT_EQ(error_in(sending),
            "line 1: not a Baton trace: it has to begin with {\"baton\":\"trace\",...}");
  EXPECT_EQ(error_in(header + "\n" + sending), "line 2: not JSON: incomplete JSON");
}

TEST(JsonLines, RefusesAHeaderThatItDoesNotUnderstand) {
  EXPECT_EQ(error_in(replaced(header, "\"version\":1", "\"version\":2")),
            "line 1: version 2 of the format; only 1 is known here");
  EXPECT_EQ(error_in(replaced(header, "\"n\":2", "\"n\":0")), "line 1: a group of no processes");
  EXPECT_EQ(error_in(replaced(header, "\"n\":2,", "")), "line 1: \"n\" is missing");
  EXPECT_EQ(error_in(replaced(header, "\"n\":2", "\"n\":-2")),
            "line 1: \"n\" is not a whole number from 0 to 4294967295");
  EXPECT_EQ(error_in(replaced(header, "1000000", "1000")),
            "line 1: \"message_time\" is 1000, not 1000000");
  EXPECT_EQ(error_in(replaced(header, "\"seed\":7", "\"seed\":7,\"names\":[\"a\"]")),
            "line 1: \"names\" is not a list of one name per process");
  EXPECT_EQ(error_in(replaced(header, "\"seed\":7", "\"seed\":7,\"sead\":7")),
            "line 1: unknown key \"sead\"");
}

TEST(JsonLines, NoticesTruncationWhereverItHappens) {
  const std::string whole = written(one_asks());
  for (std::size_t length = 1; length < whole.size(); ++length) {
    ASSERT_NE(error_in(whole.substr(0, length)), "") << length;
  }
  EXPECT_EQ(error_in(header + sending.substr(0, 20)),
            "line 2: the file is truncated: its last line has no end");
  const std::size_t last_line = whole.rfind('\n', whole.size() - 2) + 1;
  EXPECT_EQ(error_in(whole.substr(0, last_line)),
            "line 12: the file is truncated: its header announces 11 events and it has 10");
}

// Who is killed while it writes cannot finish its line.
TEST(JsonLines, APartThatIsWrittenWhileItGrowsMayEndAnywhere) {
  Trace trace = one_asks();
  std::ostringstream out;
  view::begin_json_lines(trace, out);
  const std::size_t heading = out.str().size();
  for (const TraceEvent& event : trace.events) view::append_json_line(event, out);
  const std::string whole = out.str();
  for (std::size_t length = heading; length <= whole.size(); ++length) {
    std::istringstream in(whole.substr(0, length));
    bool is_cut_off = false;
    const auto found = view::read_part(in, &is_cut_off);
    const auto* part = std::get_if<Trace>(&found);
    ASSERT_NE(part, nullptr) << std::get<view::TraceError>(found).message();
    EXPECT_EQ(is_cut_off, whole[length - 1] != '\n');
    const auto lines = std::count(whole.begin(), whole.begin() + static_cast<int>(length), '\n');
    ASSERT_EQ(part->events.size(), static_cast<std::size_t>(lines - 1));
    EXPECT_TRUE(std::equal(part->events.begin(), part->events.end(), trace.events.begin()));
  }
  std::istringstream in(whole.substr(0, heading - 1));
  EXPECT_TRUE(std::holds_alternative<view::TraceError>(view::read_part(in))) << "half a header";
}

TEST(JsonLines, EntriesElectionsAndLivesHaveFields) {
  Trace trace{.algorithm = "x", .size = 1};
  for (const TraceKind kind : {TraceKind::enter, TraceKind::elect, TraceKind::recover}) {
    trace.events = {{.node = {0}, .kind = kind, .body = "(1 0 1)", .lamport = {1}}};
    const auto found = read(written(trace));
    ASSERT_TRUE(std::holds_alternative<Trace>(found));
    EXPECT_EQ(std::get<Trace>(found), trace);
  }
  trace.events.front().kind = TraceKind::crash;
  EXPECT_EQ(error_in(written(trace)), "line 2: a \"crash\" has no \"body\"");
}

TEST(JsonLines, RefusesEventsThatCannotBe) {
  EXPECT_EQ(error_in(header + replaced(sending, "send", "post")),
            "line 2: unknown kind of event \"post\"");
  EXPECT_EQ(error_in(header + replaced(sending, "\"p\":0", "\"p\":2")),
            "line 2: \"p\" names process 2 of a group of 2, which are counted from 0");
  EXPECT_EQ(error_in(header + replaced(sending, "\"to\":1", "\"to\":9")),
            "line 2: \"to\" names process 9 of a group of 2, which are counted from 0");
  EXPECT_EQ(error_in(header + replaced(sending, "\"to\":1,", "")), "line 2: \"to\" is missing");
  EXPECT_EQ(error_in(header + replaced(sending, "\"to\"", "\"from\"")),
            "line 2: unknown key \"from\"");
  EXPECT_EQ(error_in(header + replaced(sending, "\"t\":5", "\"t\":5.5")),
            "line 2: \"t\" is not a whole number from 0 to 9223372036854775807");
  EXPECT_EQ(error_in(header + replaced(sending, "\"m\":\"Token\",", "")),
            "line 2: \"m\", the message's type, is missing");
  EXPECT_EQ(error_in(header + replaced(sending, "\"id\":1", "\"id\":0")),
            "line 2: message numbers begin with 1");
}

TEST(JsonLines, PairsReceiptsWithSendings) {
  EXPECT_EQ(error_in(header + receipt), "line 2: message 1 arrives here but was never sent");
  EXPECT_EQ(error_in(header + sending + replaced(receipt, "\"id\":1", "\"id\":2")),
            "line 3: message 2 arrives here but was never sent");
  EXPECT_EQ(error_in(header + sending + replaced(receipt, "\"p\":1", "\"p\":0")),
            "line 3: message 1 went from 0 to 1");
  EXPECT_EQ(error_in(header + sending + replaced(receipt, "Token", "Reply")),
            "line 3: message 1 was Token when it was sent");
  EXPECT_EQ(
      error_in(header + sending +
               replaced(replaced(sending, "\"lamport\":1", "\"lamport\":2"), "[1,0]", "[2,0]")),
      "line 3: message 1 has already been sent");
}

TEST(JsonLines, HoldsTheClocksToTheirLaws) {
  EXPECT_EQ(error_in(header + sending + replaced(receipt, "\"t\":6", "\"t\":4")),
            "line 3: \"t\" goes back");
  EXPECT_EQ(error_in(header + sending + replaced(receipt, "\"lamport\":2", "\"lamport\":1")),
            "line 3: the Lamport time of the receipt is not after that of the sending");
  EXPECT_EQ(error_in(header + sending + replaced(receipt, "[1,1]", "[1]")),
            "line 3: \"vector\" is not a list of one number per process");
  EXPECT_EQ(error_in(header + sending + replaced(receipt, "[1,1]", "[1,5]")),
            "line 3: this is event 1 of its process, but \"vector\" says 5");
  EXPECT_EQ(error_in(header + sending + replaced(receipt, ",\"vector\":[1,1]", "")),
            "line 3: either all events have a \"vector\" or none");
}

TEST(JsonLines, ADropRepeatsTheTimesOfItsSending) {
  const std::string drop =
      R"({"t":6,"p":1,"e":"drop","from":0,"id":1,"m":"Token","lamport":1,"vector":[1,0]})"
      "\n";
  EXPECT_EQ(error_in(header + sending + drop), "");
  EXPECT_EQ(error_in(header + sending + replaced(drop, "\"lamport\":1", "\"lamport\":2")),
            "line 3: a drop repeats the times of its sending");
}

TEST(JsonLines, NothingFollowsTheVerdict) {
  EXPECT_EQ(error_in(header + "{\"verdict\":\"fine\"}\n" + sending),
            "line 3: nothing may follow the verdict");
  EXPECT_EQ(error_in(header + "{\"verdict\":\"\"}\n"), "line 2: an empty verdict");
}

TEST(JsonLines, AHeaderThatLiesAboutTheSizeCostsNothing) {
  EXPECT_EQ(error_in(replaced(header, "\"n\":2", "\"n\":4294967295")), "");
}

}  // namespace
}  // namespace baton::test
