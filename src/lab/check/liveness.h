// Checks that everything that must end does end, in the graph of all states and its cycles.
//
// A run that a fair scheduler may take for ever leads into a strongly connected component of the
// graph and goes around in it. The scheduler is weakly fair: it takes a step in the end if the step
// stays possible. `Step::fair` tells the kinds of steps apart; steps that nobody must take (a
// request, a fault) have none. A component is fair if every kind of step is taken within it, or is
// impossible in at least one of its states. If the whole component is not fair, no part of it is.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "lab/check/explore.h"

namespace baton::check {

// A state in the graph.
struct LiveState {
  std::uint64_t possible = 0;  // kinds of fair steps that are possible, as bits
  std::uint32_t pending = 0;   // bits of what must come to an end
};

struct LiveEdge {
  StateStore::Number to;
  std::uint8_t fair;  // kind of step, or `unfair`
  bool enters;

  static constexpr std::uint8_t unfair = 255;
  // Leads out of the model's bounds: it points back to its own state, and counts as a way out.
  static constexpr std::uint8_t outside = 254;
};

// A way to a state, and a loop from there; no loop if nothing happens any more.
struct Lasso {
  std::vector<StateStore::Number> way;  // states, from a first one on
  // States after the last of `way`; the last state here is that one again.
  std::vector<StateStore::Number> loop;
};

class StateGraph {
 public:
  using Number = StateStore::Number;

  // Builds the graph of the explored states; requires that the search has explored all of them.
  template <Model M>
  StateGraph(const M& model, const Explorer<M>& explored, unsigned threads)
      : store_(&explored.store()), parts_(store_->numbers() >> StateStore::block_bits) {
    const std::vector<StateStore::Range> ranges = store_->all();
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
      typename M::Worker worker(model);
      typename M::State state;
      for (std::size_t i = next++; i < ranges.size(); i = next++) fill(worker, state, ranges[i]);
    };
    std::vector<std::thread> others;
    for (unsigned i = 1; i < threads; ++i) others.emplace_back(work);
    work();
    for (std::thread& other : others) other.join();
  }

  // The nearest state in which one of `bits` is pending and from which the run cannot reach a step
  // that enters; with `rest`, from which it cannot reach a state without pending bits.
  std::optional<Lasso> without_way_out(std::uint32_t bits, bool rest) const;
  // A fair run in which `bit` stays pending from some time on.
  std::optional<Lasso> for_ever(std::uint32_t bit) const;
  // A fair run in which `bit` is pending again and again.
  std::optional<Lasso> again_and_again(std::uint32_t bit) const;

  std::uint64_t memory() const;
  // The memory for a graph with so many states and steps, and for searches in it.
  static std::uint64_t memory_for(std::uint64_t states, std::uint64_t steps) {
    return states * 48 + steps * (2 * sizeof(LiveEdge));
  }

 private:
  // The states of one block of numbers.
  struct Part {
    std::vector<LiveState> states;
    std::vector<std::uint32_t> ends;  // of each state's edges
    std::vector<LiveEdge> edges;
  };
  struct Edges {
    const LiveEdge* first;
    const LiveEdge* last;
    const LiveEdge* begin() const { return first; }
    const LiveEdge* end() const { return last; }
  };

  template <class Worker, class State>
  void fill(Worker& worker, State& state, const StateStore::Range& range) {
    Part& part = parts_[range.first >> StateStore::block_bits];
    std::vector<std::uint8_t> bytes(4096);
    for (Number number = range.first; number < range.last; ++number) {
      const auto stored = store_->bytes_of(number);
      worker.decode(stored.data(), stored.size(), state);
      LiveState live{0, worker.pending(state)};
      worker.successors(state, [&](const auto& step, const State& after) {
        if (step.fair != LiveEdge::unfair) live.possible |= std::uint64_t{1} << step.fair;
        const Number to = store_->find(bytes.data(), worker.encode(after, bytes.data()));
        if (to == StateStore::none) {
          part.edges.push_back({number, LiveEdge::outside, true});
        } else {
          part.edges.push_back({to, step.fair, step.enters});
        }
      });
      part.states.push_back(live);
      part.ends.push_back(static_cast<std::uint32_t>(part.edges.size()));
    }
  }

  const LiveState& live(Number number) const {
    return parts_[number >> StateStore::block_bits].states[number & (StateStore::block_size - 1)];
  }
  Edges edges(Number number) const {
    const Part& part = parts_[number >> StateStore::block_bits];
    const std::uint32_t place = number & (StateStore::block_size - 1);
    const LiveEdge* all = part.edges.data();
    return {all + (place == 0 ? 0 : part.ends[place - 1]), all + part.ends[place]};
  }
  template <class Visit>
  void each(Visit visit) const {
    for (const StateStore::Range& range : store_->all()) {
      for (Number number = range.first; number < range.last; ++number) visit(number);
    }
  }

  // The nearest state for which `is` holds.
  template <class Is>
  std::optional<Number> nearest(Is is) const {
    std::optional<Number> found;
    std::size_t least = 0;
    each([&](Number number) {
      if (!is(number)) return;
      const std::size_t steps = depth(number);
      if (found && steps >= least) return;
      found = number;
      least = steps;
    });
    return found;
  }
  std::size_t depth(Number number) const;
  std::vector<Number> way_to(Number number) const;
  std::optional<Lasso> fair_run(std::uint32_t bit, bool throughout) const;
  class Walk;
  Lasso around(const std::vector<Number>& component, std::uint32_t bit) const;

  const StateStore* store_;
  std::vector<Part> parts_;
};

}  // namespace baton::check
