#include "algorithms/observe/snapshot.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>

#include "algorithms/observe/chandy_lamport.h"
#include "algorithms/observe/cut.h"
#include "core/reflect.h"
#include "lab/sim/catalog.h"
#include "lab/sim/plan.h"

namespace baton::test {
namespace {

using sim::Plan;
using sim::Report;
using sim::Workload;

static_assert(ObservationProtocol<ChandyLamport> && BeginsWhenTold<ChandyLamport>);
static_assert(Conserves<Bank>);

Report run(const char* name, const Plan& plan, Trace* trace = nullptr) {
  return sim::find(name)->run(plan, trace);
}

Plan plan_for(std::uint32_t size, std::uint64_t seed) {
  Plan plan;
  plan.setup = default_setup(size);
  plan.seed = seed;
  plan.workload = {.kind = Workload::Kind::one, .at = 3 * message_time};
  return plan;
}

std::uint64_t count(const Report& report, std::string_view type) {
  for (const sim::MessageType& one : report.by_type) {
    if (one.name == type) return one.count;
  }
  return 0;
}

TEST(Snapshot, SendsOneMarkerPerDirectedChannel) {
  for (std::uint32_t size = 2; size <= 30; ++size) {
    const Report report = run("chandy-lamport", plan_for(size, size));
    EXPECT_EQ(count(report, "Marker"), std::uint64_t{size} * (size - 1)) << size;
    EXPECT_EQ(count(report, "Piece"), size - 1) << size;
    ASSERT_EQ(report.cuts.size(), 1U) << size;
  }
}

TEST(Snapshot, SeveralAtOnceAreToldApart) {
  Plan plan = plan_for(5, 7);
  plan.workload.kind = Workload::Kind::everyone;
  for (std::uint32_t i = 0; i < 5; ++i) plan.workload.also.push_back({{3'100'000}, {i}});
  const Report report = run("chandy-lamport", plan);
  ASSERT_EQ(report.cuts.size(), 10U);
  EXPECT_EQ(count(report, "Marker"), 10U * 5 * 4);
  for (const sim::CutFound& cut : report.cuts) {
    EXPECT_TRUE(cut.consistent);
    EXPECT_EQ(cut.in_states + cut.in_channels, 500U);
  }
}

// Otherwise the tests of conservation would say little.
TEST(Snapshot, FindsMoneyInChannels) {
  std::size_t some = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Report report = run("chandy-lamport", plan_for(5, seed));
    some += report.cuts.front().in_channels > 0 ? 1 : 0;
    EXPECT_EQ(report.cuts.front().in_states + report.cuts.front().in_channels, 500U);
  }
  EXPECT_GT(some, 50U);
}

// What the layer recorded on the channels is what the trace says was under way.
TEST(Snapshot, RecordsExactlyWhatWasUnderWay) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Plan plan = plan_for(4, seed);
    plan.delay.kind = sim::Delay::Kind::exponential;
    Trace trace;
    const Report report = run("chandy-lamport", plan, &trace);
    const sim::CutFound& found = report.cuts.front();
    const auto cut = cut_of(trace, "snapshot " + std::to_string(found.initiator.value) + ".1");
    ASSERT_TRUE(cut.has_value());
    std::size_t transfers = 0;
    for (const std::uint64_t message : judge(trace, *cut).in_transit) {
      for (const TraceEvent& event : trace.events) {
        if (event.kind != TraceKind::send || event.message != message) continue;
        transfers += event.name == "Transfer" ? 1 : 0;
      }
    }
    EXPECT_EQ(found.messages, transfers) << seed;
  }
}

// The counterexample: without FIFO the same algorithm loses or makes money.
TEST(Snapshot, NeedsFifo) {
  std::size_t too_little = 0;
  std::size_t too_much = 0;
  std::size_t inconsistent = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Plan plan = plan_for(4, seed);
    plan.delay.kind = sim::Delay::Kind::exponential;
    EXPECT_NE(sim::objection(
                  [&] {
                    Plan reordering = plan;
                    reordering.faults.reordering = true;
                    return reordering;
                  }(),
                  ChandyLamport::info()),
              std::nullopt);
    EXPECT_EQ(run("chandy-lamport", plan).violated(Promise::consistency), nullptr);
    plan.faults.reordering = true;
    const Report report = run("chandy-lamport", plan);
    for (const sim::CutFound& cut : report.cuts) {
      const std::uint64_t found = cut.in_states + cut.in_channels;
      too_little += found < cut.in_all ? 1 : 0;
      too_much += found > cut.in_all ? 1 : 0;
      inconsistent += cut.consistent ? 0 : 1;
      EXPECT_EQ(report.violated(Promise::consistency) != nullptr,
                !cut.consistent || !cut.is_conserved());
    }
  }
  EXPECT_GT(too_little, 0U);
  EXPECT_GT(too_much, 0U);
  EXPECT_GT(inconsistent, 0U);
}

// The judge of the simulator and the judge of traces find the same cuts inconsistent.
TEST(Snapshot, IsInconsistentByEveryDefinitionAlike) {
  std::size_t inconsistent = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Plan plan = plan_for(4, seed);
    plan.delay.kind = sim::Delay::Kind::exponential;
    plan.faults.reordering = true;
    Trace trace;
    const Report report = run("chandy-lamport", plan, &trace);
    const sim::CutFound& found = report.cuts.front();
    const auto cut = cut_of(trace, "snapshot " + std::to_string(found.initiator.value) + ".1");
    ASSERT_TRUE(cut.has_value());
    EXPECT_EQ(judge(trace, *cut).is_consistent(), found.consistent) << seed;
    EXPECT_EQ(is_consistent_by_vector_time(trace, *cut), found.consistent) << seed;
    inconsistent += found.consistent ? 0 : 1;
  }
  EXPECT_GT(inconsistent, 10U);
}

TEST(Snapshot, DoesNotDisturbWhatItObserves) {
  Plan with = plan_for(4, 3);
  Plan without = with;
  without.workload.at = 1000 * message_time;
  Trace trace_with;
  Trace trace_without;
  run("chandy-lamport", with, &trace_with);
  run("chandy-lamport", without, &trace_without);
  const auto transfers = [](const Trace& trace) {
    std::vector<std::string> all;
    for (const TraceEvent& event : trace.events) {
      if (event.name != "Transfer") continue;
      all.push_back(std::to_string(event.at.value) + std::string(name_of(event.kind)) +
                    std::to_string(event.node.value) + event.body);
    }
    return all;
  };
  EXPECT_EQ(transfers(trace_with), transfers(trace_without));
}

}  // namespace
}  // namespace baton::test
