// Partial-order reduction: a process's steps take from the channels into it and append to those
// out of it, so that they can trade places with the steps of others. In many states it is enough
// to let one process go first: one that nobody can give anything new to do before it has acted,
// and of whose steps properties see nothing. D. Peled, "All from one, one for all: on model
// checking using representatives", CAV 1993; with the proviso for breadth-first search of
// D. Bošnački and G. J. Holzmann, SPIN 2005: where all steps lead back, every process goes, lest
// the others be put off for ever. That is enough for what holds in states, not for what must
// happen in the end.
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
  // The fewest steps first.
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

// Whether nobody who can act before `node` does can send it something that it could then receive.
// What comes behind another message is not yet of interest.
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

// Computes the steps of `node`: whether properties see none of them, and one leads on.
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
