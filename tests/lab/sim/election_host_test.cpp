// What the simulator owes to elections beyond what it owes to every protocol.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

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

// Of the suspicions in a run: who took whom for crashed, and when.
std::vector<std::string> suspicions(std::string_view algorithm, const Plan& plan) {
  Trace trace;
  sim::find(algorithm)->run(plan, &trace);
  std::vector<std::string> all;
  for (const TraceEvent& event : trace.events) {
    if (event.kind != TraceKind::suspect) continue;
    all.push_back(std::to_string(event.node.value) + " suspects " +
                  std::to_string(event.peer.value) + " at " +
                  std::to_string(event.at.value / message_time.value));
  }
  return all;
}

// Behind a partition a process crashes and is back at once. For the others it was unreachable all
// the time; its own new life finds out anew.
TEST(ElectionHost, ARestartBehindAPartitionPutsNothingOff) {
  Plan plan = plan_for(3);
  plan.may_break = {Assumption::no_loss};
  plan.faults.detection = 8 * message_time;
  plan.faults.schedule.push_back(
      {.at = 20 * message_time, .kind = Fault::Kind::partition, .side_of = {0, 1, 1}});
  add(plan, 25, Fault::Kind::crash, 0);
  add(plan, 25, Fault::Kind::recover, 0);
  const std::vector<std::string> expected{"1 suspects 0 at 28", "2 suspects 0 at 28",
                                          "0 suspects 1 at 33", "0 suspects 2 at 33"};
  EXPECT_EQ(suspicions("bully", plan), expected);
}

// Processes 0 and 1 are on one side, whatever else is cut off.
TEST(ElectionHost, APartitionElsewherePutsNothingOff) {
  Plan plan = plan_for(3);
  plan.may_break = {Assumption::no_loss};
  plan.faults.detection = 8 * message_time;
  add(plan, 20, Fault::Kind::crash, 1);
  plan.faults.schedule.push_back(
      {.at = 25 * message_time, .kind = Fault::Kind::partition, .side_of = {0, 0, 1}});
  const std::vector<std::string> expected{"0 suspects 1 at 28", "2 suspects 1 at 28",
                                          "0 suspects 2 at 33", "2 suspects 0 at 33"};
  EXPECT_EQ(suspicions("bully", plan), expected);
}

// Process 0 sends its ELECTION to 1, which is down, and restarts before that comes back. Its new
// life sends an ELECTION of its own, and only that comes back.
TEST(ElectionHost, WhatAnEarlierLifeSentDoesNotComeBack) {
  Plan plan = plan_for(3);
  plan.faults.absent = {{1}};
  plan.faults.schedule = {{.at = {1'500'000}, .kind = Fault::Kind::crash, .node = {0}},
                          {.at = {1'500'000}, .kind = Fault::Kind::recover, .node = {0}}};
  Trace trace;
  sim::find("ring-election")->run(plan, &trace);
  std::size_t passed_on = 0;
  for (const TraceEvent& event : trace.events) {
    if (event.kind != TraceKind::send || event.node != NodeId{0} || event.peer != NodeId{2})
      continue;
    passed_on += event.name == "Election" ? 1 : 0;
  }
  EXPECT_EQ(passed_on, 1U);
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
