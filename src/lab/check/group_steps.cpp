// The steps of one process in one of its states: the worker runs a handler of the protocol with
// every possible choice, and turns its decisions into numbers of processes, envelopes and channels.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/reflect.h"
#include "lab/check/group_worker.h"

namespace baton::check {

namespace {

// Runs a handler once for each combination of its choices.
class EveryChoice final : public Chooser {
 public:
  std::uint32_t choose(std::uint32_t bound) override {
    if (made_ == taken_.size()) {
      taken_.push_back(0);
      bounds_.push_back(bound);
    }
    return taken_[made_++];
  }
  const std::vector<std::uint32_t>& taken() const { return taken_; }
  // Moves on to the next combination; false if that was the last.
  bool advance() {
    made_ = 0;
    while (!taken_.empty()) {
      if (++taken_.back() < bounds_.back()) return true;
      taken_.pop_back();
      bounds_.pop_back();
    }
    return false;
  }

 private:
  std::vector<std::uint32_t> taken_;
  std::vector<std::uint32_t> bounds_;
  std::size_t made_ = 0;
};

}  // namespace

Id GroupModel::Worker::intern(std::uint32_t node, Local&& local) {
  return m_->locals_[node].intern(reflect::encoded(local), [&] {
    LocalEntry entry;
    const bool is_passive =
        !m_->traits_.detects_termination || m_->steps_->is_passive(NodeId{node}, local.protocol);
    entry.observation = m_->application_->observation(local.application, local.up, is_passive);
    entry.may_request = m_->application_->may_request(entry.observation);
    entry.may_release = m_->application_->may_release(entry.observation);
    if (m_->traits_.rewritable) {
      entry.numbers = m_->steps_->numbers_in(NodeId{node}, local.protocol);
    }
    entry.local = std::move(local);
    return entry;
  });
}

Id GroupModel::Worker::intern(const Envelope& envelope) {
  return m_->envelopes_.intern(reflect::encoded(envelope), [&] {
    EnvelopeEntry entry{envelope};
    if (m_->traits_.rewritable) {
      entry.numbers = m_->steps_->numbers_in(envelope.message, envelope.from, envelope.to);
    }
    return entry;
  });
}

Id GroupModel::Worker::intern(std::vector<Id>&& envelopes) {
  if (envelopes.empty()) return 0;
  if (!m_->bounds_.fifo) std::sort(envelopes.begin(), envelopes.end());
  return m_->channels_.intern(reflect::encoded(envelopes), [&] {
    Channel channel;
    for (const Id id : envelopes) {
      const EnvelopeEntry& entry = m_->envelopes_[id];
      for (std::size_t i = 0; i < channel.numbers.size(); ++i) {
        channel.numbers[i] |= entry.numbers[i];
      }
      channel.has_observed =
          channel.has_observed || m_->steps_->is_observed(entry.envelope.message);
      channel.must_arrive = channel.must_arrive || entry.envelope.left == 0;
    }
    const Envelope& first = m_->envelopes_[envelopes.front()].envelope;
    channel.is_prompt =
        m_->bounds_.time.prompt && first.left != late && m_->steps_->is_background(first.message);
    channel.envelopes = std::move(envelopes);
    return channel;
  });
}

Id GroupModel::Worker::intern(const Rest& rest) {
  return m_->rests_.intern(reflect::encoded(rest), [&] { return rest; });
}

// Carries out the decisions of one process in one step.
class GroupModel::Worker::Host final : public StepHost {
 public:
  Host(Worker& worker, std::uint32_t node, Local& local)
      : worker_(&worker), m_(worker.m_), node_(node), local_(&local) {}

  void send(NodeId to, Id message) override {
    Envelope envelope{.message = message};
    envelope.tag = m_->application_->tag(local_->application, m_->steps_->is_observed(message));
    if (m_->bounds_.time.counts) envelope.left = m_->bounds_.time.delay;
    if (m_->traits_.numbers_by_process) {
      envelope.from = NodeId{node_};
      envelope.to = to;
    }
    worker_->sends_.push_back({to.value, worker_->intern(envelope)});
  }
  void arm(TimerId timer, Ticks after) override {
    std::vector<Armed>& timers = local_->timers;
    std::erase_if(timers, [&](const Armed& armed) { return armed.timer == timer; });
    if (after == forever) return;
    Armed armed{timer, 0};
    if (m_->bounds_.time.counts) {
      const std::int64_t unit = m_->bounds_.time.unit.value;
      armed.left = static_cast<std::uint32_t>((after.value + unit - 1) / unit);
    }
    const auto place = std::find_if(timers.begin(), timers.end(),
                                    [&](const Armed& other) { return other.timer > timer; });
    timers.insert(place, armed);
  }
  void tell(const Told& told) override {
    local_->application = m_->application_->told(NodeId{node_}, local_->application, told, effect_);
  }

