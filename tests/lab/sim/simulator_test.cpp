// The simulator itself: faults do what they say, and the oracles see what they should.
#include <gtest/gtest.h>

#include <cmath>

#include "lab/sim/catalog.h"
#include "lab/sim/event_queue.h"
#include "lab/sim/oracle.h"
#include "lab/sim/random.h"

namespace baton::test {
namespace {

using sim::Fault;
using sim::MutexOracle;
using sim::Plan;
using sim::Random;
using sim::Report;
using sim::Workload;

Plan plan_of(std::uint32_t size) {
  Plan plan;
  plan.setup = default_setup(size);
  return plan;
}

Report run(const char* name, const Plan& plan) { return sim::find(name)->run(plan, nullptr); }

TEST(EventQueue, GivesEventsByTimeAndThenInTheOrderScheduled) {
  sim::EventQueue queue;
  Random random(7, 0);
  std::vector<std::int64_t> times;
  for (int i = 0; i < 5000; ++i) {
    const auto at = static_cast<std::int64_t>(random.below(100));
    queue.push(Ticks{at}, sim::EventKind::timer, nobody, static_cast<std::uint32_t>(i));
    if (random.chance(0.3)) queue.pop();
  }
  sim::Event last = queue.pop();
  while (!queue.empty()) {
    const sim::Event event = queue.pop();
    ASSERT_TRUE(last.before(event));
    last = event;
  }
}

TEST(Random, IsTheSameOnEveryMachine) {
  Random random(42, 1);
  EXPECT_EQ(random.bits(), Random(42, 1).bits());
  // Pinned: a change here changes every published run.
  Random pinned(1, 1);
  double sum = 0;
  for (int i = 0; i < 1000; ++i) sum += pinned.exponential() + pinned.heavy_tail();
  EXPECT_NEAR(sum / 1000, 2.0, 0.2);
}

TEST(Random, ItsLogarithmIsTheLogarithm) {
  double x = 1e-16;
  for (int i = 0; i < 117; ++i, x *= 1.37) {
    EXPECT_NEAR(Random::natural_log(x), std::log(x), 1e-12);
  }
}

TEST(Random, DelaysHaveMeanOne) {
  Random random(3, 1);
  double exponential = 0;
  double heavy = 0;
  constexpr int samples = 1'000'000;
  for (int i = 0; i < samples; ++i) {
    exponential += random.exponential();
    heavy += random.heavy_tail();
  }
  EXPECT_NEAR(exponential / samples, 1, 0.01);
  EXPECT_NEAR(heavy / samples, 1, 0.02);
}

TEST(Faults, ALostMessageNeverArrives) {
  Plan plan = plan_of(3);
  plan.faults.loss = 1;
  const Report report = run("ricart-agrawala", plan);
  EXPECT_EQ(report.deliveries, 0U);
  EXPECT_EQ(report.lost, 6U);
  EXPECT_NE(report.violated(Promise::deadlock_freedom), nullptr);
}

TEST(Faults, ADuplicatedMessageArrivesTwice) {
  Plan plan = plan_of(4);
  plan.faults.duplication = 1;
  const Report report = run("ricart-agrawala", plan);
  EXPECT_EQ(report.deliveries, 2 * report.messages());
  EXPECT_EQ(report.entries, 4U);
}

TEST(Faults, OneCrashStopsEveryoneUnderPlainRicartAgrawala) {
  Plan plan = plan_of(4);
  plan.workload.kind = Workload::Kind::closed;
  plan.workload.entries = 100;
  plan.faults.schedule = {{.at = 50 * message_time, .kind = Fault::Kind::crash, .node = {2}}};
  const Report report = run("ricart-agrawala", plan);
  ASSERT_NE(report.violated(Promise::deadlock_freedom), nullptr);
  EXPECT_GT(report.violated(Promise::deadlock_freedom)->at, 50 * message_time);
  EXPECT_EQ(report.violated(Promise::safety), nullptr);
}

TEST(Faults, APartitionSilencesAndHealingRestores) {
  Plan plan = plan_of(3);
  plan.workload = {.kind = Workload::Kind::one, .first = {0}, .also = {{10 * message_time, {1}}}};
  plan.faults.schedule = {{.at = Ticks{0}, .kind = Fault::Kind::partition, .side_of = {0, 0, 1}},
                          {.at = 9 * message_time, .kind = Fault::Kind::heal}};
  const Report report = run("ricart-agrawala", plan);
  // The first request met a cut and was lost; the later one finds only process 0 in its way, which
  // still waits for its own lost reply.
  EXPECT_EQ(report.lost, 1U);
  EXPECT_EQ(report.entries, 0U);
}

TEST(Faults, ACrashInsideFreesNobodyUnlessToldSo) {
  Plan plan = plan_of(3);
  plan.critical_section = 10 * message_time;
  plan.faults.schedule = {{.at = 5 * message_time, .kind = Fault::Kind::crash, .node = {0}}};
  const Report report = run("ricart-agrawala", plan);
  EXPECT_EQ(report.entries, 1U);
  EXPECT_NE(report.violated(Promise::deadlock_freedom), nullptr);
}

TEST(Workloads, EachMakesTheEntriesItSays) {
  for (const auto kind : {Workload::Kind::closed, Workload::Kind::poisson,
                          Workload::Kind::saturated, Workload::Kind::turns}) {
    Plan plan = plan_of(5);
    plan.workload.kind = kind;
    plan.workload.entries = 77;
    EXPECT_EQ(run("ricart-agrawala", plan).entries, 77U) << static_cast<int>(kind);
  }
  Plan plan = plan_of(5);
  EXPECT_EQ(run("ricart-agrawala", plan).entries, 5U);
  plan.workload.requesters = 3;
  EXPECT_EQ(run("ricart-agrawala", plan).entries, 3U);
  plan.workload = {.kind = Workload::Kind::one};
  EXPECT_EQ(run("ricart-agrawala", plan).entries, 1U);
}

TEST(Workloads, TurnsOfACirculatingTokenEndAlsoIfWhoWaitsCrashes) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Plan plan = plan_of(5);
    plan.seed = seed;
    plan.workload = {.kind = Workload::Kind::turns, .entries = 5};
    plan.faults.schedule = {{.at = Ticks{500'000}, .kind = Fault::Kind::crash, .node = {0}},
                            {.at = Ticks{900'000}, .kind = Fault::Kind::recover, .node = {0}}};
    EXPECT_LE(run("token-ring", plan).entries, 5U);
  }
}

TEST(Workloads, SaturationGivesOneEntryPerSynchronisationDelayAndCriticalSection) {
  Plan plan = plan_of(5);
  plan.workload.kind = Workload::Kind::saturated;
  plan.workload.entries = 5000;
  EXPECT_NEAR(run("ricart-agrawala", plan).throughput(), 0.5, 0.001);
}

TEST(Metrics, MulticastMakesNMessagesOfRicartAgrawala) {
  Plan plan = plan_of(10);
  plan.workload = {.kind = Workload::Kind::one};
  const Report report = run("ricart-agrawala", plan);
  EXPECT_EQ(report.messages(), 18U);
  EXPECT_EQ(report.transmissions, 10U);
}

TEST(Oracle, SeesTwoInside) {
  Report report;
  MutexOracle oracle(3, {forever, 100}, report);
  oracle.request({0}, Ticks{0});
  oracle.request({1}, Ticks{0});
  oracle.enter({0}, Ticks{1});
  EXPECT_TRUE(report.violations.empty());
  oracle.enter({1}, Ticks{2});
  ASSERT_NE(report.violated(Promise::safety), nullptr);
  EXPECT_EQ(report.violated(Promise::safety)->what,
            "processes 0 and 1 are inside at the same time");
}

TEST(Oracle, SeesAnEntryThatNobodyAskedFor) {
  Report report;
  MutexOracle oracle(2, {forever, 100}, report);
  EXPECT_FALSE(oracle.enter({1}, Ticks{0}));
  EXPECT_NE(report.violated(Promise::safety), nullptr);
}

TEST(Oracle, SeesThatNobodyGetsIn) {
  Report report;
  MutexOracle oracle(2, {10 * message_time, 100}, report);
  oracle.request({1}, 5 * message_time);
  EXPECT_FALSE(oracle.is_stuck(15 * message_time));
  EXPECT_TRUE(oracle.is_stuck(16 * message_time));
}

TEST(Oracle, SeesStarvation) {
  Report report;
  MutexOracle oracle(3, {forever, 10}, report);
  oracle.request({2}, Ticks{0});
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(report.violated(Promise::starvation_freedom), nullptr);
    oracle.request({0}, Ticks{i});
    oracle.enter({0}, Ticks{i});
    oracle.exit({0}, Ticks{i});
  }
  EXPECT_NE(report.violated(Promise::starvation_freedom), nullptr);
}

TEST(Oracle, CountsAnInversionOnlyWhereARequestHappenedBeforeTheOther) {
  for (const bool told : {false, true}) {
    Report report;
    MutexOracle oracle(2, {forever, 100}, report);
    oracle.request({0}, Ticks{0});
    oracle.order().send({0}, 0);
    if (told) oracle.order().receive({1}, 0);
    oracle.request({1}, Ticks{1});
    oracle.enter({1}, Ticks{2});
    EXPECT_EQ(report.inversions, told ? 1U : 0U);
  }
}

TEST(Objection, NamesTheAssumptionAndTheFlagThatBreaksIt) {
  Plan plan = plan_of(3);
  plan.faults.loss = 0.1;
  const auto why = sim::objection(plan, sim::find("ricart-agrawala")->info());
  ASSERT_TRUE(why.has_value());
  EXPECT_EQ(*why,
            "ricart-agrawala assumes that no message is lost; to break this on purpose add "
            "--allow loss");
  plan.may_break.add(Assumption::no_loss);
  EXPECT_EQ(sim::objection(plan, sim::find("ricart-agrawala")->info()), std::nullopt);
}

TEST(Objection, RefusesImpossibleSchedules) {
  const Info& info = sim::find("ricart-agrawala")->info();
  const auto refuses = [&](std::vector<Fault> schedule) {
    Plan plan = plan_of(3);
    plan.may_break = {Assumption::no_crash, Assumption::no_loss, Assumption::no_suspicion};
    plan.faults.schedule = std::move(schedule);
    return sim::objection(plan, info).value_or("");
  };
  EXPECT_EQ(refuses({{.at = Ticks{5}, .kind = Fault::Kind::crash, .node = {7}}}),
            "there is no process 7; the processes are 0 to 2");
  EXPECT_EQ(refuses({{.at = Ticks{5}, .kind = Fault::Kind::recover, .node = {1}}}),
            "process 1 cannot recover: it is not down at that time");
  EXPECT_EQ(refuses({{.at = Ticks{5}, .kind = Fault::Kind::crash, .node = {1}},
                     {.at = Ticks{6}, .kind = Fault::Kind::crash, .node = {1}}}),
            "process 1 cannot crash twice without a recovery in between");
  EXPECT_EQ(refuses({{.at = Ticks{5}, .kind = Fault::Kind::heal}}),
            "the network cannot heal: it is not partitioned at that time");
  EXPECT_EQ(refuses({{.at = Ticks{-1}, .kind = Fault::Kind::crash, .node = {1}}}),
            "a fault cannot happen before time 0");
}

}  // namespace
}  // namespace baton::test
