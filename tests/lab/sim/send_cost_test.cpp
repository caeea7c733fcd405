// Sends that cost their sender time, one after the other.
#include <gtest/gtest.h>

#include "lab/sim/catalog.h"

namespace baton::sim {
namespace {

Plan plan_of(std::uint32_t size) {
  Plan plan;
  plan.setup = default_setup(size);
  plan.send_cost = Ticks{100'000};
  plan.workload.kind = Workload::Kind::one;
  plan.workload.first = {1};
  return plan;
}

TEST(SendCost, SendsOfOneStepLeaveOneAfterTheOther) {
  Trace trace;
  const Plan plan = plan_of(4);
  const Report report = find("ricart-agrawala")->run(plan, &trace);
  std::vector<Ticks> arrivals;
  for (const TraceEvent& event : trace.events) {
    if (event.kind == TraceKind::receive && event.name == "Request") arrivals.push_back(event.at);
  }
  EXPECT_EQ(arrivals, (std::vector<Ticks>{{1'100'000}, {1'200'000}, {1'300'000}}));
  // The last request leaves after 0.3, and its reply takes another 0.1 to leave.
  EXPECT_DOUBLE_EQ(report.waiting.mean(), 2.4);
}

TEST(SendCost, SendsOfDifferentProcessesDoNotWaitForEachOther) {
  Plan plan = plan_of(3);
  plan.workload.also = {{Ticks{0}, {2}}};
  Trace trace;
  find("ricart-agrawala")->run(plan, &trace);
  for (const TraceEvent& event : trace.events) {
    if (event.kind == TraceKind::receive && event.node == NodeId{0} && event.name == "Request") {
      EXPECT_EQ(event.at, Ticks{1'100'000});
    }
  }
}

// A lost message has been sent too.
TEST(SendCost, LostMessagesOccupyTheirSender) {
  Plan plan = plan_of(3);
  plan.faults.loss = 1;
  plan.setup.chosen.clear();
  Trace trace;
  find("central")->run(plan, &trace);
  EXPECT_EQ(trace.events.back().kind, TraceKind::drop);
  plan.faults.loss = 0.5;
  plan.workload = {.kind = Workload::Kind::everyone};
  for (plan.seed = 1; plan.seed < 50; ++plan.seed) {
    trace = {};
    find("lamport")->run(plan, &trace);
    // Process 1 sends its request to 0 first; 2 gets its own 0.2 after that was handed over.
    for (const TraceEvent& event : trace.events) {
      const bool first_to_2 = event.kind == TraceKind::receive && event.node == NodeId{2} &&
                              event.peer == NodeId{1} && event.name == "Request";
      if (first_to_2) {
        EXPECT_EQ(event.at, Ticks{1'200'000}) << plan.seed;
      }
    }
  }
}

TEST(SendCost, PlansThatCannotBeAreRefused) {
  Plan plan = plan_of(3);
  EXPECT_FALSE(objection(plan, find("central")->info()));
  // What waits for answers must know how long they take.
  EXPECT_TRUE(objection(plan, find("bully")->info()));
  plan.send_cost = Ticks{-1};
  EXPECT_TRUE(objection(plan, find("central")->info()));
}

}  // namespace
}  // namespace baton::sim
