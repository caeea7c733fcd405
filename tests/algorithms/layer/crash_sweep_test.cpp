// Crashes at every moment: while idle, waiting, inside, holding the token, as coordinator, and
// during the recovery from another crash. Not drawn at random but swept over.
#include <gtest/gtest.h>

#include <string>

#include "lab/sim/catalog.h"
#include "lab/sim/shrink.h"
#include "support/registry.h"

namespace baton::test {
namespace {

using sim::Entry;
using sim::Fault;
using sim::Layers;
using sim::Plan;
using sim::Report;
using sim::Workload;

class CrashSweep : public testing::TestWithParam<const Entry*> {
 protected:
  static constexpr std::uint32_t size = 5;

  static Plan plan() {
    Plan plan;
    plan.setup = default_setup(size);
    plan.workload = {.kind = Workload::Kind::saturated, .entries = 60};
    return plan;
  }

  void expect_kept(const Plan& plan) const {
    const sim::Runnable& subject = GetParam()->with(Layers::resilient);
    ASSERT_EQ(sim::objection(plan, subject.info()), std::nullopt);
    const Report report = subject.run(plan, nullptr);
    const sim::Violation* broken = report.broken(subject.info().promises);
    ASSERT_EQ(broken, nullptr) << broken->what << "\nbaton sim " << GetParam()->info().name << " "
                               << sim::options_of(plan, subject.info(), Layers::resilient);
    ASSERT_FALSE(report.stalled);
    // Those who live get in again after the crash. Who crashes cannot ask any more.
    ASSERT_GE(report.entries, 40U) << sim::options_of(plan, subject.info(), Layers::resilient);
  }
};

Fault crash(std::uint32_t node, std::int64_t tenths) {
  return {.at = {tenths * 100'000}, .kind = Fault::Kind::crash, .node = {node}};
}

TEST_P(CrashSweep, OfOneProcessAtAnyMoment) {
  for (std::uint32_t node = 0; node < size; ++node) {
    for (std::int64_t tenths = 0; tenths < 300; tenths += 7) {
      Plan one = plan();
      one.faults.schedule = {crash(node, tenths)};
      expect_kept(one);
    }
  }
}

TEST_P(CrashSweep, OfAnotherDuringRecovery) {
  for (std::uint32_t first = 0; first < size; ++first) {
    for (std::uint32_t second = 0; second < size; ++second) {
      if (first == second) continue;
      for (std::int64_t later = 1; later < 400; later += 37) {
        Plan two = plan();
        two.faults.schedule = {crash(first, 200), crash(second, 200 + later)};
        expect_kept(two);
      }
    }
  }
}

TEST_P(CrashSweep, AndRecoveryAtAnyMoment) {
  for (std::uint32_t node = 0; node < size; ++node) {
    for (std::int64_t later = 0; later < 500; later += 23) {
      Plan back = plan();
      back.faults.schedule = {
          crash(node, 200),
          {.at = {20'000'000 + later * 100'000}, .kind = Fault::Kind::recover, .node = {node}}};
      expect_kept(back);
    }
  }
}

TEST_P(CrashSweep, NewProcessesJoin) {
  for (std::uint32_t node = 0; node < size; ++node) {
    Plan plan = CrashSweep::plan();
    plan.faults.absent = {{node}};
    plan.faults.schedule = {{.at = {35'000'000}, .kind = Fault::Kind::recover, .node = {node}}};
    plan.workload = {.kind = Workload::Kind::one,
                     .first = {(node + 1) % size},
                     .also = {{{80'000'000}, {node}}}};
    const Report report = GetParam()->with(Layers::resilient).run(plan, nullptr);
    EXPECT_TRUE(report.violations.empty() || report.violations.front().promise == Promise::order);
    EXPECT_EQ(report.entries, 2U) << "process " << node << " joins and enters";
  }
}

INSTANTIATE_TEST_SUITE_P(Locks, CrashSweep,
                         testing::ValuesIn(layered_entries(Kind::mutual_exclusion)), as_printed);

TEST(Layers, CarryEveryLockThatPromisesToLetSomeoneIn) {
  for (const Entry& entry : sim::catalog()) {
    const Info& info = entry.info();
    if (info.kind != Kind::mutual_exclusion || info.is_wrong()) continue;
    const bool promises =
        info.promises.has(Promise::safety) && info.promises.has(Promise::deadlock_freedom);
    EXPECT_EQ(entry.with(Layers::both).run != nullptr, promises) << info.name;
  }
}

// One process crashes under a plain algorithm: everyone waits for ever. On the layer they go on.
TEST(Layers, LetAGroupGoOnWhereThePlainAlgorithmStands) {
  for (const char* name : {"ricart-agrawala", "lamport", "token-ring"}) {
    const Entry& entry = *sim::find(name);
    Plan plan;
    plan.setup = default_setup(5);
    plan.workload = {.kind = Workload::Kind::saturated, .entries = 60};
    plan.faults.schedule = {crash(2, 100)};
    plan.may_break.add(Assumption::no_crash);
    EXPECT_NE(entry.run(plan, nullptr).violated(Promise::deadlock_freedom), nullptr) << name;
    const Report report = entry.with(Layers::resilient).run(plan, nullptr);
    EXPECT_EQ(report.violated(Promise::deadlock_freedom), nullptr) << name;
    EXPECT_GE(report.entries, 40U) << name;
  }
}

TEST(Layers, StopRatherThanGuessWithoutAMajority) {
  Plan plan;
  plan.setup = default_setup(5);
  plan.workload = {.kind = Workload::Kind::closed, .entries = 200};
  plan.faults.schedule = {crash(0, 300), crash(1, 300), crash(2, 300)};
  const Report report = sim::find("ricart-agrawala")->with(Layers::resilient).run(plan, nullptr);
  EXPECT_TRUE(report.stalled);
  EXPECT_EQ(report.broken({Promise::safety, Promise::deadlock_freedom}), nullptr);
}

TEST(Layers, EndAlsoWhenEveryoneIsDown) {
  Plan plan;
  plan.setup = default_setup(3);
  plan.workload = {.kind = Workload::Kind::closed, .entries = 200};
  plan.faults.schedule = {crash(0, 100), crash(1, 150), crash(2, 200)};
  const Report report = sim::find("central")->with(Layers::both).run(plan, nullptr);
  EXPECT_EQ(report.broken({Promise::safety, Promise::deadlock_freedom}), nullptr);
}

// Who is cut off with the lock is told that it has lost it, before another gets it.
TEST(Layers, TellWhoIsCutOffThatItHasLostTheLock) {
  Plan plan;
  plan.setup = default_setup(5);
  plan.critical_section = 200 * message_time;
  plan.workload = {.kind = Workload::Kind::one, .first = {4}, .also = {{30 * message_time, {0}}}};
  plan.faults.schedule = {
      {.at = 20 * message_time, .kind = Fault::Kind::partition, .side_of = {0, 0, 0, 0, 1}}};
  Trace trace;
  const Report report = sim::find("ricart-agrawala")->with(Layers::resilient).run(plan, &trace);
  EXPECT_EQ(report.losses, 1U);
  EXPECT_EQ(report.entries, 2U);
  EXPECT_EQ(report.refused, 0U);
  EXPECT_EQ(report.violated(Promise::safety), nullptr);
  Ticks lost{};
  Ticks entered{};
  for (const TraceEvent& event : trace.events) {
    if (event.kind == TraceKind::lose) lost = event.at;
    if (event.kind == TraceKind::enter && event.node == NodeId{0}) entered = event.at;
  }
  EXPECT_LT(lost, entered);
}

// A partition gives one leader per side where nobody must approve; with a majority it does not.
TEST(Layers, GiveAPartitionedGroupOneLeader) {
  for (const char* name : {"bully", "ring-election", "chang-roberts", "hirschberg-sinclair"}) {
    Plan plan;
    plan.setup = default_setup(5);
    plan.workload = {.kind = Workload::Kind::one, .first = {0}};
    plan.faults.schedule = {
        {.at = 60 * message_time, .kind = Fault::Kind::partition, .side_of = {0, 0, 0, 1, 1}}};
    const Report report = sim::find(name)->with(Layers::both).run(plan, nullptr);
    EXPECT_TRUE(report.violations.empty()) << name << ": " << report.violations.front().what;
    const std::vector<NodeId> expected{{2}, {2}, {2}, nobody, nobody};
    EXPECT_EQ(report.leaders, expected) << name;
  }
  // The textbook's way, with a detector that tells each side of the other's silence.
  Plan plan;
  plan.setup = default_setup(5);
  plan.workload = {.kind = Workload::Kind::one, .first = {0}};
  plan.faults.detection = 3 * message_time;
  plan.faults.schedule = {
      {.at = 60 * message_time, .kind = Fault::Kind::partition, .side_of = {0, 0, 0, 1, 1}}};
  const std::vector<NodeId> two{{2}, {2}, {2}, {4}, {4}};
  EXPECT_EQ(sim::find("bully")->run(plan, nullptr).leaders, two);
}

// The literal rule and a write to a minority are in tests/algorithms/resource; here the oracle's own
// resource.
TEST(Layers, TheResourceMayBeKeptBySeveralServers) {
  Plan plan;
  plan.setup = default_setup(5);
  plan.servers = 5;
  plan.critical_section = 10 * message_time;
  plan.workload = {.kind = Workload::Kind::one, .first = {4}, .also = {{20 * message_time, {0}}}};
  plan.faults.schedule = {{.at = 12 * message_time, .kind = Fault::Kind::pause, .node = {4}},
                          {.at = 200 * message_time, .kind = Fault::Kind::resume, .node = {4}}};
  std::uint64_t refused = 0;
  for (plan.seed = 0; plan.seed < 50; ++plan.seed) {
    const Report report = sim::find("suzuki-kasami")->with(Layers::resilient).run(plan, nullptr);
    EXPECT_EQ(report.violated(Promise::safety), nullptr);
    EXPECT_EQ(report.refused + report.losses, 1U);
    refused += report.refused;
  }
  EXPECT_GT(refused, 0U);
}

Plan group_of_three(Workload workload, std::vector<Fault> schedule) {
  Plan plan;
  plan.setup = default_setup(3);
  plan.workload = std::move(workload);
  plan.faults.schedule = std::move(schedule);
  plan.time_limit = 3000 * message_time;
  return plan;
}

// 1 is inside and promises a view that comes to nothing; 0, which cannot see 2, then decides
// without that hold. 2 goes on vouching for 1, whose own word must not make that a majority for
// ever.
TEST(Layers, OnesOwnWordEndsWithOnesPromise) {
  Plan plan = group_of_three(
      {.kind = Workload::Kind::saturated, .entries = 6},
      {{.at = 112 * message_time, .kind = Fault::Kind::cut, .node = {0}, .whom = {2}},
       {.at = 112 * message_time, .kind = Fault::Kind::suspect, .node = {1}, .whom = {0}}});
  plan.critical_section = 100 * message_time;
  const Report report = sim::find("suzuki-kasami")->with(Layers::both).run(plan, nullptr);
  EXPECT_EQ(report.violated(Promise::safety), nullptr);
  EXPECT_EQ(report.losses, 1U);
}

// 0 and 1 cannot see each other and propose in turn, each while the other's view waits for leases.
TEST(Layers, AViewThatIsDecidedIsNotDeposedWhileItWaits) {
  const Plan plan = group_of_three(
      {.kind = Workload::Kind::closed, .entries = 60},
      {{.at = 32 * message_time, .kind = Fault::Kind::suspect, .node = {1}, .whom = {0}},
       {.at = 50 * message_time, .kind = Fault::Kind::cut, .node = {0}, .whom = {1}}});
  EXPECT_GE(sim::find("central")->with(Layers::both).run(plan, nullptr).entries, 55U);
}

// 1 is heard late, though regularly: it is a member, but never has a lease.
TEST(Layers, WhoHasNoLeaseDoesNotKeepOthersOut) {
  Plan plan = group_of_three({.kind = Workload::Kind::closed, .entries = 40}, {});
  plan.faults.slow = {{{1}, {0}, 20 * message_time}, {{1}, {2}, 20 * message_time}};
  EXPECT_GE(sim::find("central")->with(Layers::resilient).run(plan, nullptr).entries, 35U);
}

// A zombie: paused inside, it wakes up and still believes. The resource does not.
TEST(Layers, TheFenceStopsAZombie) {
  Plan plan;
  plan.setup = default_setup(5);
  plan.critical_section = 10 * message_time;
  plan.workload = {.kind = Workload::Kind::one, .first = {4}, .also = {{20 * message_time, {0}}}};
  plan.faults.schedule = {{.at = 12 * message_time, .kind = Fault::Kind::pause, .node = {4}},
                          {.at = 200 * message_time, .kind = Fault::Kind::resume, .node = {4}}};
  const Report report = sim::find("suzuki-kasami")->with(Layers::resilient).run(plan, nullptr);
  EXPECT_EQ(report.zombies, 1U);
  EXPECT_EQ(report.violated(Promise::safety), nullptr);
  // It leaves only now, and is either told before, or refused.
  EXPECT_EQ(report.refused + report.losses, 1U);
}

}  // namespace
}  // namespace baton::test
