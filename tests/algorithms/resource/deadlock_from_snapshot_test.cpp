// A deadlock among several resources, found from a snapshot: being deadlocked is stable, so that
// what a consistent cut shows is still so when the snapshot is complete.
#include <gtest/gtest.h>

#include "algorithms/mutex/ricart_agrawala.h"
#include "algorithms/resource/multi_lock.h"
#include "support/observed_group.h"

namespace baton::test {
namespace {

using Locks = MultiLock<RicartAgrawala>;

// Who holds what and who waits for what, in the state that a snapshot found.
WaitForGraph graph_of(const GlobalState<Locks>& global) {
  WaitForGraph graph;
  for (std::uint32_t i = 0; i < global.states.size(); ++i) {
    const Locks::Progress& progress = global.states[i].progress;
    for (const ResourceId resource : progress.held) graph.holds({i}, resource);
    if (progress.mode == Locks::Mode::waiting)
      graph.waits({i}, progress.wanted[progress.held.size()]);
  }
  return graph;
}

Setup two_resources(Acquisition acquisition) {
  Setup setup = default_setup(2);
  setup.resources = 2;
  setup.acquisition = acquisition;
  return setup;
}

// 0 wants A then B, and 1 wants B then A.
void both_acquire(ObservedGroup<Locks>& group) {
  group.command({0}, [](Locks& locks, auto& out) { locks.acquire({{0}, {1}}, out); });
  group.command({1}, [](Locks& locks, auto& out) { locks.acquire({{1}, {0}}, out); });
}

void run_until_quiet(ObservedGroup<Locks>& group) {
  while (group.step()) {
    for (const auto& [node, event] : group.take_events()) {
      if (!std::holds_alternative<AllHeld>(event)) continue;
      group.command(node, [](Locks& locks, auto& out) { locks.release(out); });
    }
  }
}

TEST(DeadlockFromASnapshot, IsFoundAndNamed) {
  std::size_t deadlocks = 0;
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    ObservedGroup<Locks> group(two_resources(Acquisition::naive), seed);
    both_acquire(group);
    // One in the middle, which may find it already, and one when nothing happens any more.
    for (int i = 0; i < 4; ++i) group.step();
    group.take_snapshot({1});
    run_until_quiet(group);
    group.take_snapshot({0});
    run_until_quiet(group);
    ASSERT_EQ(group.found().size(), 2U);
    const auto early = graph_of(group.found()[0]).find_cycle();
    const auto late = graph_of(group.found()[1]).find_cycle();
    const bool stuck = group.observed({0}).state().progress.mode == Locks::Mode::waiting;
    EXPECT_EQ(late.has_value(), stuck) << seed;
    EXPECT_TRUE(!early || late) << "a deadlock does not go away, seed " << seed;
    if (!late) continue;
    ++deadlocks;
    EXPECT_EQ(in_words(*late), "0 holds A and waits for B, held by 1, which waits for A");
  }
  EXPECT_GT(deadlocks, 0U);
}

TEST(DeadlockFromASnapshot, IsNotFoundWhereThereIsNone) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    ObservedGroup<Locks> group(two_resources(Acquisition::ascending), seed);
    both_acquire(group);
    for (int i = 0; i < 4; ++i) group.step();
    group.take_snapshot({1});
    run_until_quiet(group);
    ASSERT_EQ(group.found().size(), 1U);
    EXPECT_FALSE(graph_of(group.found()[0]).find_cycle().has_value()) << seed;
  }
}

}  // namespace
}  // namespace baton::test
