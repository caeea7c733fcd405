#include "lab/view/svg.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "lab/view/golden.h"
#include "lab/view/sample_traces.h"
#include "lab/view/svg_labels.h"
#include "lab/view/well_formed.h"

namespace baton::test {
namespace {

using view::Labels;
using view::Stretch;

std::string svg(const Trace& trace) {
  std::ostringstream out;
  EXPECT_EQ(view::write_svg(trace, out), "");
  return out.str();
}

// The value of an attribute of the last shape of a class.
std::string attribute_of(const std::string& picture, const std::string& shape,
                         const std::string& name) {
  const std::size_t from =
      picture.find(" " + name + "=\"", picture.rfind("class=\"" + shape)) + name.size() + 3;
  return picture.substr(from, picture.find('"', from) - from);
}

std::size_t arrows(const std::string& picture) {
  return count(picture, "<g class=\"m t") - count(picture, "class=\"legend ");
}

std::size_t labels(const std::string& picture) { return count(picture, "class=\"halo mid t"); }

TEST(Svg, ConnectsTheRecordingsOfOneSnapshot) {
  Trace trace;
  trace.size = 3;
  TraceRecorder recorder(trace);
  recorder.local({0}, {1}, TraceKind::record, nobody, "snapshot 1.1");
  recorder.local({500'000}, {0}, TraceKind::record, nobody, "snapshot 0.1");
  recorder.local({1'000'000}, {2}, TraceKind::record, nobody, "snapshot 1.1");
  recorder.local({2'000'000}, {0}, TraceKind::record, nobody, "snapshot 1.1");
  const std::string picture = svg(trace);
  expect_well_formed(picture);
  EXPECT_EQ(count(picture, "<path class=\"cut\""), 2U);
  // From the first process to the last, whatever the order of recording: 5 points.
  const std::size_t from = picture.find("<path class=\"cut\"");
  const std::string path = picture.substr(from, picture.find('>', from) - from);
  EXPECT_EQ(count(path, "L"), 4U) << path;
  EXPECT_EQ(count(picture, "the cut of snapshot 1.1"), 1U);
  EXPECT_EQ(count(svg(one_asks()), "cut"), 0U) << "nothing of it where there is none";
}

TEST(Svg, DrawsARun) { expect_golden("one_asks.svg", svg(one_asks())); }

TEST(Svg, IsWellFormedWhateverHappens) {
  for (const Trace& trace : {one_asks(), everybody_asks(5), named_and_uneven(), loss_and_crash(),
                             maekawa_deadlock(), two_inside(), election(), Trace{.size = 1}}) {
    const std::string picture = svg(trace);
    expect_well_formed(picture);
    EXPECT_EQ(picture.find("nan"), picture.npos);
    EXPECT_EQ(picture.find("inf"), picture.npos);
    EXPECT_EQ(picture, svg(trace));
  }
}

TEST(Svg, WhoAsksForALeaderWaitsUntilItKnowsOne) {
  Trace trace{.algorithm = "bully", .size = 2};
  TraceRecorder record(trace);
  record.local({0}, {0}, TraceKind::request);
  record.local(message_time, {0}, TraceKind::suspect, {1});
  record.local(message_time, {0}, TraceKind::timer, nobody, "0");
  record.local(message_time, {0}, TraceKind::elect, {0});
  const std::string elected = svg(trace);
  // Beside what led to it.
  EXPECT_EQ(count(elected, "elects 0</text>"), 1U);
  EXPECT_EQ(count(elected, "suspects 1</text>"), 1U);
  EXPECT_EQ(count(elected, "critical section"), 0U);
  EXPECT_EQ(attribute_of(elected, "wait", "x2"), attribute_of(elected, "note", "cx"));
  // Whoever waits for a lock goes on waiting whoever is elected.
  record.local(2 * message_time, {0}, TraceKind::enter);
  const std::string locked = svg(trace);
  EXPECT_EQ(count(locked, "critical section</text>"), 1U);
  EXPECT_EQ(attribute_of(locked, "wait", "x2"), attribute_of(locked, "in", "x"));
}

TEST(Svg, HasAnArrowForEveryArrival) {
  for (const Trace& trace : {everybody_asks(4), named_and_uneven(), loss_and_crash()}) {
    const auto arrivals =
        std::count_if(trace.events.begin(), trace.events.end(), [](const TraceEvent& event) {
          return event.kind == TraceKind::receive || event.kind == TraceKind::drop;
        });
    EXPECT_EQ(arrows(svg(trace)), static_cast<std::size_t>(arrivals));
  }
  EXPECT_TRUE(svg(named_and_uneven()).find("a duplicate") != std::string::npos);
}

TEST(Svg, ShowsWhatWentWrong) {
  const std::string picture = svg(loss_and_crash());
  for (const std::string part : {", lost</title>", "found its receiver down", ">crashes</text>",
                                 ">recovers</text>", ">suspects 3</text>", "class=\"down\""}) {
    EXPECT_NE(picture.find(part), picture.npos) << part;
  }
  EXPECT_EQ(count(picture, "class=\"bad\""), 1U);
  EXPECT_EQ(count(svg(one_asks()), "class=\"bad\""), 0U);
}

TEST(Svg, ShadesTimeInWhichTwoAreInside) {
  EXPECT_GE(count(svg(two_inside()), "class=\"both\""), 1U);
  EXPECT_EQ(count(svg(everybody_asks(5)), "class=\"both\""), 0U);
}

TEST(Svg, EnteringAtTheInstantOfAnExitIsNoOverlap) {
  Trace trace{.algorithm = "token", .size = 2};
  TraceRecorder record(trace);
  record.local({0}, {0}, TraceKind::enter);
  record.local(message_time, {0}, TraceKind::exit);
  record.local(message_time, {1}, TraceKind::enter);
  record.local(2 * message_time, {1}, TraceKind::exit);
  EXPECT_EQ(count(svg(trace), "class=\"both\""), 0U);
}

TEST(Svg, WhoLeavesFirstWasInsideFromTheBeginning) {
  Trace trace{.algorithm = "token", .size = 2};
  TraceRecorder record(trace);
  record.local(message_time, {1}, TraceKind::exit);
  EXPECT_NE(svg(trace).find("1 is inside from 0.000 to 1.000"), std::string::npos);
}

TEST(Svg, AMessageWithoutArrivalIsUnderWay) {
  Trace trace{.algorithm = "token", .size = 2};
  TraceRecorder record(trace);
  record.send({0}, {0}, {1}, "Token", "()");
  EXPECT_NE(svg(trace).find("Token, 0 → 1, 0.000, still under way"), std::string::npos);
}

TEST(Svg, LabelsArrowsUnlessThereAreTooMany) {
  EXPECT_EQ(labels(svg(one_asks())), 4U);
  EXPECT_GT(labels(svg(everybody_asks(5))), 20U);
  const std::string crowded = svg(everybody_asks(7));  // 84 messages
  EXPECT_EQ(labels(crowded), 0U);
  EXPECT_EQ(arrows(crowded), 84U);
  EXPECT_NE(crowded.find("<title>Request"), crowded.npos);
}

TEST(Svg, EscapesNames) {
  Trace trace = one_asks();
  trace.algorithm = "</title><script>&\"\x01\xFF\xEF\xBF\xBF";
  trace.names = {"<a>", "b\"&", "c"};
  trace.verdict = "1 < 2 & 3";
  for (TraceEvent& event : trace.events) {
    if (!event.name.empty()) event.name = "<" + event.name + ">";
  }
  const std::string picture = svg(trace);
  expect_well_formed(picture);
  EXPECT_EQ(picture.find("<script"), picture.npos);
  EXPECT_EQ(picture.find('\x01'), picture.npos);
  EXPECT_EQ(picture.find('\xFF'), picture.npos);
  EXPECT_EQ(picture.find("\xEF\xBF\xBF"), picture.npos);
  EXPECT_NE(picture.find("&lt;a&gt;</text>"), picture.npos);
  EXPECT_NE(picture.find("1 &lt; 2 &amp; 3</text>"), picture.npos);
}

TEST(Svg, NeedsNothingBesidesItself) {
  const std::string picture = svg(loss_and_crash());
  EXPECT_EQ(count(picture, "http"), 1U);  // the name space
  EXPECT_EQ(picture.find("url("), picture.npos);
  EXPECT_NE(picture.find("@media (prefers-color-scheme:dark)"), picture.npos);
}

TEST(Svg, DeclinesWhatNobodyCouldFollow) {
  std::ostringstream out;
  EXPECT_EQ(view::write_svg(Trace{.size = 64}, out), "");
  EXPECT_NE(out.str(), "");
  out.str("");
  EXPECT_NE(view::write_svg(Trace{.size = 65}, out), "");
  EXPECT_NE(view::write_svg(Trace{}, out), "");
  Trace longest{.size = 2};
  TraceRecorder record(longest);
  for (std::size_t i = 0; i < view::most_svg_events; ++i) {
    record.local({0}, {0}, TraceKind::timer, nobody, "1");
  }
  std::ostringstream drawn;
  EXPECT_EQ(view::write_svg(longest, drawn), "");
  record.local({0}, {0}, TraceKind::timer, nobody, "1");
  EXPECT_NE(view::write_svg(longest, out), "");
  EXPECT_EQ(out.str(), "");
}

TEST(SvgLabels, MeasuresTheDistanceBetweenLines) {
  const Stretch level{{0, 0}, {10, 0}};
  EXPECT_DOUBLE_EQ(view::distance(level, {{5, -5}, {5, 5}}), 0);
  EXPECT_DOUBLE_EQ(view::distance(level, {{0, 3}, {10, 3}}), 3);
  EXPECT_DOUBLE_EQ(view::distance(level, {{13, 4}, {20, 4}}), 5);
  EXPECT_DOUBLE_EQ(view::distance({{1, 1}, {1, 1}}, {{4, 5}, {4, 5}}), 5);
}

TEST(SvgLabels, GivesNoPlaceTwice) {
  Labels all;
  EXPECT_TRUE(all.place_level({50, 50}, 40));
  EXPECT_FALSE(all.place_level({80, 52}, 40));
  EXPECT_TRUE(all.place_level({50, 70}, 40));
}

TEST(SvgLabels, AShortArrowHasNoRoom) {
  Labels all;
  EXPECT_FALSE(all.place_along({{0, 0}, {30, 30}}, 40, 1));
  EXPECT_TRUE(all.place_along({{0, 0}, {60, 60}}, 40, 1));
}

TEST(SvgLabels, KeepsOutOfAThicket) {
  const Stretch arrow{{0, 0}, {100, 0}};
  Labels all;
  for (double x = 0; x <= 100; x += 5) all.avoid({{x, -20}, {x, 20}});
  EXPECT_FALSE(all.place_along(arrow, 40, 1));
}

}  // namespace
}  // namespace baton::test
