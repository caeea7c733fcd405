// The oracle of order keeps sets instead of vector clocks. Here both judge the same runs.
#include <gtest/gtest.h>

#include <map>

#include "lab/sim/catalog.h"
#include "support/random_plan.h"

namespace baton::test {
namespace {

// Entries ahead of a waiting request that happened before, by the vector times of the trace.
std::uint64_t inversions_by_vector_time(const Trace& trace) {
  std::map<NodeId, VectorClock> waiting;  // each process's request
  std::uint64_t inversions = 0;
  for (const TraceEvent& event : trace.events) {
    if (event.kind == TraceKind::request) waiting[event.node] = event.vector;
    if (event.kind == TraceKind::crash) waiting.erase(event.node);
    if (event.kind != TraceKind::enter) continue;
    const VectorClock mine = waiting.at(event.node);
    waiting.erase(event.node);
    bool overtakes = false;
    for (const auto& [node, request] : waiting) overtakes = overtakes || request < mine;
    inversions += overtakes ? 1 : 0;
  }
  return inversions;
}

TEST(RequestOrder, AgreesWithVectorClocks) {
  std::uint64_t seen = 0;
  for (const sim::Entry& entry : sim::catalog()) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      sim::Plan plan = random_plan(entry.info(), seed);
      plan.inside = nobody;
      plan.time_limit = 200 * message_time;
      if (seed % 3 == 0) {
        plan.faults.schedule.push_back(
            {.at = 5 * message_time, .kind = sim::Fault::Kind::crash, .node = {1}});
      }
      Trace trace;
      const sim::Report report = entry.run(plan, &trace);
      if (report.violated(Promise::safety) != nullptr) continue;
      ASSERT_EQ(report.inversions, inversions_by_vector_time(trace))
          << entry.info().name << ", seed " << seed;
      seen += report.inversions;
    }
  }
  EXPECT_GT(seen, 100U) << "too few inversions to compare";
}

}  // namespace
}  // namespace baton::test
