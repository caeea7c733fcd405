// Worlds that do their worst, for protocols that survive crashes: loss, duplication, reordering,
// crashes and recoveries, pauses, partitions, cut links, wrong suspicions and newcomers, all drawn
// from a seed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "lab/sim/plan.h"
#include "lab/sim/random.h"

namespace baton::test {

struct Hardships {
  bool lossy = true;      // loss, duplication, reordering
  bool pauses = true;     // after which a process may believe for a while that it is inside
  bool majority = false;  // more than a minority may be down at once
};

class FaultDrawer {
 public:
  FaultDrawer(sim::Random& random, std::uint32_t size, Hardships hardships)
      : random_(&random),
        hardships_(hardships),
        state_(size, State::up),
        most_down_(hardships.majority ? size : (size - 1) / 2) {}

  // Several faults, mostly in quick succession, so that many fall into the repair of another.
  std::vector<sim::Fault> draw() {
    const std::uint64_t count = random_->below(9);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t pause = random_->chance(0.5) ? 6'000'000 : 40'000'000;
      now_ = now_ + Ticks{static_cast<std::int64_t>(random_->below(pause))};
      strike();
    }
    // In the end everything works again but for those who stay down, so that nobody waits rightly.
    for (std::uint32_t i = 0; i < state_.size(); ++i) {
      if (state_[i] == State::paused) add({.kind = sim::Fault::Kind::resume, .node = {i}});
      if (state_[i] == State::down && hardships_.majority) {
        add({.kind = sim::Fault::Kind::recover, .node = {i}});
      }
    }
    if (partitioned_) add({.kind = sim::Fault::Kind::heal});
    for (const auto& [a, b] : cuts_) add({.kind = sim::Fault::Kind::mend, .node = a, .whom = b});
    return std::move(schedule_);
  }

 private:
  enum class State : std::uint8_t { up, paused, down };

  NodeId any() { return {static_cast<std::uint32_t>(random_->below(state_.size()))}; }

  std::size_t missing() const {
    return state_.size() -
           static_cast<std::size_t>(std::count(state_.begin(), state_.end(), State::up));
  }

  void add(sim::Fault fault) {
    fault.at = now_;
    schedule_.push_back(std::move(fault));
  }

  void strike() {
    const NodeId node = any();
    const NodeId other = any();
    State& state = state_[node.value];
    switch (random_->below(8)) {
      case 0:
      case 1:
      case 2:
        if (state == State::down) {
          state = State::up;
          add({.kind = sim::Fault::Kind::recover, .node = node});
        } else if (state == State::paused) {
          state = State::up;
          add({.kind = sim::Fault::Kind::resume, .node = node});
        } else if (missing() < most_down_) {
          state = State::down;
          const bool quits = random_->chance(0.3);
          add({.kind = quits ? sim::Fault::Kind::quit : sim::Fault::Kind::crash, .node = node});
        }
        break;
      case 3:
        if (hardships_.pauses && state == State::up && missing() < most_down_) {
          state = State::paused;
          add({.kind = sim::Fault::Kind::pause, .node = node});
        }
        break;
      case 4:
        if (!hardships_.lossy) break;
        if (partitioned_) {
          add({.kind = sim::Fault::Kind::heal});
        } else {
          sim::Fault fault{.kind = sim::Fault::Kind::partition};
          for (std::size_t i = 0; i < state_.size(); ++i) {
            fault.side_of.push_back(static_cast<std::uint32_t>(random_->below(2)));
          }
          add(fault);
        }
        partitioned_ = !partitioned_;
        break;
      case 5:
        if (!hardships_.lossy || node == other) break;
        if (std::find(cuts_.begin(), cuts_.end(), std::pair{node, other}) == cuts_.end()) {
          cuts_.emplace_back(node, other);
          add({.kind = sim::Fault::Kind::cut, .node = node, .whom = other});
        }
        break;
      default:
        if (state == State::up && node != other) {
          add({.kind = sim::Fault::Kind::suspect, .node = node, .whom = other});
        }
        break;
    }
  }

  sim::Random* random_;
  Hardships hardships_;
  std::vector<State> state_;
  std::size_t most_down_;
  Ticks now_{0};
  bool partitioned_ = false;
  std::vector<std::pair<NodeId, NodeId>> cuts_;
  std::vector<sim::Fault> schedule_;
};

inline sim::Plan hard_plan(std::uint64_t seed, Hardships hardships) {
  sim::Random random(seed, 98);
  sim::Plan plan;
  plan.seed = seed;
  const auto size = static_cast<std::uint32_t>(3 + random.below(random.chance(0.1) ? 8 : 4));
  plan.setup = default_setup(size);
  const Tree trees[] = {Tree::star(), Tree::line(), Tree::binary()};
  plan.setup.tree = trees[random.below(3)];

  const sim::Delay::Kind kinds[] = {sim::Delay::Kind::constant, sim::Delay::Kind::uniform,
                                    sim::Delay::Kind::exponential};
  plan.delay.kind = kinds[random.below(3)];
  if (plan.delay.kind == sim::Delay::Kind::uniform) {
    plan.delay.low = Ticks{1};
    plan.delay.high = 3 * message_time;
  }
  plan.setup.delay_bound = plan.delay.practical_limit();
  const bool saturated = random.chance(0.5);
  plan.workload.kind = saturated ? sim::Workload::Kind::saturated : sim::Workload::Kind::closed;
  plan.workload.entries = 6 * size;
  plan.workload.think = static_cast<std::int64_t>(1 + random.below(20)) * message_time;
  // Short ones, and some that last longer than a change of view.
  plan.critical_section = {
      1 + static_cast<std::int64_t>(random.below(random.chance(0.2) ? 60'000'000 : 4'000'000))};
  if (hardships.lossy) {
    if (random.chance(0.5)) plan.faults.loss = 0.3 * random.unit();
    if (random.chance(0.5)) plan.faults.duplication = 0.3 * random.unit();
    plan.faults.reordering = random.chance(0.5);
  }
  plan.servers = static_cast<std::uint32_t>(1 + 2 * random.below(3));
  plan.faults.schedule = FaultDrawer(random, size, hardships).draw();
  return plan;
}

}  // namespace baton::test
