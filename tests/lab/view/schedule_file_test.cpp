#include "lab/view/schedule_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace baton::test {
namespace {

using Do = ScheduledStep::Kind;

Schedule deadlock() {
  Schedule schedule;
  schedule.algorithm = "wrong-ricart-agrawala-no-tie-break";
  schedule.arguments = {"--processes", "2"};
  schedule.verdict = "nothing is under way, and 0 and 1 wait";
  schedule.steps = {{.kind = Do::request, .node = {0}},
                    {.kind = Do::request, .node = {1}},
                    {.kind = Do::deliver, .node = {1}, .peer = {0}, .message = "Request(<1,0>)"},
                    {.kind = Do::deliver, .node = {0}, .peer = {1}, .message = "Request(<1,1>)"}};
  return schedule;
}

// A step of every kind, and everything that may need quoting.
Schedule everything() {
  Schedule schedule;
  schedule.algorithm = "a \"name\"";
  schedule.arguments = {"--ids", "3,1,2", "", "tab\there"};
  schedule.verdict = "zweimal → \\ \n";
  const auto message = [](Do kind, std::string text) {
    return ScheduledStep{
        .kind = kind, .node = {1}, .peer = {4294967294}, .message = std::move(text)};
  };
  schedule.steps = {message(Do::deliver, "Request(<1,2>)"),
                    message(Do::lose, "\"quoted\""),
                    message(Do::duplicate, "[1 2] \\"),
                    message(Do::delay, "Größe"),
                    {.kind = Do::request, .node = {0}},
                    {.kind = Do::release, .node = {0}, .choices = {0}},
                    {.kind = Do::expire, .node = {2}, .timer = 4294967295},
                    {.kind = Do::pass},
                    {.kind = Do::crash, .node = {2}},
                    {.kind = Do::recover, .node = {2}, .choices = {1, 4294967295, 0}},
                    {.kind = Do::suspect, .node = {2}, .peer = {0}},
                    {.kind = Do::trust, .node = {2}, .peer = {0}},
                    {.kind = Do::pause, .node = {1}},
                    {.kind = Do::resume, .node = {1}},
                    {.kind = Do::quit, .node = {1}}};
  schedule.loop = 11;
  return schedule;
}

std::string error_in(const std::string& text) {
  const auto result = view::read_schedule(text);
  const auto* error = std::get_if<view::LineError>(&result);
  return error == nullptr ? "" : error->message();
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  EXPECT_NE(text.find(what), text.npos) << what;
  return text.replace(text.find(what), what.size(), by);
}

// The deadlock's file with one thing changed.
std::string changed(const std::string& what, const std::string& by) {
  return error_in(replaced(view::write_schedule(deadlock()), what, by));
}

TEST(ScheduleFile, WritesTheDocumentedForm) {
  std::ifstream file(SOURCE_FOLDER "/docs/formats/schedule.md");
  std::ostringstream document;
  document << file.rdbuf();
  EXPECT_NE(document.str().find("```json\n" + view::write_schedule(deadlock()) + "```"),
            std::string::npos)
      << view::write_schedule(deadlock());
}

TEST(ScheduleFile, ReadsBackWhatItWrote) {
  Schedule empty;
  for (const Schedule& schedule : {deadlock(), everything(), empty}) {
    const std::string text = view::write_schedule(schedule);
    const auto result = view::read_schedule(text);
    ASSERT_TRUE(std::holds_alternative<Schedule>(result)) << error_in(text);
    EXPECT_TRUE(std::get<Schedule>(result) == schedule) << text;
  }
}

TEST(ScheduleFile, EveryKindIsWrittenOnce) {
  const std::string text = view::write_schedule(everything());
  for (std::size_t i = 0; i < scheduled_kinds; ++i) {
    const std::string name(name_of(static_cast<Do>(i)));
    EXPECT_NE(text.find("\"do\":\"" + name + "\""), std::string::npos) << name;
  }
  // A loop is told by the number of its first step.
  EXPECT_NE(text.find("\"steps\":15,\"loop\":12,"), std::string::npos) << text;
  EXPECT_NE(text.find("{\"step\":8,\"do\":\"pass\"}\n"), std::string::npos) << text;
}

TEST(ScheduleFile, TheChecksumIsFnv1a) {
  // The offset basis of the 64-bit variant: no steps, nothing added.
  EXPECT_NE(view::write_schedule({}).find("\"checksum\":\"cbf29ce484222325\""), std::string::npos);
}

TEST(ScheduleFile, OtherFilesAreRefused) {
  EXPECT_EQ(error_in(""), "line 1: the file is empty; a schedule begins with a header");
  EXPECT_EQ(error_in("\n").substr(0, 16), "line 1: not JSON");
  EXPECT_EQ(error_in(std::string("\x7f"
                                 "ELF\0\xff\n\x02\n",
                                 9))
                .substr(0, 16),
            "line 1: not JSON");
  EXPECT_EQ(error_in("\xff\xfe"), "line 1: the file is truncated: its last line has no end");
  EXPECT_EQ(error_in("[]\n"), "line 1: not a JSON object");
  EXPECT_EQ(error_in("{\"baton\":\"trace\",\"version\":1,\"algorithm\":\"x\",\"n\":2}\n"),
            "line 1: this is a trace, not a schedule");
  const std::string no_schedule =
      "line 1: not a Baton schedule: it has to begin with {\"baton\":\"schedule\",...}";
  EXPECT_EQ(error_in("{}\n"), no_schedule);
  EXPECT_EQ(error_in("{\"baton\":1}\n"), no_schedule);
  // Whatever else a later version may say.
  EXPECT_EQ(error_in("{\"baton\":\"schedule\",\"version\":2,\"colour\":\"red\"}\n"),
            "line 1: version 2; this program reads version 1");
  EXPECT_EQ(error_in("{\"baton\":\"schedule\"}\n"), "line 1: \"version\" is missing");
}

TEST(ScheduleFile, TruncatedFilesAreRefused) {
  const std::string whole = view::write_schedule(deadlock());
  std::size_t line = 1;
  for (std::size_t end = 1; end < whole.size(); ++end) {
    const std::string error = error_in(whole.substr(0, end));
    if (whole[end - 1] == '\n') ++line;
    EXPECT_EQ(error.rfind("line " + std::to_string(line) + ": the file is truncated: ", 0), 0U)
        << "after " << end << " bytes: " << error;
  }
  EXPECT_EQ(error_in(whole.substr(0, whole.rfind("{\"step\""))),
            "line 5: the file is truncated: its header announces 4 steps and it has 3");
}

TEST(ScheduleFile, EditedStepsAreNoticed) {
  const std::string by_hand = " is not that of the steps, which is ";
  for (const auto& [what, by] : std::vector<std::pair<std::string, std::string>>{
           {"\"node\":1,\"peer\":0", "\"node\":0,\"peer\":1"},
           {"Request(<1,0>)", "Request(<1,9>)"},
           {"{\"step\":1,", "{ \"step\":1,"},
           {"\"node\":0}\n", "\"node\":0}\r\n"},
           {"\"checksum\":\"", "\"checksum\":\"0"}}) {
    const std::string error = changed(what, by);
    EXPECT_EQ(error.rfind("line 1: the checksum" + by_hand, 0), 0U) << error;
    EXPECT_NE(error.find("changed after they were written"), error.npos) << error;
  }
  // What says the right checksum is of help to those who edit by hand.
  const std::string edited =
      replaced(view::write_schedule(deadlock()), "Request(<1,0>)", "Request(<1,9>)");
  const std::string error = error_in(edited);
  const std::string right = error.substr(error.find(by_hand) + by_hand.size(), 16);
  const auto checksum = edited.find("\"checksum\":\"") + 12;
  EXPECT_EQ(error_in(std::string(edited).replace(checksum, 16, right)), "");
}

TEST(ScheduleFile, ALineThatCannotBeReadIsNamedFirst) {
  EXPECT_EQ(changed("\"do\":\"deliver\",\"node\":0", "\"do\":\"sing\",\"node\":0"),
            "line 5: unknown kind of step \"sing\"");
  EXPECT_EQ(changed("{\"step\":3,", "{\"step\":4,"), "line 4: step 4 where step 3 should be");
  EXPECT_EQ(changed("{\"step\":3,", "{"), "line 4: \"step\" is missing");
  EXPECT_EQ(changed("\"step\":3,", "\"step\":3.5,"),
            "line 4: \"step\" is not a whole number from 0 to 18446744073709551615");
  EXPECT_EQ(changed("\"do\":\"deliver\",", ""), "line 4: \"do\" is missing");
  EXPECT_EQ(changed(",\"peer\":0", ""), "line 4: \"peer\" is missing");
  EXPECT_EQ(changed(",\"message\":\"Request(<1,0>)\"", ""), "line 4: \"message\" is missing");
  EXPECT_EQ(changed("\"Request(<1,0>)\"", "7"), "line 4: \"message\" is not a string");
  const std::string no_process = "line 3: \"node\" is not a whole number from 0 to 4294967294";
  EXPECT_EQ(changed("\"request\",\"node\":1", "\"request\",\"node\":-1"), no_process);
  EXPECT_EQ(changed("\"request\",\"node\":1", "\"request\",\"node\":4294967295"), no_process);
  EXPECT_EQ(changed("\"node\":1}", "\"node\":1,\"peer\":0}"), "line 3: unknown key \"peer\"");
  EXPECT_EQ(changed("\"node\":1}", "\"node\":1,\"colour\":0}"), "line 3: unknown key \"colour\"");
  EXPECT_EQ(changed("\"node\":1}", "\"node\":1,\"choices\":1}"),
            "line 3: \"choices\" is not a list");
  EXPECT_EQ(changed("\"node\":1}", "\"node\":1,\"choices\":[1,\"2\"]}"),
            "line 3: a choice is not a whole number");
  EXPECT_EQ(changed("\"node\":1}", "\"node\":1,\"choices\":[4294967296]}"),
            "line 3: a choice is not a whole number");
  EXPECT_EQ(changed("\"node\":1}", "\"node\":1").substr(0, 16), "line 3: not JSON");
  EXPECT_EQ(changed("\"do\":\"request\",\"node\":0", "\"do\":\"expire\",\"node\":0"),
            "line 2: \"timer\" is missing");
  EXPECT_EQ(changed("\"do\":\"request\",\"node\":0", "\"do\":\"pass\",\"node\":0"),
            "line 2: unknown key \"node\"");
  const std::string whole = view::write_schedule(deadlock());
  EXPECT_EQ(error_in(whole + "{\"step\":5,\"do\":\"pass\"}\n"),
            "line 6: the header announces 4 steps, and there are more");
}

TEST(ScheduleFile, HeadersThatAreWrong) {
  EXPECT_EQ(changed("\"algorithm\":\"wrong-ricart-agrawala-no-tie-break\",", ""),
            "line 1: \"algorithm\" is missing");
  EXPECT_EQ(changed("\"arguments\":[\"--processes\",\"2\"],", ""),
            "line 1: \"arguments\" is missing");
  EXPECT_EQ(changed("[\"--processes\",\"2\"]", "{}"), "line 1: \"arguments\" is not a list");
  EXPECT_EQ(changed("\"2\"]", "2]"), "line 1: an argument is not a string");
  EXPECT_EQ(changed("\"steps\":4,", ""), "line 1: \"steps\" is missing");
  EXPECT_EQ(changed("\"steps\":4,", "\"steps\":4,\"loop\":5,"),
            "line 1: \"loop\" is 5, which is none of the 4 steps");
  EXPECT_EQ(changed("\"steps\":4,", "\"steps\":4,\"loop\":0,"),
            "line 1: \"loop\" is 0, which is none of the 4 steps");
  EXPECT_EQ(changed("\"steps\":4,", "\"steps\":4,\"seed\":0,"), "line 1: unknown key \"seed\"");
  EXPECT_EQ(changed("\"steps\":4", "\"steps\":3"),
            "line 5: the header announces 3 steps, and there are more");
  EXPECT_EQ(changed("\"steps\":4", "\"steps\":18446744073709551615"),
            "line 6: the file is truncated: its header announces 18446744073709551615 steps and "
            "it has 4");
}

}  // namespace
}  // namespace baton::test
