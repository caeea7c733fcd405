#include <gtest/gtest.h>

#include "algorithms/observe/dijkstra_scholten.h"
#include "algorithms/observe/poll_termination.h"
#include "algorithms/observe/snapshot_termination.h"
#include "lab/sim/catalog.h"
#include "lab/sim/plan.h"

namespace baton::test {
namespace {

using sim::Plan;
using sim::Report;
using sim::Workload;

static_assert(Computation<Diffusion>);
static_assert(ObservationProtocol<SnapshotTermination> && BeginsWhenTold<SnapshotTermination>);
static_assert(ObservationProtocol<DijkstraScholten> && !BeginsWhenTold<DijkstraScholten>);

Report run(const char* name, const Plan& plan, Trace* trace = nullptr) {
  return sim::find(name)->run(plan, trace);
}

Plan plan_for(std::uint32_t size, std::uint64_t seed) {
  Plan plan;
  plan.setup = default_setup(size);
  plan.seed = seed;
  plan.workload = {.kind = Workload::Kind::one, .at = message_time};
  return plan;
}

std::uint64_t count(const Report& report, std::string_view type) {
  for (const sim::MessageType& one : report.by_type) {
    if (one.name == type) return one.count;
  }
  return 0;
}

// When the last message of the computation arrived, or the last process became passive.
Ticks last_of_the_computation(const Trace& trace) {
  Ticks last{0};
  for (const TraceEvent& event : trace.events) {
    const bool works =
        event.name == "Work" || (event.kind == TraceKind::timer && event.name == "0");
    if (works) last = event.at;
  }
  return last;
}

TEST(DijkstraScholten, SendsExactlyOneSignalPerMessage) {
  for (std::uint32_t size = 2; size <= 12; ++size) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      Plan plan = plan_for(size, seed);
      plan.delay.kind = sim::Delay::Kind::exponential;
      plan.faults.reordering = seed % 2 == 0;
      const Report report = run("dijkstra-scholten", plan);
      EXPECT_EQ(count(report, "Signal"), count(report, "Work"));
      EXPECT_GT(count(report, "Work"), 0U);
      ASSERT_EQ(report.announcements.size(), 1U);
      EXPECT_EQ(report.announcements.front().node, NodeId{0}) << "the root";
    }
  }
}

TEST(DijkstraScholten, AnnouncesAfterTheLastWork) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Plan plan = plan_for(5, seed);
    plan.delay.kind = sim::Delay::Kind::exponential;
    Trace trace;
    const Report report = run("dijkstra-scholten", plan, &trace);
    ASSERT_EQ(report.announcements.size(), 1U);
    EXPECT_GE(report.announcements.front().at, last_of_the_computation(trace)) << seed;
  }
}

TEST(SnapshotTermination, CostsMarkersAndAnswersPerAttempt) {
  for (std::uint32_t size = 2; size <= 12; ++size) {
    const Report report = run("snapshot-termination", plan_for(size, size));
    const std::uint64_t attempts = count(report, "Marker") / (size * (size - 1));
    EXPECT_GT(attempts, 1U) << "it began too early to be done at once";
    EXPECT_EQ(count(report, "Marker"), attempts * size * (size - 1));
    EXPECT_EQ(count(report, "Done") + count(report, "Continue"), attempts * (size - 1));
    EXPECT_GE(count(report, "Done"), size - 1) << "the last attempt";
  }
}

TEST(SnapshotTermination, OneAttemptIsEnoughOnceItIsOver) {
  Plan plan = plan_for(5, 3);
  plan.workload.at = 1000 * message_time;
  const Report report = run("snapshot-termination", plan);
  EXPECT_EQ(count(report, "Marker"), 20U);
  EXPECT_EQ(count(report, "Done"), 4U);
  EXPECT_EQ(count(report, "Continue"), 0U);
  EXPECT_EQ(report.announcements.size(), 1U);
}

TEST(SnapshotTermination, SeveralMayDetectAtOnce) {
  Plan plan = plan_for(4, 5);
  plan.workload.kind = Workload::Kind::everyone;
  const Report report = run("snapshot-termination", plan);
  EXPECT_EQ(report.announcements.size(), 4U);
  EXPECT_EQ(report.violations.size(), 0U);
}

// A lost signal is awaited for ever; a detector that asks again and again would do so for ever.
TEST(TerminationOracle, CatchesSilence) {
  for (const char* name : {"dijkstra-scholten", "wrong-termination-counts-once"}) {
    bool silent = false;
    for (std::uint64_t seed = 0; seed < 100 && !silent; ++seed) {
      Plan plan = plan_for(4, seed);
      plan.faults.loss = 0.1;
      const Report report = run(name, plan);
      if (report.violated(Promise::detection) == nullptr) continue;
      silent = report.violated(Promise::detection)->what ==
               "the computation has come to rest, and nobody announces it";
      EXPECT_EQ(silent, report.announcements.empty());
    }
    EXPECT_TRUE(silent) << name;
  }
}

// Each of the wrong ones says so in words, before it is true.
TEST(WrongTermination, AnnouncesEarly) {
  for (const char* name : {"wrong-termination-asks-only", "wrong-termination-counts-once",
                           "wrong-snapshot-termination-literal"}) {
    bool early = false;
    for (std::uint64_t seed = 0; seed < 10'000 && !early; ++seed) {
      Plan plan = plan_for(5, seed);
      plan.delay.kind = sim::Delay::Kind::heavy;
      plan.workload.kind = Workload::Kind::everyone;
      const Report report = run(name, plan);
      if (report.violated(Promise::detection) == nullptr) continue;
      early = true;
      EXPECT_NE(report.violated(Promise::detection)->what.find("announces termination, but"),
                std::string::npos);
    }
    EXPECT_TRUE(early) << name;
  }
}

}  // namespace
}  // namespace baton::test