  Id effect() const { return effect_; }

 private:
  Worker* worker_;
  const GroupModel* m_;
  std::uint32_t node_;
  Local* local_;
  Id effect_ = 0;
};

// Returns the place of the first outcome of a process's step.
std::uint32_t GroupModel::Worker::run(std::uint32_t node, const LocalEntry& before,
                                      Prepare prepare) {
  std::vector<Outcome> found;
  std::vector<std::vector<std::uint32_t>> taken;
  std::vector<std::string> seen;
  EveryChoice choices;
  do {
    Local local = before.local;
    Outcome outcome{.first_send = static_cast<std::uint32_t>(sends_.size())};
    const Happening happening = prepare(local);
    Host host(*this, node, local);
    local.protocol = m_->steps_->take(NodeId{node}, local.protocol, happening, choices, host);
    outcome.local = intern(node, std::move(local));
    std::string same = reflect::encoded(outcome.local);
    reflect::encode(host.effect(), same);
    for (std::size_t i = outcome.first_send; i < sends_.size(); ++i) {
      reflect::encode(sends_[i].to, same);
      reflect::encode(sends_[i].envelope, same);
    }
    if (std::find(seen.begin(), seen.end(), same) != seen.end()) {
      sends_.resize(outcome.first_send);
      continue;
    }
    outcome.sends = static_cast<std::uint16_t>(sends_.size() - outcome.first_send);
    outcome.enters = m_->application_->enters(host.effect());
    outcome.changes_global = m_->application_->changes_global(host.effect());
    outcome.is_visible = outcome.changes_global ||
                         m_->locals_[node][outcome.local].observation != before.observation;
    if (outcome.enters || outcome.changes_global) outcome.effect = host.effect();
    seen.push_back(std::move(same));
    found.push_back(outcome);
    taken.push_back(choices.taken());
  } while (choices.advance());
  if (found.size() > 1) m_->chooses_ = true;
  const std::uint32_t first = outcomes_.size();
  for (const Outcome& outcome : found) {
    for (std::uint32_t i = 0; i < outcome.sends; ++i) {
      m_->note_send(node, sends_[outcome.first_send + i].to);
    }
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    found[i].is_last = i + 1 == found.size();
    outcomes_.push_back(found[i]);
    choices_.push_back(std::move(taken[i]));
  }
  return first;
}

// Adds the application's effect of a step to the state of all.
void GroupModel::Worker::take_effect(State& state, std::uint32_t node, const Outcome& outcome) {
  if (outcome.changes_global) {
    Id& rest = state.part[m_->rest()];
    rest = cache_.get({key(Op::affect, 0, rest), outcome.effect}, [&] {
      Rest changed = m_->rests_[rest];
      changed.application = m_->application_->after(changed.application, outcome.effect);
      return intern(changed);
    });
  }
  if (!m_->bounds_.order || !outcome.enters) return;
  // The search need not remember any more that the process had asked.
  for (std::uint32_t part = 0; part < m_->rest(); ++part) {
    Id& id = state.part[part];
    id = cache_.get({key(Op::forget, part < size_ ? part : most_processes, id), node}, [&] {
      if (part < size_) {
        Local changed = m_->locals_[part][id].local;
        changed.application = m_->application_->forgot(changed.application, NodeId{node});
        return intern(part, std::move(changed));
      }
      return changed_letters(
          id, [&](Envelope& envelope) { envelope.tag &= ~(std::uint32_t{1} << node); });
    });
  }
}

Id GroupModel::Worker::changed_letters(Id channel, FunctionRef<void(Envelope&)> change) {
  std::vector<Id> envelopes = m_->channels_[channel].envelopes;
  for (Id& id : envelopes) {
    Envelope envelope = m_->envelopes_[id].envelope;
    change(envelope);
    id = intern(envelope);
  }
  return intern(std::move(envelopes));
}

}  // namespace baton::check
