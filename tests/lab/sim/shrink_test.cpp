#include "lab/sim/shrink.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace baton::test {
namespace {

using sim::Fault;
using sim::Plan;

Plan crowded() {
  Plan plan;
  plan.setup = default_setup(9);
  plan.seed = 42;
  plan.workload = {.kind = sim::Workload::Kind::saturated, .entries = 500};
  plan.delay.kind = sim::Delay::Kind::exponential;
  plan.faults.loss = 0.25;
  plan.faults.reordering = true;
  for (std::uint32_t i = 0; i < 8; ++i) {
    plan.faults.schedule.push_back(
        {.at = {1'234'567 * (i + 1)}, .kind = Fault::Kind::crash, .node = {i}});
  }
  for (const Assumption one : {Assumption::no_loss, Assumption::fifo, Assumption::no_crash}) {
    plan.may_break.add(one);
  }
  return plan;
}

TEST(Shrink, KeepsWhatMattersAndNothingElse) {
  const Info& info = sim::find("ricart-agrawala")->info();
  std::size_t asked = 0;
  // It fails whenever process 1 crashes and there is loss.
  const Plan least = sim::shrink(crowded(), info, [&](const Plan& plan) {
    ++asked;
    EXPECT_EQ(sim::objection(plan, info), std::nullopt);
    for (const Fault& fault : plan.faults.schedule) {
      if (fault.node == NodeId{1} && plan.faults.loss > 0) return true;
    }
    return false;
  });
  EXPECT_LE(asked, 400U);
  EXPECT_EQ(least.setup.size, 2U);
  ASSERT_EQ(least.faults.schedule.size(), 1U);
  EXPECT_EQ(least.faults.schedule.front().at, 2 * message_time);
  EXPECT_EQ(least.workload.entries, 1U);
  EXPECT_EQ(least.delay.kind, sim::Delay::Kind::constant);
  EXPECT_EQ(least.faults.loss, 0.25);
  EXPECT_EQ(least.seed, 42U);
}

TEST(Shrink, KeepsTheSizeIfTold) {
  const Plan least = sim::shrink(
      crowded(), sim::find("ricart-agrawala")->info(), [](const Plan&) { return true; }, true);
  EXPECT_EQ(least.setup.size, 9U);
  EXPECT_TRUE(least.faults.schedule.empty());
}

TEST(Shrink, StopsAskingInTime) {
  std::size_t asked = 0;
  sim::shrink(
      crowded(), sim::find("ricart-agrawala")->info(),
      [&](const Plan&) {
        ++asked;
        return false;
      },
      false, 10);
  EXPECT_EQ(asked, 10U);
}

TEST(Shrink, SaysHowToRunIt) {
  Plan plan = crowded();
  plan.setup = default_setup(3);
  plan.faults.schedule.resize(1);
  plan.faults.schedule.push_back(
      {.at = {5'000'000}, .kind = Fault::Kind::partition, .side_of = {0, 1, 1}});
  plan.faults.schedule.push_back(
      {.at = {7'500'000}, .kind = Fault::Kind::cut, .node = {0}, .whom = {2}});
  EXPECT_EQ(sim::options_of(plan, sim::find("ricart-agrawala")->info(), sim::Layers::both),
            "-n 3 --seed 42 --reliable --resilient --workload saturated --entries 500 --delay "
            "exponential:1 --reorder --loss 0.25 --crash 0@1.234567 --partition '0|1,2'@5 --cut "
            "0:2@7.5 --allow loss --allow reordering --allow crash");
}

Plan election() {
  Plan plan;
  plan.setup = default_setup(3);
  plan.setup.identities = {2, 0, 1};
  plan.setup.capacities = {4, 4, 7};
  plan.setup.delay_bound = 5 * message_time;
  plan.workload.kind = sim::Workload::Kind::one;
  plan.workload.also = {{message_time, {1}}, {2 * message_time, {2}}};
  plan.faults.detection = {7'250'000};
  return plan;
}

TEST(Shrink, LeavesOutElectionsAndIdentitiesThatDoNotMatter) {
  const Info& info = sim::find("bully")->info();
  const Plan least = sim::shrink(election(), info, [](const Plan& plan) {
    return std::any_of(plan.workload.also.begin(), plan.workload.also.end(),
                       [](const auto& one) { return one.second == NodeId{1}; });
  });
  EXPECT_EQ(least.workload.also.size(), 1U);
  EXPECT_TRUE(least.setup.identities.empty());
  EXPECT_TRUE(least.setup.capacities.empty());
}

TEST(Shrink, SaysHowToRunAnElection) {
  EXPECT_EQ(
      sim::options_of(election(), sim::find("bully")->info()),
      "-n 3 --seed 1 --ids 2,0,1 --capacities 4,4,7 --workload one --detect 7.25 --timeout 5");
  Plan usual;
  usual.setup = default_setup(3);
  usual.faults.detection = sim::usual_detection;
  EXPECT_EQ(sim::options_of(usual, sim::find("bully")->info()), "-n 3 --seed 1");
}

}  // namespace
}  // namespace baton::test
