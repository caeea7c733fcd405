// One thread's view of a group model. It computes successors and remembers them, and runs the
// protocol or the application only for steps that it has not seen before.
//
//   group_steps.cpp      runs a handler, and turns its decisions into parts of states
//   group_moves.cpp      lists every step that can happen next
//   group_faults.cpp     lists the faults among them
//   group_canonical.cpp  replaces a state by the one that stands for all states like it
//   group_ample.cpp      explores one order of independent steps instead of all
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/function_ref.h"
#include "lab/check/group_model.h"

namespace baton::check {

class GroupModel::Worker {
 public:
  using Kind = ScheduledStep::Kind;
  using VisitState = FunctionRef<void(State&)>;
  using Visit = FunctionRef<void(const Step&, State&)>;
  using WasKnown = FunctionRef<bool(const State&)>;

  explicit Worker(const GroupModel& model) : m_(&model), size_(model.size_) {}

  void initial(VisitState visit);
  void successors(const State& state, Visit visit);
  // Visits as many successors as the search needs to find every state that properties can tell from
  // others. `was_known` says whether the store knew a state before this one was expanded.
  void successors(const State& state, Visit visit, WasKnown was_known) {
    if (m_->can_reduce_order() && visit_ample(state, visit, was_known)) return;
    successors(state, visit);
  }

  PropertySet judge(const State& state) const {
    return m_->application_->judge(GroupView(*m_, state));
  }
  // The bits of what must come to an end.
  std::uint32_t pending(const State& state) const {
    return m_->application_->pending(GroupView(*m_, state));
  }
  bool within(const State& state) const {
    if (m_->bounds_.under_way == 0) return true;
    for (std::uint32_t part = size_; part < m_->rest(); ++part) {
      if (m_->channels_[state.part[part]].envelopes.size() > m_->bounds_.under_way) return false;
    }
    return true;
  }

  std::size_t encode(const State& state, std::uint8_t* bytes) const {
    return encode_row(state.part.data(), m_->parts(), bytes);
  }
  void decode(const std::uint8_t* bytes, std::size_t, State& state) const {
    decode_row(bytes, state.part.data(), m_->parts());
  }

  // Every first state and every step, without any reduction.
  void each_initial(VisitState visit);
  void each_step(const State& state, Visit visit);
  // Replaces a state by the one that stands for all states like it.
  void normalize(State& state);

  // The step in the form of a schedule.
  ScheduledStep told(const Step& step) const;
  // The choices of the protocol in the step that is being visited, or before the first state that
  // is being visited.
  const std::vector<std::uint32_t>& choices() const { return *chosen_; }
  // Every Step::fair is below this.
  std::uint32_t fair_kinds() const { return size_ * (size_ - 1) + 3 * size_ + 1; }

 private:
  struct Send {
    std::uint32_t to;
    Id envelope;
  };
  // Kept small: there are many outcomes, and the search reads each of them often.
  struct Outcome {
    Id local = 0;
    std::uint32_t first_send = 0;  // of sends_
    Id effect = 0;                 // of the application, if the step enters or changes the rest
    std::uint16_t sends = 0;
    bool enters : 1 = false;
    bool changes_global : 1 = false;
    bool is_visible : 1 = false;  // to properties
    bool is_last : 1 = true;      // of those that a step can have
  };
  // The operations whose results the worker remembers.
  enum class Op : std::uint8_t {
    step,    // a handler of the protocol
    push,    // adds an envelope to a channel
    take,    // takes an envelope out of a channel
    move,    // moves the numbers of one domain closer together
    rename,  // renames processes
    age,     // lets one unit of time pass
    forget,  // forgets that a process has asked
    simplify,
    mark,    // marks an envelope as late or doubled
    stop,    // stops a process
    pause,   // pauses a process, or lets it resume
    affect,  // applies a step's effect to the rest
    spend    // takes from the budgets
  };

  static std::uint64_t key(Op op, std::uint32_t what, Id id) {
    return (std::uint64_t{static_cast<std::uint8_t>(op)} + 1) << 56 | std::uint64_t{what} << 32 |
           id;
  }

  // The first few steps of a process in one of its states, together in one cache line.
  struct alignas(64) Row {
    struct Known {
      std::uint32_t tag;
      std::uint32_t detail;
      std::uint32_t first;
    };
    std::uint32_t count = 0;
    std::array<Known, 5> steps{};
  };

