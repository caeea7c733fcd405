// What the simulator owes to elections beyond what it owes to every protocol.
#include <gtest/gtest.h>

#include "lab/sim/catalog.h"
#include "lab/sim/plan.h"

namespace baton::test {
namespace {

using sim::Fault;
using sim::Plan;
using sim::Report;

Plan plan_for(std::uint32_t size) {
  Plan plan;
  plan.setup = default_setup(size);
  plan.workload.kind = sim::Workload::Kind::one;
  plan.workload.first = {0};
  return plan;
}

void add(Plan& plan, int at, Fault::Kind kind, std::uint32_t node, NodeId whom = nobody) {
  plan.faults.schedule.push_back(
      {.at = at * message_time, .kind = kind, .node = {node}, .whom = whom});
}

TEST(ElectionHost, WhoIsDownSuspectsNobody) {
  Plan plan = plan_for(2);
  add(plan, 10, Fault::Kind::crash, 1);
  add(plan, 20, Fault::Kind::suspect, 1, NodeId{0});
  const Report report = sim::find("bully")->run(plan, nullptr);
  EXPECT_EQ(report.leaders[1], nobody);
  EXPECT_EQ(report.messages(), 3U);  // what the first election took, and nothing after it
}

// Process 2 is suspected, comes back, is heard of, and crashes again before anyone was told that it
// is back. The second crash has to be told too.
TEST(ElectionHost, AMessageIsASignOfLife) {
  Plan plan = plan_for(3);
  plan.faults.detection = 8 * message_time;
  add(plan, 20, Fault::Kind::crash, 2);
  add(plan, 40, Fault::Kind::recover, 2);
  add(plan, 46, Fault::Kind::crash, 2);
  const Report report = sim::find("bully")->run(plan, nullptr);
  EXPECT_TRUE(report.violations.empty()) << report.violations.front().what;
  EXPECT_EQ(report.leaders, (std::vector<NodeId>{{1}, {1}, nobody}));
}

// Something else happened shortly before the crash, so that notices are due soon after it.
TEST(ElectionHost, ACrashIsNotFoundOutAheadOfTime) {
  Plan plan = plan_for(2);
  plan.faults.detection = 8 * message_time;
  add(plan, 15, Fault::Kind::trust, 1, NodeId{0});
  add(plan, 20, Fault::Kind::crash, 1);
  Trace trace;
  const Report report = sim::find("bully")->run(plan, &trace);
  EXPECT_EQ(report.leaders, (std::vector<NodeId>{{0}, nobody}));
  std::vector<Ticks> suspected;
  for (const TraceEvent& event : trace.events) {
    if (event.kind == TraceKind::suspect) suspected.push_back(event.at);
  }
  EXPECT_EQ(suspected, std::vector<Ticks>{28 * message_time});
}

TEST(ElectionHost, WhatCameBackIsCountedByType) {
  Plan plan = plan_for(4);
  plan.faults.absent = {{2}, {3}};
  const Report report = sim::find("ring-election")->run(plan, nullptr);
  EXPECT_EQ(report.returned, 4U);
  ASSERT_EQ(report.by_type.size(), 2U);
  for (const sim::MessageType& type : report.by_type) {
    EXPECT_EQ(type.count, 4U) << type.name;
    EXPECT_EQ(type.returned, 2U) << type.name;
  }
}

}  // namespace
}  // namespace baton::test
