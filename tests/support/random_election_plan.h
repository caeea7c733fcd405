// Worlds for elections drawn from a seed, within what an algorithm assumes, for tests that hold for
// all of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <set>
#include <utility>

#include "core/info.h"
#include "lab/sim/plan.h"
#include "lab/sim/random.h"
#include "support/random_parameters.h"

namespace baton::test {

inline Ticks random_time(sim::Random& random, Ticks below) {
  return {static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(below.value)))};
}

// Crashes at random times, most of them followed by a recovery, soon or late.
inline void add_crashes(sim::Plan& plan, sim::Random& random, Ticks until) {
  const std::uint32_t size = plan.setup.size;
  for (std::uint32_t node = 0; node < size; ++node) {
    if (!random.chance(0.3)) continue;
    Ticks at{0};
    const bool joins = random.chance(0.2);
    if (joins) plan.faults.absent.push_back({node});
    bool is_down = joins;
    for (std::uint64_t events = 1 + random.below(4); events > 0; --events) {
      at = at + Ticks{1} + random_time(random, random.chance(0.5) ? 2 * message_time : until);
      plan.faults.schedule.push_back(
          {.at = at,
           .kind = is_down ? sim::Fault::Kind::recover : sim::Fault::Kind::crash,
           .node = {node}});
      is_down = !is_down;
    }
  }
}

inline void add_suspicions(sim::Plan& plan, sim::Random& random, Ticks within) {
  const std::uint32_t size = plan.setup.size;
  for (int i = 0; i < 4; ++i) {
    const auto who = static_cast<std::uint32_t>(random.below(size));
    const auto further = static_cast<std::uint32_t>(1 + random.below(size - 1));
    plan.faults.schedule.push_back({.at = random_time(random, within),
                                    .kind = sim::Fault::Kind::suspect,
                                    .node = {who},
                                    .whom = {(who + further) % size}});
  }
}

// A group of 2 to 8, sometimes larger; any identities, capacities and delay; elections held by
// several processes at various times; and every fault that the algorithm tolerates.
inline sim::Plan random_election_plan(const Info& info, std::uint64_t seed) {
  sim::Random random(seed, 98);
  sim::Plan plan;
  plan.seed = seed;
  plan.setup =
      default_setup(static_cast<std::uint32_t>(2 + random.below(random.chance(0.05) ? 11 : 7)));
  const std::uint32_t size = plan.setup.size;
  if (random.chance(0.5)) {
    auto& identities = plan.setup.identities;
    identities.resize(size);
    std::iota(identities.begin(), identities.end(), 0U);
    for (std::uint32_t i = size; i > 1; --i)
      std::swap(identities[i - 1], identities[random.below(i)]);
  }
  if (random.chance(0.5)) {
    for (std::uint32_t i = 0; i < size; ++i) {
      plan.setup.capacities.push_back(static_cast<std::uint32_t>(random.below(5)));
    }
  }
  // From a stream of their own: the rest of a seed's world is the same for every algorithm.
  sim::Random of_parameters(seed, 200 + random.below(6));
  draw_parameters(info, of_parameters, plan.setup);

  // Where time has a bound, messages may take all of it.
  const bool is_synchronous = info.assumes.has(Assumption::synchronous);
  plan.delay.kind = static_cast<sim::Delay::Kind>(random.below(is_synchronous ? 2 : 4));
  if (plan.delay.kind == sim::Delay::Kind::uniform) {
    plan.delay.low = Ticks{1};
    plan.delay.high = static_cast<std::int64_t>(1 + random.below(4)) * message_time;
  }
  // ... and who listens for heartbeats must know how long they may take.
  if (is_synchronous || info.perpetual) plan.setup.delay_bound = plan.delay.practical_limit();

  const Ticks a_while = 30 * message_time;
  plan.workload.kind =
      random.chance(0.3) ? sim::Workload::Kind::everyone : sim::Workload::Kind::one;
  for (std::uint64_t more = random.below(5); more > 0; --more) {
    plan.workload.also.emplace_back(random_time(random, a_while),
                                    NodeId{static_cast<std::uint32_t>(random.below(size))});
  }

  if (!info.assumes.has(Assumption::fifo)) plan.faults.reordering = random.chance(0.7);
  // Where messages are passed on, copies multiply with every hop, so large groups get few.
  if (!info.assumes.has(Assumption::no_duplication) && random.chance(0.5)) {
    plan.faults.duplication = size > 8 ? 0.02 : 0.2;
  }
  if (!info.assumes.has(Assumption::no_crash) && random.chance(0.8)) {
    add_crashes(plan, random, a_while);
    // Nobody can tell a crash sooner than the last message of the crashed has arrived, where there
    // is a bound on that.
    plan.faults.detection = is_synchronous ? plan.setup.delay_bound + Ticks{1} : Ticks{1};
    plan.faults.detection = plan.faults.detection + random_time(random, 10 * message_time);
  }
  if (!info.assumes.has(Assumption::no_suspicion) && random.chance(0.2)) {
    add_suspicions(plan, random, a_while);
  }
  return plan;
}

