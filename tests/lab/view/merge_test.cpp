#include "lab/view/merge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "lab/view/json_lines.h"
#include "lab/view/sample_traces.h"

namespace baton::view {
namespace {

// What each process of a run would have written down: its own events, by a clock of its own whose
// ticks are microseconds, one message time being fifty of them.
std::vector<TracePart> parts_of(const Trace& whole, const std::vector<std::int64_t>& clocks) {
  std::vector<TracePart> parts(whole.size);
  for (std::uint32_t i = 0; i < whole.size; ++i) {
    parts[i] = {"file " + std::to_string(i), whole};
    parts[i].trace.verdict.clear();
    parts[i].trace.events.clear();
  }
  for (TraceEvent event : whole.events) {
    event.at = {event.at.value * 50 / message_time.value + clocks[event.node.value]};
    parts[event.node.value].trace.events.push_back(event);
  }
  return parts;
}

MergedTrace merged(std::vector<TracePart> parts, const MergeOptions& options = {}) {
  auto found = merge(std::move(parts), options);
  if (const auto* why_not = std::get_if<std::string>(&found)) {
    ADD_FAILURE() << *why_not;
    return {};
  }
  return std::get<MergedTrace>(std::move(found));
}

std::string refusal(std::vector<TracePart> parts) {
  const auto found = merge(std::move(parts));
  const auto* why_not = std::get_if<std::string>(&found);
  return why_not == nullptr ? "none" : *why_not;
}

// It obeys every guarantee of the format.
void expect_whole(const Trace& trace) {
  std::stringstream file;
  write_json_lines(trace, file);
  const auto read = read_json_lines(file);
  const auto* error = std::get_if<TraceError>(&read);
  EXPECT_EQ(error, nullptr) << error->message();
}

// Everything but its verdict, and the order of what happens at one time.
std::vector<TraceEvent> of_process(const Trace& trace, NodeId node) {
  std::vector<TraceEvent> events;
  for (TraceEvent event : trace.events) {
    if (event.node != node) continue;
    event.message = 0;
    events.push_back(event);
  }
  return events;
}

TEST(Merge, MakesTheRunOfWhatEachProcessSaw) {
  const Trace whole = test::one_asks();
  const MergedTrace found = merged(parts_of(whole, {0, 0, 0}));
  expect_whole(found.trace);
  EXPECT_TRUE(found.missing.empty());
  EXPECT_EQ(found.message_time_us, 50);
  for (std::uint32_t i = 0; i < whole.size; ++i) {
    EXPECT_EQ(of_process(found.trace, {i}), of_process(whole, {i}));
  }
}

TEST(Merge, ClocksMayHaveBegunAtAnyMoment) {
  const Trace whole = test::everybody_asks(4);
  const MergedTrace found = merged(parts_of(whole, {70000, 3, 123456789, 900}));
  expect_whole(found.trace);
  EXPECT_EQ(found.message_time_us, 50) << "messages go both ways, which tells how long they take";
  for (std::uint32_t i = 0; i < whole.size; ++i) {
    EXPECT_EQ(of_process(found.trace, {i}), of_process(whole, {i}));
  }
}

TEST(Merge, TakesNamesDuplicatesAndDrops) {
  for (const Trace& whole : {test::named_and_uneven(), test::loss_and_crash()}) {
    const MergedTrace found = merged(parts_of(whole, {5, 0, 90, 7}));
    expect_whole(found.trace);
    EXPECT_EQ(found.trace.names, whole.names);
    EXPECT_EQ(found.trace.events.size(), whole.events.size());
  }
}

TEST(Merge, ShortensPausesInWhichNothingHappens) {
  Trace whole = test::one_asks();
  whole.events.back().at = 1000 * message_time;
  const Trace shortened = merged(parts_of(whole, {0, 0, 0})).trace;
  EXPECT_EQ(shortened.events.back().at, 6 * message_time);
  const Trace kept = merged(parts_of(whole, {0, 0, 0}), {.keeps_pauses = true}).trace;
  EXPECT_EQ(kept.events.back().at, 1000 * message_time);
}

TEST(Merge, TellsWhoseFileIsMissing) {
  std::vector<TracePart> parts = parts_of(test::one_asks(), {0, 0, 0});
  parts.erase(parts.begin());
  const MergedTrace found = merged(std::move(parts));
  expect_whole(found.trace);
  ASSERT_EQ(found.missing.size(), 2U);
  EXPECT_EQ(found.missing[0], "there is no file of process 0");
  EXPECT_EQ(found.missing[1], "no file tells of the sending of 1 message from 0 to 1");
}

TEST(Merge, ClocksThatRunAtDifferentSpeedsLeaveTheOrder) {
  const Trace whole = test::everybody_asks(3);
  std::vector<TracePart> parts = parts_of(whole, {0, 0, 0});
  for (TraceEvent& event : parts[1].trace.events) event.at = {event.at.value * 3};
  const MergedTrace found = merged(std::move(parts));
  expect_whole(found.trace);
  EXPECT_EQ(found.messages, 2U * 3 * 2) << "all have arrived";
}

TEST(Merge, RefusesFilesOfDifferentGroups) {
  std::vector<TracePart> parts = parts_of(test::one_asks(), {0, 0, 0});
  std::vector<TracePart> others = parts;
  others[1].trace.algorithm = "lamport";
  EXPECT_EQ(refusal(others),
            "file 0 and file 1 are of different groups: ricart-agrawala and lamport");
  others = parts;
  others[2] = parts_of(test::one_asks(4), {0, 0, 0, 0})[2];
  EXPECT_EQ(refusal(others), "file 0 and file 2 are of different groups: 3 and 4 processes");
  others = parts;
  others[1].trace.names = {"a", "b", "c"};
  EXPECT_EQ(refusal(others),
            "file 0 and file 1 are of different groups: their members have different names");
}

TEST(Merge, RefusesTwoFilesOfOneProcess) {
  std::vector<TracePart> parts = parts_of(test::one_asks(), {0, 0, 0});
  parts[2] = parts[1];
  parts[2].source = "a copy";
  EXPECT_EQ(refusal(parts), "file 1 and a copy are both of process 1");
}

// What process 1 of two wrote in two lives; each time it gets a message from process 0.
std::vector<TracePart> two_lives() {
  const auto trace = [] { return Trace{.algorithm = "x", .size = 2}; };
  const auto message = [](std::uint64_t number, Ticks at, TraceKind kind) {
    const bool is_sent = kind == TraceKind::send;
    return TraceEvent{.at = at,
                      .node = {is_sent ? 0U : 1U},
                      .kind = kind,
                      .peer = {is_sent ? 1U : 0U},
                      .message = number,
                      .name = "M",
                      .lamport = {is_sent ? number : number + 10}};
  };
  std::vector<TracePart> parts{{"0", trace()}, {"1b", trace()}, {"1a", trace()}};
  parts[0].trace.events = {message(1, {1000}, TraceKind::send),
                           message(2, {9000}, TraceKind::send)};
  parts[1].trace.events = {{.at = {5}, .node = {1}, .kind = TraceKind::recover, .body = "2"},
                           message(2, {40}, TraceKind::receive)};
  parts[2].trace.events = {message(1, {70000}, TraceKind::receive)};
  return parts;
}

TEST(Merge, PutsTheLivesOfAProcessInOrder) {
  const MergedTrace found = merged(two_lives(), {.keeps_pauses = true});
  expect_whole(found.trace);
  EXPECT_TRUE(found.missing.empty());
  std::string story;
  for (const TraceEvent& event : found.trace.events) {
    if (event.node == NodeId{1}) story += std::string(name_of(event.kind)) + " ";
  }
  EXPECT_EQ(story, "receive crash recover receive ");
}

TEST(Merge, TellsOfACrashOnce) {
  std::vector<TracePart> parts = two_lives();
  parts[2].trace.events.push_back({.at = {70100}, .node = {1}, .kind = TraceKind::crash});
  const Trace trace = merged(std::move(parts)).trace;
  EXPECT_EQ(std::count_if(trace.events.begin(), trace.events.end(),
                          [](const TraceEvent& event) { return event.kind == TraceKind::crash; }),
            1);
}

TEST(Merge, RefusesTwoFilesOfOneLife) {
  std::vector<TracePart> parts = two_lives();
  parts[2].trace.events = parts[1].trace.events;
  EXPECT_EQ(refusal(parts), "1b and 1a are both of process 1");
}

TEST(Merge, SaysOfWhatIsCutOff) {
  std::vector<TracePart> parts = two_lives();
  parts[2].is_cut_off = true;
  const MergedTrace found = merged(std::move(parts));
  ASSERT_EQ(found.missing.size(), 1U);
  EXPECT_EQ(found.missing.front(), "1a ends in the middle of a line");
}

TEST(Merge, RefusesAWholeTrace) {
  EXPECT_EQ(refusal({{"a run", test::one_asks()}}),
            "a run is of more than one process (1 and 0): only what each has written itself can be "
            "merged");
}

TEST(Merge, RefusesWhatNoGroupOfProcessesCouldHaveWritten) {
  std::vector<TracePart> parts = parts_of(test::one_asks(), {0, 0, 0});
  parts[0].trace.events.back().at = forever;
  EXPECT_NE(refusal(parts).find("too late"), std::string::npos);
  EXPECT_NE(refusal({{"x", Trace{.algorithm = "any", .size = 4'000'000'000}}}).find("at most 64"),
            std::string::npos);
}

TEST(Merge, RefusesFilesOfDifferentRuns) {
  std::vector<TracePart> parts = parts_of(test::one_asks(), {0, 0, 0});
  for (TraceEvent& event : parts[0].trace.events) {
    if (event.kind == TraceKind::receive) event.body = "(<7,1>)";
  }
  EXPECT_EQ(refusal(parts),
            "message 1 of file 1 is another one in file 0: they are not of one run");
}

TEST(Merge, RefusesACircle) {
  // Each has sent only after it got what the other sent.
  const auto part = [](NodeId own, NodeId other, std::uint64_t gets, std::uint64_t sends) {
    Trace trace{.algorithm = "x", .size = 2};
    trace.events.push_back({.at = {1},
                            .node = own,
                            .kind = TraceKind::receive,
                            .peer = other,
                            .message = gets,
                            .name = "M",
                            .lamport = {5}});
    trace.events.push_back({.at = {2},
                            .node = own,
                            .kind = TraceKind::send,
                            .peer = other,
                            .message = sends,
                            .name = "M",
                            .lamport = {4}});
    return TracePart{"x", trace};
  };
  EXPECT_NE(refusal({part({0}, {1}, 1, 2), part({1}, {0}, 2, 1)}).find("whatever the order"),
            std::string::npos);
}

}  // namespace
}  // namespace baton::view
