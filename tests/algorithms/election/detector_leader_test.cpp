#include "algorithms/election/detector_leader.h"

#include <gtest/gtest.h>

#include "lab/sim/catalog.h"
#include "support/seeded_chooser.h"

namespace baton::test {
namespace {

using sim::Fault;
using sim::Plan;
using sim::Report;
using sim::Workload;

const sim::Entry& detector_leader() { return *sim::find("detector-leader"); }

Report run(const Plan& plan) {
  EXPECT_EQ(sim::objection(plan, detector_leader().info()), std::nullopt);
  return detector_leader().run(plan, nullptr);
}

// Everything is quick but what process 0 sends to process 1.
Plan one_slow_channel(bool patience_grows) {
  Plan plan;
  plan.setup = default_setup(3);
  plan.setup.choose(DetectorLeader::detector, patience_grows ? 0 : 1);
  plan.faults.slow = {{{0}, {1}, 6 * message_time}};
  return plan;
}

TEST(DetectorLeader, TheSmallestLeadsWhereNothingHappens) {
  for (std::uint32_t size = 2; size <= 20; ++size) {
    Plan plan;
    plan.setup = default_setup(size);
    const Report report = run(plan);
    EXPECT_TRUE(report.violations.empty());
    EXPECT_EQ(report.leaders, std::vector<NodeId>(size, NodeId{0}));
    // Once at the beginning, once because the application asked: nobody was ever suspected.
    EXPECT_EQ(report.entries, 2 * size);
    EXPECT_EQ(report.messages() % (size * (size - 1)), 0U) << "a pulse is heard by everyone";
  }
}

TEST(DetectorLeader, AnEventuallyStrongDetectorMayDisagreeForEver) {
  const Report report = run(one_slow_channel(false));
  EXPECT_EQ(report.leaders, (std::vector<NodeId>{{0}, {1}, {0}}));
  EXPECT_NE(report.violated(Promise::one_leader), nullptr);
  EXPECT_NE(report.violated(Promise::everyone_learns), nullptr);
}

TEST(DetectorLeader, AnEventuallyPerfectOneAgreesInTheSameWorld) {
  const Report report = run(one_slow_channel(true));
  EXPECT_TRUE(report.violations.empty()) << report.violations.front().what;
  EXPECT_EQ(report.leaders, std::vector<NodeId>(3, NodeId{0}));
  EXPECT_GT(report.entries, 6U) << "process 1 was wrong for a while";
}

TEST(DetectorLeader, AnEventuallyStrongOneAgreesWhereNoChannelIsSlow) {
  Plan plan = one_slow_channel(false);
  plan.faults.slow.clear();
  plan.setup.choose(DetectorLeader::detector, 1);
  EXPECT_TRUE(run(plan).violations.empty());
  // A process at the far end of a slow channel that nobody would choose does no harm either.
  plan.faults.slow = {{{2}, {1}, 6 * message_time}};
  EXPECT_TRUE(run(plan).violations.empty());
}

TEST(DetectorLeader, TheNextLeadsWhileTheSmallestIsDown) {
  Plan plan;
  plan.setup = default_setup(5);
  plan.faults.schedule = {{.at = 10 * message_time, .kind = Fault::Kind::crash, .node = {0}}};
  EXPECT_EQ(run(plan).leaders, (std::vector<NodeId>{nobody, {1}, {1}, {1}, {1}}));
  plan.faults.schedule.push_back(
      {.at = 80 * message_time, .kind = Fault::Kind::recover, .node = {0}});
  const Report report = run(plan);
  EXPECT_TRUE(report.violations.empty());
  EXPECT_EQ(report.leaders, std::vector<NodeId>(5, NodeId{0}));
}

TEST(DetectorLeader, EachSideOfAPartitionHasItsOwnAndTogetherOneAgain) {
  Plan plan;
  plan.setup = default_setup(5);
  plan.faults.schedule = {
      {.at = 10 * message_time, .kind = Fault::Kind::partition, .side_of = {1, 2, 1, 2, 2}}};
  const Report parted = run(plan);
  EXPECT_TRUE(parted.violations.empty());
  EXPECT_EQ(parted.leaders, (std::vector<NodeId>{{0}, {1}, {0}, {1}, {1}}));
  plan.faults.schedule.push_back({.at = 90 * message_time, .kind = Fault::Kind::heal});
  const Report healed = run(plan);
  EXPECT_TRUE(healed.violations.empty());
  EXPECT_EQ(healed.leaders, std::vector<NodeId>(5, NodeId{0}));
}

class NoChoice : public Chooser {
 public:
  std::uint32_t choose(std::uint32_t) override { return 0; }
};

TEST(DetectorLeader, AnswersToAnEarlierLifeProveNothing) {
  const baton::Setup setup = default_setup(2);
  NoChoice chooser;
  DetectorLeader::Out out(chooser);
  DetectorLeader process({1}, setup);
  process.start(out);
  for (std::uint32_t i = 0; i < HeartbeatDetector::first_patience; ++i) process.expire({0}, out);
  ASSERT_EQ(process.state().leader, NodeId{1});
  process.receive({0}, DetectorLeader::Heartbeat{{1}, {{1}, {999}}}, out);
  EXPECT_EQ(process.state().leader, NodeId{1});
  EXPECT_EQ(process.state().detector.patience[0], HeartbeatDetector::first_patience);
  process.receive({0}, DetectorLeader::Heartbeat{{2}, {{1}, {0}}}, out);
  EXPECT_EQ(process.state().leader, NodeId{1});
  process.receive({0}, DetectorLeader::Heartbeat{{3}, {{1}, {4}}}, out);
  EXPECT_EQ(process.state().leader, NodeId{0});
}

// Crashes and recoveries of anyone at any time, with delays, losses and slow channels.
Plan random_world(std::uint64_t seed) {
  SeededChooser chooser(seed);
  Plan plan;
  plan.seed = seed;
  plan.setup = default_setup(2 + chooser.choose(5));
  const std::uint32_t size = plan.setup.size;
  plan.delay.kind = chooser.choose(2) == 0 ? sim::Delay::Kind::constant : sim::Delay::Kind::uniform;
  if (plan.delay.kind == sim::Delay::Kind::uniform) {
    plan.delay.low = Ticks{1};
    plan.delay.high = Ticks{1 + chooser.choose(3'000'000)};
  }
  if (chooser.choose(20) == 0) {
    plan.delay.kind = sim::Delay::Kind::exponential;
    plan.delay.low = plan.delay.high = message_time;
  }
  // Its guess may be too small or too large.
  plan.setup.delay_bound = {500'000 + chooser.choose(2'000'000)};
  plan.faults.reordering = chooser.choose(2) == 0;
  if (chooser.choose(2) == 0) plan.faults.duplication = 0.2;
  if (chooser.choose(2) == 0) plan.faults.loss = 0.1;
  for (std::uint32_t i = chooser.choose(3); i > 0; --i) {
    plan.faults.slow.push_back(
        {{chooser.choose(size)}, {chooser.choose(size)}, Ticks{chooser.choose(10'000'000)}});
  }
  for (std::uint32_t i = 0; i < size; ++i) {
    if (chooser.choose(2) == 0) continue;
    Ticks at{chooser.choose(40'000'000)};
    plan.faults.schedule.push_back({.at = at, .kind = Fault::Kind::crash, .node = {i}});
    if (chooser.choose(3) == 0) continue;
    at = at + Ticks{1 + chooser.choose(60'000'000)};
    plan.faults.schedule.push_back({.at = at, .kind = Fault::Kind::recover, .node = {i}});
  }
  return plan;
}

TEST(DetectorLeader, AgreesOnTheSmallestAliveInRandomWorlds) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const Report report = run(random_world(seed));
    ASSERT_TRUE(report.violations.empty())
        << "seed " << seed << ": " << report.violations.front().what;
  }
}

// The same worlds tell the two detectors apart, so that they are hard enough.
TEST(DetectorLeader, WithoutGrowingPatienceSomeOfTheseWorldsAreTooSlow) {
  std::uint32_t disagreed = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Plan plan = random_world(seed);
    plan.delay = {};
    plan.faults.loss = 0;
    plan.setup.choose(DetectorLeader::detector, 1);
    if (!run(plan).violations.empty()) ++disagreed;
  }
  EXPECT_GT(disagreed, 0U);
}

}  // namespace
}  // namespace baton::test
