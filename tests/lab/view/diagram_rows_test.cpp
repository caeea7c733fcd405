#include "lab/view/diagram_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "algorithms/mutex/ricart_agrawala.h"
#include "lab/view/sample_traces.h"
#include "lab/view/scripted_run.h"

namespace baton::test {
namespace {

using Steps = std::vector<std::tuple<Ticks, TraceKind, std::string>>;

void add_step(Steps& steps, Ticks at, TraceKind kind, const std::string& name) {
  if (steps.empty() || steps.back() != std::tuple{at, kind, name}) {
    steps.emplace_back(at, kind, name);
  }
}

// What a process did, where several sendings or receipts of one kind in a row count as one.
Steps steps_in_trace(const Trace& trace, NodeId node) {
  Steps steps;
  for (const TraceEvent& event : trace.events) {
    if (event.node == node) add_step(steps, event.at, event.kind, event.name);
  }
  return steps;
}

Steps steps_in_rows(const view::Rows& rows, NodeId node) {
  Steps steps;
  for (const view::Row& row : rows.rows) {
    if (std::find(row.nodes.begin(), row.nodes.end(), node) != row.nodes.end()) {
      add_step(steps, row.at, row.kind, row.name);
    }
  }
  return steps;
}

void expect_possible_order(const Trace& trace) {
  const view::Rows rows = view::rows_of(trace);
  for (std::uint32_t i = 0; i < trace.size; ++i) {
    EXPECT_EQ(steps_in_rows(rows, {i}), steps_in_trace(trace, {i})) << "process " << i;
  }
  for (const view::Row& row : rows.rows) {
    if (row.kind != TraceKind::receive && row.kind != TraceKind::drop) continue;
    ASSERT_LT(row.sent_in, row.index);
    EXPECT_EQ(rows.rows[row.sent_in].kind, TraceKind::send);
    EXPECT_TRUE(row.nodes.size() == 1 || row.peers.size() == 1);
  }
}

TEST(DiagramRows, AreAPossibleOrderOfTheRun) {
  for (const Trace& trace : {one_asks(), everybody_asks(5), named_and_uneven(), loss_and_crash(),
                             maekawa_deadlock(), election(), two_inside()}) {
    expect_possible_order(trace);
  }
}

// Few different delays, so that many events share an instant without belonging together.
TEST(DiagramRows, AreAPossibleOrderUnderManyDelays) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    ScriptedRun<RicartAgrawala> run({.size = 4});
    run.delay = [=](std::uint64_t number) {
      return static_cast<std::int64_t>(number * seed * 2654435761U / 1024 % 3) * message_time;
    };
    run.duplicated = {seed % 24 + 1};
    for (std::uint32_t i = 0; i < 4; ++i) {
      run.ask_at(static_cast<std::int64_t>(seed * (i + 1) % 3) * message_time, i);
    }
    expect_possible_order(run.run());
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

TEST(DiagramRows, AMulticastIsOneRowAndSoIsItsArrival) {
  const view::Rows rows = view::rows_of(one_asks(6));
  ASSERT_EQ(rows.rows.size(), 7U);
  EXPECT_EQ(rows.rows[1].peers.size(), 5U);  // the request is sent
  EXPECT_EQ(rows.rows[2].nodes.size(), 5U);  // ... arrives
  EXPECT_EQ(rows.rows[3].nodes.size(), 5U);  // the replies are sent
  EXPECT_EQ(rows.rows[4].peers.size(), 5U);  // ... arrive
}

TEST(DiagramRows, ADuplicateHasARowOfItsOwn) {
  Trace trace{.algorithm = "any", .size = 2};
  TraceRecorder record(trace);
  const auto message = record.send({0}, {0}, {1}, "Token", "()");
  record.receive({1}, {1}, message);
  record.receive({1}, {1}, message);
  const view::Rows rows = view::rows_of(trace);
  ASSERT_EQ(rows.rows.size(), 3U);
  EXPECT_FALSE(rows.rows[1].again);
  EXPECT_TRUE(rows.rows[2].again);
}

}  // namespace
}  // namespace baton::test
