// What the oracles see, and what they must not hold against a run.
#include "lab/sim/oracle.h"

#include <gtest/gtest.h>

#include "lab/sim/catalog.h"

namespace baton::test {
namespace {

using sim::MutexOracle;
using sim::Plan;
using sim::Report;
using sim::Workload;

Plan plan_of(std::uint32_t size) {
  Plan plan;
  plan.setup = default_setup(size);
  return plan;
}

Report run(const char* name, const Plan& plan) { return sim::find(name)->run(plan, nullptr); }

class Watched : public testing::Test {
 protected:
  Report report;
  MutexOracle oracle{3, {10 * message_time, 100}, report};

  void enter_and_leave(NodeId node, Ticks from, Ticks to) {
    oracle.request(node, from);
    oracle.enter(node, from);
    oracle.exit(node, to);
  }
};

TEST_F(Watched, SilenceWhileSomeoneWaitsIsDeadlockAndStarvation) {
  oracle.request({1}, Ticks{0});
  oracle.fell_silent(Ticks{5});
  ASSERT_NE(report.violated(Promise::deadlock_freedom), nullptr);
  ASSERT_NE(report.violated(Promise::starvation_freedom), nullptr);
  EXPECT_EQ(report.violated(Promise::starvation_freedom)->what, "process 1 waits for ever");
}

TEST_F(Watched, BeingStuckIsLivelockAndStarvation) {
  oracle.request({1}, Ticks{0});
  oracle.request({2}, Ticks{0});
  oracle.report_stuck(11 * message_time);
  ASSERT_NE(report.violated(Promise::deadlock_freedom), nullptr);
  ASSERT_NE(report.violated(Promise::starvation_freedom), nullptr);
  EXPECT_EQ(report.violated(Promise::starvation_freedom)->what, "processes 1, 2 wait");
}

TEST_F(Watched, TheTimeInsideIsNotHeldAgainstThoseWhoWait) {
  oracle.request({0}, Ticks{0});
  oracle.enter({0}, Ticks{0});
  oracle.request({1}, message_time);
  EXPECT_FALSE(oracle.is_stuck(99 * message_time));
  oracle.exit({0}, 100 * message_time);
  EXPECT_FALSE(oracle.is_stuck(110 * message_time));
  EXPECT_TRUE(oracle.is_stuck(111 * message_time));
}

TEST_F(Watched, AFaultMayTakeTimeToGetOver) {
  oracle.request({0}, Ticks{0});
  oracle.excuse(8 * message_time);
  EXPECT_FALSE(oracle.is_stuck(18 * message_time));
  EXPECT_TRUE(oracle.is_stuck(19 * message_time));
}

TEST_F(Watched, WhoCrashesInsideIsInsideNoMore) {
  oracle.request({0}, Ticks{0});
  oracle.enter({0}, Ticks{0});
  oracle.crash({0}, Ticks{1});
  EXPECT_EQ(oracle.inside(), 0U);
  oracle.request({1}, Ticks{2});
  oracle.enter({1}, Ticks{2});
  EXPECT_TRUE(report.violations.empty());
}

TEST_F(Watched, WhoCrashesWhileWaitingWaitsNoMore) {
  oracle.request({0}, Ticks{0});
  oracle.crash({0}, Ticks{1});
  EXPECT_EQ(oracle.waiting(), 0U);
  EXPECT_FALSE(oracle.is_stuck(99 * message_time));
}

TEST_F(Watched, WhoCrashedCannotBeOvertaken) {
  oracle.request({0}, Ticks{0});
  oracle.order().send({0}, 0);
  oracle.order().receive({1}, 0);
  oracle.crash({0}, Ticks{1});
  oracle.request({1}, Ticks{2});
  oracle.enter({1}, Ticks{3});
  EXPECT_EQ(report.inversions, 0U);
}

TEST_F(Watched, HappenedBeforeIsTransitive) {
  oracle.request({0}, Ticks{0});
  oracle.order().send({0}, 0);
  oracle.order().receive({1}, 0);
  oracle.order().send({1}, 1);
  oracle.order().receive({2}, 1);
  oracle.request({2}, Ticks{2});
  oracle.enter({2}, Ticks{3});
  EXPECT_EQ(report.inversions, 1U);
}

TEST_F(Watched, AnOldRequestOfOneWhoWaitsAnewIsNotOvertaken) {
  enter_and_leave({0}, Ticks{0}, Ticks{1});
  oracle.order().send({0}, 0);
  oracle.request({0}, Ticks{2});
  oracle.order().receive({1}, 0);
  oracle.request({1}, Ticks{3});
  oracle.enter({1}, Ticks{4});
  EXPECT_EQ(report.inversions, 0U);
}

TEST_F(Watched, SynchronisationDelayIsMeasuredOnlyIfSomeoneWaitedAtTheExit) {
  enter_and_leave({0}, Ticks{0}, message_time);
  enter_and_leave({1}, 5 * message_time, 6 * message_time);
  EXPECT_EQ(report.sync_delay.count, 0U);
  oracle.request({0}, 7 * message_time);
  oracle.enter({0}, 7 * message_time);
  oracle.request({1}, 8 * message_time);
  oracle.exit({0}, 9 * message_time);
  oracle.enter({1}, 11 * message_time);
  EXPECT_EQ(report.sync_delay.count, 1U);
  EXPECT_EQ(report.sync_delay.mean(), 2);
}

TEST_F(Watched, ClientDelayIsMeasuredOnlyIfNobodyElseWasThere) {
  oracle.request({0}, Ticks{0});
  oracle.enter({0}, 2 * message_time);
  oracle.request({1}, 2 * message_time);
  oracle.exit({0}, 3 * message_time);
  oracle.enter({1}, 4 * message_time);
  oracle.exit({1}, 4 * message_time);
  EXPECT_EQ(report.client_delay.count, 1U);
  EXPECT_EQ(report.client_delay.mean(), 2);
  oracle.request({0}, 5 * message_time);
  oracle.request({1}, 6 * message_time);
  oracle.enter({0}, 9 * message_time);
  EXPECT_EQ(report.client_delay.count, 1U);
  EXPECT_EQ(report.waiting.count, 3U);
}

TEST_F(Watched, TellsHowOftenTheUnluckiestWasPassedOver) {
  oracle.request({2}, Ticks{0});
  for (int i = 0; i < 4; ++i) enter_and_leave({0}, Ticks{i}, Ticks{i});
  oracle.enter({2}, Ticks{9});
  EXPECT_EQ(report.most_bypassed, 4U);
}

// Runs that are slow by right. A bound that they pass would be a false alarm.

TEST(Bounds, LeaveTimeForATokenThatWandersAtRandom) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Plan plan = plan_of(60);
    plan.seed = seed;
    plan.workload.kind = Workload::Kind::one;
    const Report report = run("token-ring-bidirectional", plan);
    ASSERT_EQ(report.violated(Promise::deadlock_freedom), nullptr) << "seed " << seed;
    ASSERT_EQ(report.entries, 1U);
  }
}

TEST(Bounds, LeaveTimeForPausesThatAreLongComparedWithAHop) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Plan plan = plan_of(20);
    plan.seed = seed;
    plan.delay.low = Ticks{message_time.value / 1000};
    plan.critical_section = plan.delay.low;
    const Report report = run("majority-voting", plan);
    ASSERT_EQ(report.violated(Promise::deadlock_freedom), nullptr) << "seed " << seed;
    ASSERT_EQ(report.entries, 20U);
  }
}

TEST(Bounds, LetTheHolderEnterWhileARequestIsOnALongWay) {
  Plan plan = plan_of(50);
  plan.setup.tree = Tree::line();
  plan.critical_section = Ticks{message_time.value / 100};
  plan.workload = {.kind = Workload::Kind::one, .first = {0}};
  for (int i = 1; i < 6000; ++i) plan.workload.also.push_back({Ticks{i}, {0}});
  plan.workload.also.push_back({Ticks{1}, {49}});
  const Report report = run("raymond", plan);
  EXPECT_EQ(report.violated(Promise::starvation_freedom), nullptr);
  EXPECT_GT(report.most_bypassed, 4000U);
}

}  // namespace
}  // namespace baton::test