  const LocalEntry& local(const State& state, std::uint32_t node) const {
    return m_->locals_[node][state.part[node]];
  }
  const LocalSummary& summary(const State& state, std::uint32_t node) const {
    return m_->locals_[node].summary(state.part[node]);
  }
  const Channel& channel_in(const State& state, std::uint32_t from, std::uint32_t to) const {
    return m_->channels_[state.part[m_->channel(from, to)]];
  }
  const Rest& rest_of(const State& state) const { return m_->rests_[state.part[m_->rest()]]; }
  bool is_paused(const State& state, std::uint32_t node) const {
    const LocalSummary& process = summary(state, node);
    return process.up && !process.runs;
  }
  bool is_gone(const State& state, std::uint32_t node) const {
    return !summary(state, node).up && rest_of(state).budgets.recover == 0 &&
           !m_->traits_.heeds_returns;
  }

  Id intern(std::uint32_t node, Local&& local);
  Id intern(const Envelope& envelope);
  Id intern(std::vector<Id>&& envelopes);
  Id intern(const Rest& rest);

  // Changes what the host and the application know at a process, and returns what happens to the
  // protocol.
  using Prepare = FunctionRef<Happening(Local&)>;
  class Host;
  std::uint32_t run(std::uint32_t node, const LocalEntry& before, Prepare prepare);

  // Returns the place of a step's first outcome. `what`, `peer` and `detail` tell the step from
  // others of the same process.
  std::uint32_t act(const State& state, std::uint32_t node, Kind what, std::uint32_t peer,
                    std::uint32_t detail, Prepare prepare) {
    const Id id = state.part[node];
    const std::uint32_t tag = static_cast<std::uint32_t>(what) << 8 | peer << 4 | node;
    if (id >= rows_[node].size()) rows_[node].resize(2 * std::size_t{id} + 64);
    Row& row = rows_[node][id];
    for (std::uint32_t i = 0; i < row.count; ++i) {
      if (row.steps[i].tag == tag && row.steps[i].detail == detail) return row.steps[i].first;
    }
    const std::uint32_t first = cache_.get({key(Op::step, tag, id), detail}, [&] {
      return run(node, m_->locals_[node][id], prepare);
    });
    if (row.count < row.steps.size()) row.steps[row.count++] = {tag, detail, first};
    return first;
  }

  // A channel from which an envelope was taken.
  struct Taken {
    std::uint32_t part;
    Id others;
  };

  // Visits each outcome of a step of `node`, beginning at the place `first`.
  void visit_outcomes(const State& state, std::uint32_t node, std::uint32_t first, Step step,
                      Visit visit, std::optional<Taken> taken = {}) {
    for (std::uint32_t i = first;; ++i) {
      const Outcome& outcome = outcomes_[i];
      copy(state, next_);
      if (taken) next_.part[taken->part] = taken->others;
      apply(next_, node, outcome);
      step.outcome = i - first;
      step.enters = outcome.enters;
      is_visible_ = outcome.is_visible;
      chosen_ = &choices_[i];
      visit(step, next_);
      if (outcome.is_last) return;
    }
  }
  // A small group does not use most parts.
  void copy(const State& from, State& to) const {
    constexpr std::size_t few = 16;
    if (m_->parts() <= few) {
      std::copy_n(from.part.begin(), few, to.part.begin());
    } else {
      to = from;
    }
  }
  void apply(State& state, std::uint32_t node, const Outcome& outcome) {
    state.part[node] = outcome.local;
    for (std::uint32_t i = 0; i < outcome.sends; ++i) {
      const Send& send = sends_[outcome.first_send + i];
      if (is_gone(state, send.to)) continue;
      Id& channel = state.part[m_->channel(node, send.to)];
      channel = push(channel, send.envelope);
    }
    if (outcome.effect != 0) take_effect(state, node, outcome);
  }
  void take_effect(State& state, std::uint32_t node, const Outcome& outcome);
  void spend(State& state, Kind on, std::uint32_t Budgets::*what);

  // The channel with one more envelope.
  Id push(Id channel, Id envelope) {
    return cache_.get({key(Op::push, 0, channel), envelope}, [&] {
      std::vector<Id> envelopes = m_->channels_[channel].envelopes;
      envelopes.push_back(envelope);
      return intern(std::move(envelopes));
    });
  }
  // The channel without the envelope at this place.
  Id take(Id channel, std::uint32_t place) {
    return cache_.get({key(Op::take, 0, channel), place}, [&] {
      std::vector<Id> envelopes = m_->channels_[channel].envelopes;
      envelopes.erase(envelopes.begin() + place);
      return intern(std::move(envelopes));
    });
  }
  // The channel with all its envelopes changed.
  Id changed_letters(Id channel, FunctionRef<void(Envelope&)> change);

