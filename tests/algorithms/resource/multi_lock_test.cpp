// Every way to acquire several resources, over every algorithm of the registry that promises
// freedom from deadlock.
#include "algorithms/resource/multi_lock.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "algorithms/mutex/ricart_agrawala.h"
#include "algorithms/resource/all_or_nothing.h"
#include "lab/sim/catalog.h"
#include "lab/sim/resource_oracle.h"
#include "support/random_plan.h"
#include "support/registry.h"

namespace baton {
namespace {

using sim::Entry;
using sim::Plan;
using sim::Report;

static_assert(ResourceProtocol<MultiLock<RicartAgrawala>>);
static_assert(ResourceProtocol<AllOrNothing>);

std::vector<const Entry*> deadlock_free_algorithms() {
  std::vector<const Entry*> all;
  for (const Entry& entry : sim::catalog()) {
    const Info& info = entry.info();
    const bool fits = entry.run_resources != nullptr && !info.is_wrong() &&
                      info.promises.has(Promise::deadlock_freedom);
    if (fits) all.push_back(&entry);
  }
  return all;
}

// Any delays and workload, two to six resources, of which each wants some: around the table or
// drawn.
Plan random_resource_plan(const Info& info, std::uint64_t seed, Acquisition acquisition) {
  Plan plan = test::random_plan(info, seed);
  sim::Random random(seed, 98);
  plan.inside = nobody;
  plan.setup.acquisition = acquisition;
  plan.setup.resources = static_cast<std::uint32_t>(2 + random.below(5));
  plan.workload.wants_each = static_cast<std::uint32_t>(1 + random.below(plan.setup.resources));
  plan.workload.wants_drawn = random.chance(0.5);
  return plan;
}

void expect_kept(const Entry& entry, Acquisition acquisition, std::uint64_t seeds) {
  const Info& info = entry.info();
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Plan plan = random_resource_plan(info, seed, acquisition);
    const Report report = entry.run_resources(plan, nullptr);
    const auto* broken = report.broken(sim::resource_promises(info, acquisition));
    ASSERT_EQ(broken, nullptr) << info.name << ", seed " << seed << ": " << broken->what;
    ASSERT_EQ(report.entries, report.requests) << info.name << ", seed " << seed;
    ASSERT_GT(report.entries, 0U);
  }
}

class Acquiring : public testing::TestWithParam<const Entry*> {
 protected:
  const Entry& entry() const { return *GetParam(); }
  const Info& info() const { return entry().info(); }
};

INSTANTIATE_TEST_SUITE_P(Every, Acquiring, testing::ValuesIn(deadlock_free_algorithms()),
                         test::as_printed);

TEST_P(Acquiring, NaivelyDeadlocksAndTheCycleIsNamed) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Plan plan = random_resource_plan(info(), seed, Acquisition::naive);
    plan.setup = default_setup(2);
    plan.setup.resources = 2;
    plan.workload = {.kind = sim::Workload::Kind::saturated, .entries = 40};
    const Report report = entry().run_resources(plan, nullptr);
    if (report.violations.empty()) continue;
    EXPECT_EQ(report.violations.size(), 1U);
    EXPECT_EQ(report.violations.front().promise, Promise::deadlock_freedom);
    EXPECT_EQ(report.violations.front().what,
              "deadlock: 0 holds A and waits for B, held by 1, which waits for A");
    return;
  }
  FAIL() << "no deadlock in 200 runs of " << info().name;
}

TEST_P(Acquiring, InAscendingOrderAllGetWhatTheyWant) {
  expect_kept(entry(), Acquisition::ascending, 150);
}

TEST_P(Acquiring, BehindAGateAllGetWhatTheyWant) { expect_kept(entry(), Acquisition::atomic, 150); }

TEST_P(Acquiring, WithDetectionAllGetWhatTheyWant) {
  expect_kept(entry(), Acquisition::detect, 150);
}

TEST_P(Acquiring, DetectionRefusesWhatWouldCloseACycle) {
  std::uint64_t refusals = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Plan plan = random_resource_plan(info(), seed, Acquisition::detect);
    plan.setup = default_setup(3);
    plan.setup.resources = 3;
    plan.setup.acquisition = Acquisition::detect;
    plan.workload = {.kind = sim::Workload::Kind::saturated, .entries = 60};
    const Report report = entry().run_resources(plan, nullptr);
    EXPECT_EQ(report.entries, 60U);
    refusals += report.refusals;
  }
  EXPECT_GT(refusals, 0U);
}

TEST_P(Acquiring, IsTheSameRunWithTheSameSeed) {
  const Plan plan = random_resource_plan(info(), 7, Acquisition::detect);
  Trace once;
  Trace again;
  entry().run_resources(plan, &once);
  entry().run_resources(plan, &again);
  EXPECT_EQ(once, again);
}

const Entry& central() { return *sim::find("central"); }

TEST(AllOrNothing, AllGetWhatTheyWant) { expect_kept(central(), Acquisition::coordinator, 1000); }

Plan plan_for(std::uint32_t size, std::uint32_t resources, Acquisition acquisition) {
  Plan plan;
  plan.setup = default_setup(size);
  plan.setup.resources = resources;
  plan.setup.acquisition = acquisition;
  return plan;
}

