// What the simulator did, replayed from its trace as a schedule.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "lab/sim/catalog.h"
#include "lab/sim/replay.h"
#include "support/registry.h"

namespace baton::test {
namespace {

using sim::Replayed;
using Step = ScheduledStep;
using Do = ScheduledStep::Kind;

// What the simulator did, as a schedule. Choices are not in a trace.
Schedule schedule_of(const Trace& trace) {
  Schedule schedule;
  std::map<std::uint64_t, int> arrivals;
  for (const TraceEvent& event : trace.events) {
    if (event.kind == TraceKind::receive) ++arrivals[event.message];
  }
  std::set<NodeId> down;
  for (const TraceEvent& event : trace.events) {
    Step step{.node = event.node, .peer = event.peer};
    switch (event.kind) {
      case TraceKind::request:
        step.kind = Do::request;
        break;
      case TraceKind::exit:
        step.kind = Do::release;
        break;
      case TraceKind::receive:
        step.message = event.name + event.body;
        for (int& left = arrivals[event.message]; left > 1; --left) {
          step.kind = Do::duplicate;
          schedule.steps.push_back(step);
        }
        step.kind = Do::deliver;
        break;
      case TraceKind::drop:
        step.message = event.name + event.body;
        step.kind = down.contains(event.node) ? Do::deliver : Do::lose;
        break;
      case TraceKind::timer:
        step.kind = Do::expire;
        step.timer = static_cast<std::uint32_t>(std::stoul(event.name));
        break;
      case TraceKind::crash:
        step.kind = Do::crash;
        down.insert(event.node);
        break;
      case TraceKind::recover:
        step.kind = Do::recover;
        down.erase(event.node);
        break;
      case TraceKind::suspect:
        step.kind = Do::suspect;
        break;
      case TraceKind::trust:
        step.kind = Do::trust;
        break;
      default:
        continue;
    }
    schedule.steps.push_back(step);
  }
  return schedule;
}

// The events without times, drops and message numbers: the simulator drops in the middle of a step.
// Where a message is sent again the replay may lose or deliver another copy, with other clocks.
enum class Clocks { compared, left_out };
std::vector<TraceEvent> comparable(const Trace& trace, Clocks clocks) {
  std::vector<TraceEvent> events;
  for (TraceEvent event : trace.events) {
    if (event.kind == TraceKind::drop) continue;
    event.at = {};
    event.message = 0;
    if (clocks == Clocks::left_out) {
      event.lamport = {};
      event.vector = {};
    }
    events.push_back(std::move(event));
  }
  return events;
}

void expect_same_run(const sim::Runnable& runnable, const sim::Plan& plan,
                     Clocks clocks = Clocks::compared) {
  Trace trace;
  const sim::Report report = runnable.run(plan, &trace);
  const Replayed replayed = runnable.replay(plan.setup, {}, schedule_of(trace));
  ASSERT_FALSE(replayed.error) << replayed.error->message();
  EXPECT_GT(trace.events.size(), 10U);
  EXPECT_TRUE(comparable(replayed.trace, clocks) == comparable(trace, clocks));
  EXPECT_EQ(report.violated(Promise::safety) != nullptr, replayed.found.starts_with("two inside"))
      << replayed.found;
}

sim::Plan random_plan(Kind kind) {
  sim::Plan plan;
  plan.setup = default_setup(4);
  plan.delay.kind = sim::Delay::Kind::exponential;
  plan.may_break = {Assumption::synchronous};
  plan.time_limit = 200 * message_time;
  if (kind == Kind::mutual_exclusion) {
    plan.workload = {.kind = sim::Workload::Kind::closed, .entries = 12, .think = message_time};
  }
  return plan;
}

class ReplayOf : public testing::TestWithParam<const sim::Entry*> {};

// These draw numbers, which no trace tells.
bool draws(const Info& info) {
  for (const char* name : {"token-ring-bidirectional", "majority-voting", "randomized"}) {
    if (info.name == name) return true;
  }
  return info.kind == Kind::observation && !info.name.starts_with("deferral");
}

std::vector<const sim::Entry*> those_that_draw_nothing() {
  std::vector<const sim::Entry*> all;
  for (const sim::Entry& entry : sim::catalog()) {
    if (!draws(entry.info())) all.push_back(&entry);
  }
  return all;
}

TEST_P(ReplayOf, TheSimulatorsRun) {
  const Info& info = GetParam()->info();
  sim::Plan plan = random_plan(info.kind);
  for (plan.seed = 1; plan.seed <= 20; ++plan.seed) {
    SCOPED_TRACE("seed " + std::to_string(plan.seed));
    expect_same_run(GetParam()->with(sim::Layers::none), plan);
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, ReplayOf, testing::ValuesIn(those_that_draw_nothing()),
                         as_printed);

TEST(Replay, TheSimulatorsRunWithLostMessages) {
  sim::Plan plan = random_plan(Kind::mutual_exclusion);
  plan.faults.loss = 0.2;
  plan.faults.duplication = 0.2;
  for (plan.seed = 1; plan.seed <= 20; ++plan.seed) {
    SCOPED_TRACE("seed " + std::to_string(plan.seed));
    expect_same_run(sim::find("ricart-agrawala")->with(sim::Layers::reliable), plan,
                    Clocks::left_out);
  }
}

TEST(Replay, TheSimulatorsRunWithCrashes) {
  sim::Plan plan = random_plan(Kind::election);
  plan.faults.detection = 3 * message_time;
  plan.faults.schedule = {{5 * message_time, sim::Fault::Kind::crash, {3}},
                          {30 * message_time, sim::Fault::Kind::recover, {3}}};
  for (plan.seed = 1; plan.seed <= 20; ++plan.seed) {
    SCOPED_TRACE("seed " + std::to_string(plan.seed));
    expect_same_run(sim::find("bully")->with(sim::Layers::none), plan);
  }
  plan.faults.detection = {};
  plan.workload = random_plan(Kind::mutual_exclusion).workload;
  for (plan.seed = 1; plan.seed <= 20; ++plan.seed) {
    SCOPED_TRACE("seed " + std::to_string(plan.seed));
    expect_same_run(sim::find("central")->with(sim::Layers::resilient), plan);
  }
}

TEST(Replay, EveryAlgorithmHasOne) {
  for (const sim::Entry& entry : sim::catalog()) {
    for (const sim::Runnable& runnable : entry.layered) {
      EXPECT_EQ(runnable.replay == nullptr, runnable.run == nullptr) << entry.info().name;
    }
  }
}

}  // namespace
}  // namespace baton::test
