// An algorithm on layers runs without its type (core/any_protocol.h). Here it also runs with it:
// the two runs are one and the same.
#include "lab/sim/layered.h"

#include <gtest/gtest.h>

#include "algorithms/election/bully.h"
#include "algorithms/layer/reliable.h"
#include "algorithms/layer/resilient.h"
#include "algorithms/mutex/maekawa_sanders.h"
#include "algorithms/mutex/suzuki_kasami.h"
#include "lab/sim/run.h"

namespace baton::sim {
namespace {

template <class P>
const AnyClass& any() {
  static constexpr AnyClassOf<P> made;
  return made;
}

Plan lossy_plan(std::uint64_t seed) {
  Plan plan;
  plan.setup = default_setup(4);
  plan.seed = seed;
  plan.workload.kind = Workload::Kind::closed;
  plan.workload.entries = 40;
  plan.faults.loss = 0.1;
  plan.faults.duplication = 0.1;
  plan.time_limit = 2000 * message_time;
  return plan;
}

// Some crash and come back.
Plan crashing_plan(std::uint64_t seed) {
  Plan plan;
  plan.setup = default_setup(4);
  plan.seed = seed;
  plan.workload.kind = Workload::Kind::closed;
  plan.workload.entries = 40;
  plan.time_limit = 2000 * message_time;
  const NodeId victim{static_cast<std::uint32_t>(seed % 4)};
  plan.faults.schedule = {{.at = 20 * message_time, .kind = Fault::Kind::crash, .node = victim},
                          {.at = 120 * message_time, .kind = Fault::Kind::recover, .node = victim}};
  return plan;
}

template <class Layered, class P>
void expect_same(Layers layers, const Plan& plan) {
  SCOPED_TRACE(std::string(P::info().name) + ", seed " + std::to_string(plan.seed));
  Trace typed_trace;
  Trace trace;
  const Report typed = run<Layered>(plan, &typed_trace);
  const Report report = run_on(layers, any<P>(), plan, &trace);
  EXPECT_GT(report.deliveries, 0U);
  EXPECT_EQ(report.entries, typed.entries);
  EXPECT_EQ(report.deliveries, typed.deliveries);
  EXPECT_EQ(report.bytes, typed.bytes);
  EXPECT_EQ(report.messages_enter, typed.messages_enter);
  EXPECT_EQ(report.messages_exit, typed.messages_exit);
  EXPECT_EQ(report.upkeep, typed.upkeep);
  ASSERT_EQ(report.by_type.size(), typed.by_type.size());
  for (std::size_t i = 0; i < report.by_type.size(); ++i) {
    EXPECT_EQ(report.by_type[i].name, typed.by_type[i].name);
    EXPECT_EQ(report.by_type[i].count, typed.by_type[i].count) << report.by_type[i].name;
  }
  EXPECT_EQ(trace.algorithm, typed_trace.algorithm);
  EXPECT_EQ(trace.events, typed_trace.events);
}

TEST(Layered, ReliableRunsAreThoseOfTheClass) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    expect_same<Reliable<SuzukiKasami>, SuzukiKasami>(Layers::reliable, lossy_plan(seed));
    expect_same<Reliable<MaekawaSanders>, MaekawaSanders>(Layers::reliable, lossy_plan(seed));
  }
}

TEST(Layered, ResilientRunsAreThoseOfTheClass) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    expect_same<Resilient<SuzukiKasami>, SuzukiKasami>(Layers::resilient, crashing_plan(seed));
    expect_same<Resilient<Bully>, Bully>(Layers::resilient, crashing_plan(seed));
  }
}

TEST(Layered, BothLayersRunAsThoseOfTheClass) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Plan plan = crashing_plan(seed);
    plan.faults.loss = 0.05;
    expect_same<Resilient<Reliable<MaekawaSanders>>, MaekawaSanders>(Layers::both, plan);
  }
}

}  // namespace
}  // namespace baton::sim
