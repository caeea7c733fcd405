// Partial-order reduction. Over FIFO channels, a step of a process takes the first message of a
// channel into it, and appends to channels out of it. So steps of different processes can trade
// places, and exploring one order is often enough. D. Peled, "All from one, one for all: on model
// checking using representatives", CAV 1993.
//
// In each state the worker looks for one process that may go first, and then explores its steps
// alone. That process must meet three conditions:
// 1. Nobody can give it something new to do before it acts (is_undisturbed).
// 2. Properties see none of its steps.
// 3. At least one of its steps leads to a state that is not known yet. Otherwise all processes go,
//    or the search could put the others off for ever (the proviso for breadth-first search of D.
//    Bošnački and G. J. Holzmann, SPIN 2005).
//
// Example: Chang–Roberts with three processes, each of which sends only to its successor. All have
// asked: message ⟨0⟩ is under way from 0 to 1, ⟨1⟩ from 1 to 2, ⟨2⟩ from 2 to 0, and nobody may ask
// again.
//   process 0   may receive ⟨2⟩. Only process 2 sends to it, and channel 2→0 is not empty: what 2
//               sends now comes after ⟨2⟩. So 0 is undisturbed, and its step is invisible.
//   reduction   explores this one delivery. The three deliveries in any order reach 8 states on
//               3! = 6 ways; one order passes 4 states.
// If channel 0→1 were empty, process 1 would not be undisturbed: 0 can still receive ⟨2⟩ and pass
// it on to 1. If process 1 then had a step of its own, for example to ask, the worker would not let
// it go first, since the run in which ⟨2⟩ arrives before 1 asks would be missing.
//
// The reduction keeps what properties say about states. It does not keep what must happen in the
// end, so the liveness search does not use it.
#include <bit>

#include "lab/check/group_worker.h"

namespace baton::check {

bool GroupModel::Worker::visit_ample(const State& state, Visit visit, WasKnown was_known) {
  std::array<std::uint32_t, most_processes> steps{};
  std::uint32_t active = 0;
  for (std::uint32_t node = 0; node < size_; ++node) {
    steps[node] = steps_of(state, node);
    if (steps[node] > 0) active |= std::uint32_t{1} << node;
  }
  // Tries the process with the fewest steps first.
  for (std::uint32_t tried = 0; (active & ~tried) != 0;) {
    std::uint32_t best = most_processes;
    for (std::uint32_t node = 0; node < size_; ++node) {
      if (((active & ~tried) >> node & 1) == 0) continue;
      if (best == most_processes || steps[node] < steps[best]) best = node;
    }
    tried |= std::uint32_t{1} << best;
    if (!is_undisturbed(state, best, active) || !is_ample(state, best, was_known)) continue;
    for (auto& [step, next] : ample_) visit(step, next);
    return true;
  }
  return false;
}

std::uint32_t GroupModel::Worker::steps_of(const State& state, std::uint32_t node) const {
  const LocalSummary& process = summary(state, node);
  std::uint32_t steps = process.may_request ? 1 : 0;
  if (process.may_release) ++steps;
  if (process.has_timers)
    steps += static_cast<std::uint32_t>(local(state, node).local.timers.size());
  for (std::uint32_t from = 0; from < size_; ++from) {
    if (from != node && state.part[m_->channel(from, node)] != 0) ++steps;
  }
  return steps;
}

// True if no process that can act before `node` can send it a message that `node` could receive
// next. A message behind another one does not count. `active` grows by the processes that active
// ones can send to, since these may act too.
bool GroupModel::Worker::is_undisturbed(const State& state, std::uint32_t node,
                                        std::uint32_t active) const {
  const std::uint64_t senders = m_->relied_on_.load(std::memory_order_relaxed);
  const auto sends = [&](std::uint32_t from, std::uint32_t to) {
    return from != to && (senders & pair_bit(from, to)) != 0;
  };
  active &= ~(std::uint32_t{1} << node);
  for (std::uint32_t seen = 0; (active & ~seen) != 0;) {
    const auto from = static_cast<std::uint32_t>(std::countr_zero(active & ~seen));
    seen |= std::uint32_t{1} << from;
    if (sends(from, node) && state.part[m_->channel(from, node)] == 0) return false;
    for (std::uint32_t to = 0; to < size_; ++to) {
      if (to != node && sends(from, to)) active |= std::uint32_t{1} << to;
    }
  }
  return true;
}

// Computes the steps of `node`. True if properties see none of them and at least one leads to a new
// state.
bool GroupModel::Worker::is_ample(const State& state, std::uint32_t node, WasKnown was_known) {
  ample_.clear();
  bool is_seen = false;
  bool leads_on = false;
  const auto note = [&](const Step& step, State& next) {
    is_seen = is_seen || is_visible_;
    if (is_seen) return;
    normalize(next);
    leads_on = leads_on || !was_known(next);
    ample_.emplace_back(step, next);
  };
  command(state, node, note);
  for (std::uint32_t from = 0; from < size_ && !is_seen; ++from) {
    if (from == node || state.part[m_->channel(from, node)] == 0) continue;
    deliver_first(state, from, node, note);
  }
  if (m_->traits_.has_timers) expire(state, node, note);
  return !is_seen && leads_on;
}

}  // namespace baton::check
