// Worlds drawn from a seed, within what an algorithm assumes, for tests that hold for all of them.
#pragma once

#include <cstdint>
#include <utility>

#include "core/info.h"
#include "lab/sim/plan.h"
#include "lab/sim/random.h"
#include "support/random_parameters.h"

namespace baton::test {

// A group of 2 to 8, sometimes larger, under any delay and workload, with every fault that the
// algorithm tolerates, and those in `broken` besides. Trees, voting sets, who starts inside and who
// asks at all are drawn too.
inline sim::Plan random_plan(const Info& info, std::uint64_t seed, Assumptions broken = {}) {
  sim::Random random(seed, 99);
  sim::Plan plan;
  plan.seed = seed;
  plan.setup =
      default_setup(static_cast<std::uint32_t>(2 + random.below(random.chance(0.05) ? 24 : 7)));
  const Tree trees[] = {Tree::star(), Tree::line(), Tree::binary()};
  plan.setup.tree = trees[random.below(3)];
  plan.setup.coordinator = {static_cast<std::uint32_t>(random.below(plan.setup.size))};
  plan.may_break = broken;

  plan.delay.kind = static_cast<sim::Delay::Kind>(random.below(4));
  if (plan.delay.kind == sim::Delay::Kind::uniform) {
    plan.delay.low = Ticks{1};
    plan.delay.high = 4 * message_time;
  }
  const sim::Workload::Kind kinds[] = {sim::Workload::Kind::everyone, sim::Workload::Kind::closed,
                                       sim::Workload::Kind::poisson,
                                       sim::Workload::Kind::saturated};
  plan.workload.kind = kinds[random.below(4)];
  plan.workload.entries = 4 * plan.setup.size;
  plan.workload.think = static_cast<std::int64_t>(1 + random.below(10)) * message_time;
  plan.workload.rate = 0.05 + 0.3 * random.unit();
  // Often comparable to a hop, sometimes over before anyone can have heard of it.
  plan.critical_section = {
      1 + static_cast<std::int64_t>(random.below(random.chance(0.2) ? 1'000 : 3'000'000))};
  if (random.chance(0.2)) {
    plan.workload.requesters = 1 + static_cast<std::uint32_t>(random.below(plan.setup.size));
  }
  if (random.chance(0.2)) {
    plan.inside = {static_cast<std::uint32_t>(random.below(plan.setup.size))};
  }
  if (random.chance(0.3)) plan.setup.voting = cyclic_voting_sets(plan.setup.size);
  if (random.chance(0.5)) {
    if (auto grid = grid_voting_sets(plan.setup.size)) plan.setup.voting = std::move(grid);
  }
  draw_parameters(info, random, plan.setup);

  const auto may = [&](Assumption assumption) {
    return broken.has(assumption) || !info.assumes.has(assumption);
  };
  if (may(Assumption::fifo)) plan.faults.reordering = random.chance(0.7);
  // Where messages are passed on, copies multiply with every hop, so large groups get few.
  if (may(Assumption::no_duplication) && random.chance(0.7)) {
    plan.faults.duplication = plan.setup.size > 8 ? 0.05 : random.chance(0.2) ? 0.9 : 0.3;
  }
  if (broken.has(Assumption::no_loss)) plan.faults.loss = 0.1;
  if (broken.has(Assumption::no_suspicion)) {
    for (int i = 0; i < 4; ++i) {
      plan.faults.schedule.push_back(
          {.at = Ticks{static_cast<std::int64_t>(random.below(20'000'000))},
           .kind = sim::Fault::Kind::suspect,
           .node = {static_cast<std::uint32_t>(random.below(plan.setup.size))},
           .whom = {static_cast<std::uint32_t>(random.below(plan.setup.size))}});
    }
  }
  return plan;
}

}  // namespace baton::test