// 1 and 2 want different things. Behind the gate 2 waits although all it wants is free.
TEST(AllOrNothing, LetsThoseWhoWantDifferentThingsGoOnTogether) {
  for (const Acquisition acquisition : {Acquisition::coordinator, Acquisition::atomic}) {
    Plan plan = plan_for(4, 4, acquisition);
    plan.critical_section = 100 * message_time;
    plan.workload.kind = sim::Workload::Kind::one;
    plan.workload.first = {1};
    plan.workload.also = {{20 * message_time, {2}}, {40 * message_time, {3}}};
    plan.workload.wants = {{}, {{0}, {1}}, {{1}, {2}}, {{3}}};
    const Report report = central().run_resources(plan, nullptr);
    EXPECT_EQ(report.entries, 3U);
    // 2 waits for B in either case; 3, who wants only D, gets it at once or waits for the gate.
    EXPECT_GT(report.waiting.max, 80);
    EXPECT_EQ(report.waiting.sum < 100, acquisition == Acquisition::coordinator);
  }
}

TEST(AllOrNothing, CostsThreeMessagesForAnyNumberOfResources) {
  Plan plan = plan_for(3, 5, Acquisition::coordinator);
  plan.workload.kind = sim::Workload::Kind::one;
  plan.workload.first = {1};
  plan.workload.wants_each = 5;
  const Report report = central().run_resources(plan, nullptr);
  EXPECT_EQ(report.messages(), 3U);
  EXPECT_EQ(report.waiting.mean(), 2);
}

// Alone, with Ricart–Agrawala: 2(N−1) messages per resource.
TEST(MultiLock, CostsWhatItsLocksCost) {
  const Entry& entry = *sim::find("ricart-agrawala");
  const auto messages = [&](Acquisition acquisition, double waited) {
    Plan plan = plan_for(4, 3, acquisition);
    plan.workload.kind = sim::Workload::Kind::one;
    plan.workload.first = {2};
    plan.workload.wants_each = 3;
    const Report report = entry.run_resources(plan, nullptr);
    EXPECT_EQ(report.waiting.mean(), waited);
    return report.messages();
  };
  EXPECT_EQ(messages(Acquisition::naive, 6), 3 * 6U);
  EXPECT_EQ(messages(Acquisition::ascending, 6), 3 * 6U);
  // The gate is one more, and behind it all are asked for at once.
  EXPECT_EQ(messages(Acquisition::atomic, 4), 4 * 6U);
  // A question and an answer for the second and the third, and the news at the end.
  EXPECT_EQ(messages(Acquisition::detect, 10), 3 * 6U + 2 * 2 + 1);
}

TEST(MultiLock, TellsWhyItRefuses) {
  Plan plan = plan_for(2, 2, Acquisition::detect);
  Trace trace;
  sim::find("ricart-agrawala")->run_resources(plan, &trace);
  std::size_t told = 0;
  for (const TraceEvent& event : trace.events) {
    if (event.kind != TraceKind::note || !event.name.starts_with("is refused")) continue;
    ++told;
    EXPECT_EQ(event.name, "is refused A: 0 holds A and waits for B, held by 1, which waits for A");
  }
  EXPECT_EQ(told, 1U);
}

// Messages name their resource in traces, and types keep the names that their algorithm gave them.
TEST(MultiLock, MessagesAreCalledByTheirOwnNames) {
  Plan plan = plan_for(2, 2, Acquisition::ascending);
  Trace trace;
  const Report report = sim::find("ricart-agrawala")->run_resources(plan, &trace);
  EXPECT_EQ(report.by_type.front().name, "Request");
  bool seen = false;
  for (const TraceEvent& event : trace.events) {
    if (event.kind != TraceKind::send || event.name != "Request") continue;
    seen = seen || event.body == "(A <1,0>)";
  }
  EXPECT_TRUE(seen);
}

class NoChoice : public Chooser {
  std::uint32_t choose(std::uint32_t) override { return 0; }
};

// What hosts need of any protocol's state.
TEST(MultiLock, ItsStateIsAValue) {
  auto setup = default_setup(2);
  setup.resources = 2;
  setup.acquisition = Acquisition::detect;
  MultiLock<RicartAgrawala> protocol({1}, setup);
  const auto before = reflect::hash(protocol.state());
  EXPECT_EQ(before, reflect::hash(MultiLock<RicartAgrawala>({1}, setup).state()));
  NoChoice chooser;
  MultiLock<RicartAgrawala>::Out out(chooser);
  const MultiLock<RicartAgrawala> copy = protocol;
  protocol.acquire({{1}, {0}}, out);
  EXPECT_NE(before, reflect::hash(protocol.state()));
  EXPECT_EQ(before, reflect::hash(copy.state()));
}

// A question that arrives twice or late must not bring back what its process no longer holds.
TEST(MultiLock, TheCoordinatorHeedsOnlyTheLatestNews) {
  auto setup = default_setup(3);
  setup.resources = 2;
  setup.acquisition = Acquisition::detect;
  MultiLock<RicartAgrawala> coordinator({0}, setup);
  NoChoice chooser;
  MultiLock<RicartAgrawala>::Out out(chooser);
  const MayIWait question{{1}, {{0}}, {1}};
  coordinator.receive({1}, question, out);
  ASSERT_EQ(out.sends().size(), 1U);
  out.clear();
  coordinator.receive({1}, HaveLetGo{{2}}, out);
  coordinator.receive({1}, question, out);
  EXPECT_TRUE(out.sends().empty());
  // Had the question been heeded, this one would close a cycle.
  coordinator.receive({2}, MayIWait{{1}, {{1}}, {0}}, out);
  ASSERT_EQ(out.sends().size(), 1U);
  EXPECT_TRUE(std::holds_alternative<Wait>(out.message(out.sends().front())));
}

}  // namespace
}  // namespace baton
