// Every step that can happen next in a state of a group.
#include <utility>

#include "lab/check/group_worker.h"

namespace baton::check {

using Clause = Happening::Clause;

void GroupModel::Worker::initial(VisitState visit) {
  each_initial([&](State state) {
    normalize(state);
    visit(state);
  });
}

void GroupModel::Worker::successors(const State& state, Visit visit) {
  each_step(state, [&](const Step& step, State& next) {
    normalize(next);
    visit(step, next);
  });
}

void GroupModel::Worker::each_initial(VisitState visit) {
  State state;
  for (std::uint32_t node = 0; node < size_; ++node) {
    Local local;
    local.protocol = m_->steps_->make(NodeId{node});
    local.application = m_->application_->first(NodeId{node});
    state.part[node] = intern(node, std::move(local));
  }
  Rest rest;
  rest.budgets = m_->bounds_.budgets;
  rest.application = m_->application_->first_global();
  state.part[m_->rest()] = intern(rest);
  begin_from(state, 0, visit);
}

void GroupModel::Worker::begin_from(State& state, std::uint32_t node, VisitState visit) {
  if (!m_->traits_.starts || node == size_) {
    chosen_ = &chosen_first_;
    visit(state);
    return;
  }
  const std::uint32_t first =
      run(node, local(state, node), [](Local&) { return Happening{Clause::start}; });
  const std::vector<std::uint32_t> before = chosen_first_;
  for (std::uint32_t i = first;; ++i) {
    State next = state;
    apply(next, node, outcomes_[i]);
    chosen_first_.insert(chosen_first_.end(), choices_[i].begin(), choices_[i].end());
    begin_from(next, node + 1, visit);
    chosen_first_ = before;
    if (outcomes_[i].is_last) return;
  }
}

void GroupModel::Worker::each_step(const State& state, Visit visit) {
  for (std::uint32_t node = 0; node < size_; ++node) {
    if (state.part[node] < rows_[node].size()) __builtin_prefetch(&rows_[node][state.part[node]]);
  }
  if (!m_->bounds_.time.prompt || !visit_prompt(state, visit)) {
    for (std::uint32_t node = 0; node < size_; ++node) command(state, node, visit);
    each_delivery(state, visit);
    if (m_->traits_.has_timers) {
      for (std::uint32_t node = 0; node < size_; ++node) expire(state, node, visit);
    }
    if (m_->bounds_.time.counts) pass(state, visit);
    if (m_->traits_.heeds_suspicion) each_notice(state, visit);
    if (m_->bounds_.budgets.pause > 0) each_return(state, visit);
  }
  if (m_->bounds_.budgets == Budgets{}) return;
  const Budgets left = rest_of(state).budgets;
  if (left != Budgets{}) each_fault(state, left, visit);
}

// Visits the one step that must come before all others, if there is one.
bool GroupModel::Worker::visit_prompt(const State& state, Visit visit) {
  for (std::uint32_t from = 0; from < size_; ++from) {
    for (std::uint32_t to = 0; to < size_; ++to) {
      if (from == to || !channel_in(state, from, to).is_prompt || is_paused(state, to)) continue;
      const std::uint32_t part = m_->channel(from, to);
      const Id envelope = channel_in(state, from, to).envelopes[0];
      deliver(state, from, to, envelope, {part, take(state.part[part], 0)}, visit);
      return true;
    }
  }
  for (std::uint32_t node = 0; node < size_; ++node) {
    if (!summary(state, node).runs) continue;
    for (const Armed& armed : local(state, node).local.timers) {
      if (armed.left > 0) continue;
      if (m_->traits_.has_timers) expire(state, node, armed.timer, visit);
      return true;
    }
  }
  return false;
}

void GroupModel::Worker::command(const State& state, std::uint32_t node, Visit visit) {
  const LocalSummary& process = summary(state, node);
  if (!process.runs) return;
  if (process.may_request) {
    const Step step{.kind = Kind::request, .node = static_cast<std::uint8_t>(node)};
    const auto request = [&](Local& local) {
      local.application = m_->application_->requested(NodeId{node}, local.application);
      return Happening{Clause::request};
    };
    visit_outcomes(state, node, act(state, node, Kind::request, 0, 0, request), step, visit);
  }
  if (process.may_release) {
    const Step step{
        .kind = Kind::release, .node = static_cast<std::uint8_t>(node), .fair = fair_at(0, node)};
    const auto release = [&](Local& local) {
      local.application = m_->application_->released(local.application);
      return Happening{Clause::release};
    };
    visit_outcomes(state, node, act(state, node, Kind::release, 0, 0, release), step, visit);
  }
}

void GroupModel::Worker::each_delivery(const State& state, Visit visit) {
  for (std::uint32_t from = 0; from < size_; ++from) {
    for (std::uint32_t to = 0; to < size_; ++to) {
      if (from == to) continue;
      const std::uint32_t part = m_->channel(from, to);
      const Id channel = state.part[part];
      if (channel == 0 || is_paused(state, to)) continue;
      if (m_->bounds_.fifo) {
        deliver_first(state, from, to, visit);
        continue;
      }
      each_next(m_->channels_[channel], [&](std::uint32_t place) {
        const Id envelope = m_->channels_[channel].envelopes[place];
        deliver(state, from, to, envelope, {part, take(channel, place)}, visit);
      });
    }
  }
}

void GroupModel::Worker::deliver_first(const State& state, std::uint32_t from, std::uint32_t to,
                                       Visit visit) {
  const std::uint32_t part = m_->channel(from, to);
  const First first = first_of(state.part[part]);
  deliver(state, from, to, first.envelope, {part, first.others}, visit);
}

void GroupModel::Worker::deliver(const State& state, std::uint32_t from, std::uint32_t to,
                                 Id envelope, Taken taken, Visit visit) {
  const Step step{.kind = Kind::deliver,
                  .node = static_cast<std::uint8_t>(to),
                  .peer = static_cast<std::uint8_t>(from),
                  .fair = fair_delivery(from, to),
                  .detail = envelope};
  if (summary(state, to).up) {
    const auto receive = [&](Local& local) {
      const Envelope& arrived = m_->envelopes_[envelope].envelope;
      local.application = m_->application_->heard(local.application, arrived.tag);
      return Happening{.clause = Clause::receive, .peer = {from}, .message = arrived.message};
    };
    visit_outcomes(state, to, act(state, to, Kind::deliver, from, envelope, receive), step, visit,
                   taken);
  } else if (m_->traits_.heeds_returns && summary(state, from).up) {
    const auto return_it = [&](Local&) {
      return Happening{.clause = Clause::returned,
                       .peer = {to},
                       .message = m_->envelopes_[envelope].envelope.message};
    };
    visit_outcomes(state, from, act(state, from, Kind::lose, to, envelope, return_it), step, visit,
                   taken);
  } else {
    next_ = state;
    next_.part[taken.part] = taken.others;
    visit(step, next_);
  }
}

void GroupModel::Worker::expire(const State& state, std::uint32_t node, Visit visit) {
  const LocalSummary& process = summary(state, node);
  if (!process.runs || !process.has_timers) return;
  for (const Armed& armed : local(state, node).local.timers) {
    if (!m_->bounds_.time.counts || armed.left == 0) expire(state, node, armed.timer, visit);
  }
}

void GroupModel::Worker::expire(const State& state, std::uint32_t node, TimerId timer,
                                Visit visit) {
  const Step step{.kind = Kind::expire,
                  .node = static_cast<std::uint8_t>(node),
                  .fair = fair_at(1, node),
                  .detail = timer.value};
  const auto run_out = [&](Local& local) {
    std::erase_if(local.timers, [&](const Armed& one) { return one.timer == timer; });
    return Happening{.clause = Clause::expire, .timer = timer};
  };
  visit_outcomes(state, node, act(state, node, Kind::expire, 0, timer.value, run_out), step, visit);
}

// Time passes only when nothing must happen before.
void GroupModel::Worker::pass(const State& state, Visit visit) {
  const Time& time = m_->bounds_.time;
  bool matters = false;
  for (std::uint32_t node = 0; node < size_; ++node) {
    if (is_paused(state, node)) continue;
    for (const Armed& armed : local(state, node).local.timers) {
      if (armed.left == 0) return;
      matters = true;
    }
    for (std::uint32_t from = 0; from < size_; ++from) {
      if (from != node && channel_in(state, from, node).must_arrive) return;
    }
  }
  if (!matters) return;
  State next = state;
  if (time.limit > 0) {
    Rest rest = rest_of(state);
    if (rest.time >= time.limit) return;
    ++rest.time;
    next.part[m_->rest()] = intern(rest);
  }
  for (std::uint32_t part = 0; part < m_->rest(); ++part) {
    Id& id = next.part[part];
    id = cache_.get({key(Op::age, part < size_ ? part : most_processes, id), 0}, [&] {
      if (part < size_) {
        Local aged = m_->locals_[part][id].local;
        for (Armed& armed : aged.timers) {
          if (armed.left > 0) --armed.left;
        }
        return intern(part, std::move(aged));
      }
      return changed_letters(id, [](Envelope& envelope) {
        if (envelope.left != late && envelope.left > 0) --envelope.left;
      });
    });
  }
  const Step step{.kind = Kind::pass, .fair = fair_at(3, 0)};
  visit(step, next);
}

// Reports of the host's own detector: a process has crashed, or is back. They may come late.
void GroupModel::Worker::each_notice(const State& state, Visit visit) {
  const Budgets& budgets = m_->bounds_.budgets;
  if (budgets.crash + budgets.quit + budgets.suspect == 0) return;
  for (std::uint32_t node = 0; node < size_; ++node) {
    if (!summary(state, node).runs) continue;
    for (std::uint32_t whom = 0; whom < size_; ++whom) {
      if (node == whom) continue;
      const bool told = local(state, node).local.suspected.contains({whom});
      if (told == !summary(state, whom).up) continue;
      // The detector takes longer than a message takes to arrive.
      if (!told && state.part[m_->channel(whom, node)] != 0) continue;
      const Step step{.kind = told ? Kind::trust : Kind::suspect,
                      .node = static_cast<std::uint8_t>(node),
                      .peer = static_cast<std::uint8_t>(whom),
                      .fair = fair_at(2, node)};
      visit_outcomes(state, node, notice(state, node, whom, step.kind), step, visit);
    }
  }
}

// The host of `node` reports that `whom` has crashed, or has not.
std::uint32_t GroupModel::Worker::notice(const State& state, std::uint32_t node, std::uint32_t whom,
                                         Kind kind) {
  const bool trusts = kind == Kind::trust;
  const auto hear = [&](Local& local) {
    if (trusts) {
      local.suspected.erase({whom});
    } else {
      local.suspected.insert({whom});
    }
    return Happening{.clause = trusts ? Clause::trust : Clause::suspect, .peer = {whom}};
  };
  return act(state, node, kind, whom, 0, hear);
}

ScheduledStep GroupModel::Worker::told(const Step& step) const {
  ScheduledStep told{.kind = step.kind};
  if (step.kind == Kind::pass) return told;
  told.node = NodeId{step.node};
  switch (step.kind) {
    case Kind::deliver:
    case Kind::lose:
    case Kind::duplicate:
    case Kind::delay:
      told.peer = NodeId{step.peer};
      told.message = m_->steps_->text_of(m_->envelopes_[step.detail].envelope.message);
      break;
    case Kind::suspect:
    case Kind::trust:
      told.peer = NodeId{step.peer};
      break;
    case Kind::expire:
      told.timer = step.detail;
      break;
    default:
      break;
  }
  return told;
}

}  // namespace baton::check