  // The first envelope of a FIFO channel, and the channel without it.
  struct First {
    Id envelope;
    Id others;
  };
  static constexpr Id none = 0xFFFF'FFFF;
  First first_of(Id channel) {
    if (channel >= firsts_.size()) firsts_.resize(2 * channel, First{none, 0});
    First& first = firsts_[channel];
    if (first.envelope == none) first = {m_->channels_[channel].envelopes[0], take(channel, 0)};
    return first;
  }
  // Visits the places of the envelopes that can arrive next.
  template <class VisitPlace>
  void each_next(const Channel& channel, VisitPlace visit) const {
    if (m_->bounds_.fifo) {
      if (!channel.envelopes.empty()) visit(0U);
      return;
    }
    for (std::uint32_t i = 0; i < channel.envelopes.size(); ++i) {
      if (i == 0 || channel.envelopes[i] != channel.envelopes[i - 1]) visit(i);
    }
  }

  void begin_from(State& state, std::uint32_t node, VisitState visit);
  bool visit_prompt(const State& state, Visit visit);
  void command(const State& state, std::uint32_t node, Visit visit);
  void each_delivery(const State& state, Visit visit);
  void deliver_first(const State& state, std::uint32_t from, std::uint32_t to, Visit visit);
  void deliver(const State& state, std::uint32_t from, std::uint32_t to, Id envelope, Taken taken,
               Visit visit);
  void expire(const State& state, std::uint32_t node, Visit visit);
  void expire(const State& state, std::uint32_t node, TimerId timer, Visit visit);
  void pass(const State& state, Visit visit);
  void each_notice(const State& state, Visit visit);
  std::uint32_t notice(const State& state, std::uint32_t node, std::uint32_t whom, Kind kind);

  void each_return(const State& state, Visit visit);
  void each_fault(const State& state, const Budgets& left, Visit visit);
  void each_fault_of_channel(const State& state, std::uint32_t from, std::uint32_t to,
                             const Budgets& left, Visit visit);
  void each_fault_of_process(const State& state, std::uint32_t node, const Budgets& left,
                             Visit visit);
  void stop(State& state, std::uint32_t node);
  void set_paused(State& state, std::uint32_t node, bool paused);

  bool visit_ample(const State& state, Visit visit, WasKnown was_known);
  bool is_ample(const State& state, std::uint32_t node, WasKnown was_known);
  std::uint32_t steps_of(const State& state, std::uint32_t node) const;
  bool is_undisturbed(const State& state, std::uint32_t node, std::uint32_t active) const;

  void simplify(State& state);
  void close_gaps(State& state);
  void close_gaps(State& state, Domain domain, NumberSet all);
  Id moved_part(std::uint32_t part, Id id, Domain domain, NumberSet to);
  const Numbers& numbers_in(std::uint32_t part, Id id) const {
    return part < size_ ? m_->locals_[part][id].numbers : m_->channels_[id].numbers;
  }
  void find_representative(State& state);
  State renamed(const State& state, std::uint32_t renaming);

  std::uint8_t fair_delivery(std::uint32_t from, std::uint32_t to) const {
    return static_cast<std::uint8_t>(m_->channel(from, to) - size_);
  }
  std::uint8_t fair_at(std::uint32_t which, std::uint32_t node) const {
    return static_cast<std::uint8_t>(size_ * (size_ - 1) + which * size_ + node);
  }

  const GroupModel* m_;
  std::uint32_t size_;
  Cache<std::uint32_t> cache_;
  Cache<NumberSet> moves_;
  std::array<std::vector<Row>, most_processes> rows_;  // by process and its state
  GrowingSequence<Outcome> outcomes_;
  GrowingSequence<std::vector<std::uint32_t>> choices_;  // of each outcome
  std::vector<Send> sends_;
  std::vector<First> firsts_;  // by channel
  State next_;
  const std::vector<std::uint32_t>* chosen_ = nullptr;  // in the step that is being visited
  std::vector<std::uint32_t> chosen_first_;             // by the protocols as they start
  bool is_visible_ = false;                             // the step that is being visited
  std::vector<std::pair<Step, State>> ample_;
};

}  // namespace baton::check