// Who was not told of the partition before it healed. Nobody is if it is over too soon. Besides, it
// is a process that came back behind it a short time before.
inline std::set<NodeId> untold(const sim::Plan& plan) {
  const sim::Fault* partition = nullptr;
  const sim::Fault* heal = nullptr;
  for (const sim::Fault& fault : plan.faults.schedule) {
    if (fault.kind == sim::Fault::Kind::partition) partition = &fault;
    if (fault.kind == sim::Fault::Kind::heal) heal = &fault;
  }
  std::set<NodeId> nodes;
  if (partition == nullptr || heal == nullptr) return nodes;
  const Ticks last = heal->at - plan.faults.detection;  // that is found out before it heals
  for (std::uint32_t i = 0; i < plan.setup.size && partition->at >= last; ++i) nodes.insert({i});
  for (const sim::Fault& fault : plan.faults.schedule) {
    if (fault.kind != sim::Fault::Kind::recover) continue;
    if (fault.at >= std::max(last, partition->at) && fault.at <= heal->at) nodes.insert(fault.node);
  }
  return nodes;
}

// A random world with a partition, which most often heals. In most of them a process crashes and is
// back at the same instant: behind the partition, as it begins or heals, or soon after it.
//
// A partition of which a process is not told is nothing but loss for it. So many may be `untold`.
inline sim::Plan random_partitioned_plan(const Info& info, std::uint64_t seed, std::size_t most) {
  using Kind = sim::Fault::Kind;
  sim::Plan plan = random_election_plan(info, seed);
  plan.may_break = {Assumption::no_loss};
  sim::Random random(seed, 97);
  if (plan.faults.detection.value == 0) plan.faults.detection = 5 * message_time;
  const Ticks detection = plan.faults.detection;
  auto& schedule = plan.faults.schedule;

  const NodeId restarted{static_cast<std::uint32_t>(random.below(plan.setup.size))};
  const bool is_free = std::none_of(schedule.begin(), schedule.end(), [&](const auto& fault) {
    return fault.node == restarted && fault.kind != Kind::suspect;
  });
  sim::Fault partition{.at = random_time(random, 40 * message_time), .kind = Kind::partition};
  for (std::uint32_t i = 0; i < plan.setup.size; ++i) {
    partition.side_of.push_back(static_cast<std::uint32_t>(random.below(3)));
  }
  const Ticks healed = partition.at + detection + Ticks{1} + random_time(random, 40 * message_time);
  const Ticks instants[] = {partition.at,
                            partition.at + random_time(random, detection),
                            partition.at + random_time(random, healed - partition.at),
                            healed - random_time(random, detection),
                            healed,
                            healed + random_time(random, detection)};
  const Ticks instant = instants[random.below(std::size(instants))];
  const bool restarts = is_free && !info.assumes.has(Assumption::no_crash) && random.chance(0.8);
  const auto restart = [&] {
    if (!restarts) return;
    schedule.push_back({.at = instant, .kind = Kind::crash, .node = restarted});
    schedule.push_back({.at = instant, .kind = Kind::recover, .node = restarted});
  };
  // What comes first in the schedule also comes first in an instant.
  const bool restarts_first = random.chance(0.5);
  if (restarts_first) restart();
  schedule.push_back(std::move(partition));
  const bool heals = random.chance(0.7);
  if (heals) schedule.push_back({.at = healed, .kind = Kind::heal});
  const std::size_t heal = schedule.size() - 1;
  if (!restarts_first) restart();
  while (heals && untold(plan).size() > most) {
    schedule[heal].at = schedule[heal].at + detection + Ticks{1};
  }
  return plan;
}

}  // namespace baton::test
