// The faults of a group, as often as the budgets allow: the network loses, doubles or delays
// messages; processes stop, come back, pause, or are wrongly suspected.
#include <utility>

#include "lab/check/group_worker.h"

namespace baton::check {

using Clause = Happening::Clause;

void GroupModel::Worker::each_fault(const State& state, const Budgets& left, Visit visit) {
  if (left.lose + left.duplicate + left.delay > 0) {
    for (std::uint32_t from = 0; from < size_; ++from) {
      for (std::uint32_t to = 0; to < size_; ++to) {
        if (from != to) each_fault_of_channel(state, from, to, left, visit);
      }
    }
  }
  for (std::uint32_t node = 0; node < size_; ++node) {
    each_fault_of_process(state, node, left, visit);
  }
}

void GroupModel::Worker::each_fault_of_channel(const State& state, std::uint32_t from,
                                               std::uint32_t to, const Budgets& left, Visit visit) {
  const Id channel = state.part[m_->channel(from, to)];
  each_next(m_->channels_[channel], [&](std::uint32_t place) {
    const Id envelope = m_->channels_[channel].envelopes[place];
    const auto become = [&](Kind kind, std::uint32_t Budgets::*budget, Id then) {
      State next = state;
      next.part[m_->channel(from, to)] = then;
      spend(next, kind, budget);
      visit(Step{.kind = kind,
                 .node = static_cast<std::uint8_t>(to),
                 .peer = static_cast<std::uint8_t>(from),
                 .detail = envelope},
            next);
    };
    if (left.lose > 0) become(Kind::lose, &Budgets::lose, take(channel, place));
    if (left.duplicate > 0) {
      const Id twice = cache_.get({key(Op::mark, 0, channel), place}, [&] {
        std::vector<Id> envelopes = m_->channels_[channel].envelopes;
        envelopes.insert(envelopes.begin() + place, envelope);
        return intern(std::move(envelopes));
      });
      become(Kind::duplicate, &Budgets::duplicate, twice);
    }
    const bool in_time = m_->envelopes_[envelope].envelope.left != late;
    if (left.delay > 0 && m_->bounds_.time.counts && in_time) {
      const Id delayed = cache_.get({key(Op::mark, 1, channel), place}, [&] {
        std::vector<Id> envelopes = m_->channels_[channel].envelopes;
        Envelope marked = m_->envelopes_[envelope].envelope;
        marked.left = late;
        envelopes[place] = intern(marked);
        return intern(std::move(envelopes));
      });
      become(Kind::delay, &Budgets::delay, delayed);
    }
  });
}

void GroupModel::Worker::each_fault_of_process(const State& state, std::uint32_t node,
                                               const Budgets& left, Visit visit) {
  const LocalSummary& process = summary(state, node);
  const auto at = static_cast<std::uint8_t>(node);
  if (left.crash > 0 && process.up) {
    State next = state;
    spend(next, Kind::crash, &Budgets::crash);
    stop(next, node);
    visit(Step{.kind = Kind::crash, .node = at}, next);
  }
  if (m_->traits_.leaves && left.quit > 0 && process.runs) {
    State paid = state;
    spend(paid, Kind::quit, &Budgets::quit);
    const auto leave = [](Local&) { return Happening{Clause::leave}; };
    auto visit_without = [&](const Step& step, State& next) {
      stop(next, node);
      visit(step, next);
    };
    visit_outcomes(paid, node, act(state, node, Kind::quit, 0, 0, leave),
                   Step{.kind = Kind::quit, .node = at}, visit_without);
  }
  if (left.pause > 0 && process.runs) {
    State next = state;
    spend(next, Kind::pause, &Budgets::pause);
    set_paused(next, node, true);
    visit(Step{.kind = Kind::pause, .node = at}, next);
  }
  if (left.recover > 0 && !process.up) {
    State paid = state;
    spend(paid, Kind::recover, &Budgets::recover);
    const auto recover = [](Local& local) {
      local.up = true;
      return Happening{Clause::recover};
    };
    visit_outcomes(paid, node, act(state, node, Kind::recover, 0, 0, recover),
                   Step{.kind = Kind::recover, .node = at}, visit);
  }
  if (!m_->traits_.heeds_suspicion || left.suspect == 0 || !process.runs) return;
  for (std::uint32_t whom = 0; whom < size_; ++whom) {
    if (node == whom || !summary(state, whom).up ||
        local(state, node).local.suspected.contains({whom})) {
      continue;
    }
    State paid = state;
    spend(paid, Kind::suspect, &Budgets::suspect);
    visit_outcomes(paid, node, notice(state, node, whom, Kind::suspect),
                   Step{.kind = Kind::suspect, .node = at, .peer = static_cast<std::uint8_t>(whom)},
                   visit);
  }
}

// A paused process may resume at any time.
void GroupModel::Worker::each_return(const State& state, Visit visit) {
  for (std::uint32_t node = 0; node < size_; ++node) {
    if (!is_paused(state, node)) continue;
    State next = state;
    set_paused(next, node, false);
    visit(Step{.kind = Kind::resume, .node = static_cast<std::uint8_t>(node)}, next);
  }
}

void GroupModel::Worker::spend(State& state, Kind on, std::uint32_t Budgets::*what) {
  Id& rest = state.part[m_->rest()];
  rest = cache_.get({key(Op::spend, 0, rest), static_cast<std::uint32_t>(on)}, [&] {
    Rest changed = m_->rests_[rest];
    --(changed.budgets.*what);
    return intern(changed);
  });
}

void GroupModel::Worker::stop(State& state, std::uint32_t node) {
  Id& id = state.part[node];
  id = cache_.get({key(Op::stop, node, id), 0}, [&] {
    const Local& before = m_->locals_[node][id].local;
    Local stopped;
    stopped.protocol = m_->steps_->crashed(NodeId{node}, before.protocol);
    stopped.application = m_->application_->crashed(before.application);
    stopped.up = false;
    return intern(node, std::move(stopped));
  });
  if (!is_gone(state, node)) return;
  for (std::uint32_t from = 0; from < size_; ++from) {
    if (from != node) state.part[m_->channel(from, node)] = 0;
  }
}

void GroupModel::Worker::set_paused(State& state, std::uint32_t node, bool paused) {
  Id& id = state.part[node];
  id = cache_.get({key(Op::pause, node, id), 0}, [&] {
    Local changed = m_->locals_[node][id].local;
    changed.paused = paused;
    return intern(node, std::move(changed));
  });
}

}  // namespace baton::check
