// One thread's view of a group model: it computes successors, and remembers what it has computed.
#pragma once

#include <bit>
#include <cstring>
#include <functional>

#include "check/group_model.h"
#include "core/function_ref.h"

namespace baton::check {

template <Protocol P, class A>
class GroupModel<P, A>::Worker {
 public:
  using Kind = ScheduledStep::Kind;
  // Not template parameters of what follows: each protocol's steps are compiled once.
  using VisitState = FunctionRef<void(State&)>;
  using Visit = FunctionRef<void(const Step&, State&)>;
  using WasKnown = FunctionRef<bool(const State&)>;

  explicit Worker(const GroupModel& model) : m_(&model), size_(model.size_) {}

  void initial(VisitState visit) {
    each_initial([&](State state) {
      normalize(state);
      visit(state);
    });
  }

  void successors(const State& state, Visit visit) {
    each_step(state, [&](const Step& step, State& next) {
      normalize(next);
      visit(step, next);
    });
  }

  // As many as are needed to find every state that properties can tell from others. `was_known`
  // says whether a state was there before this one is expanded.
  void successors(const State& state, Visit visit, WasKnown was_known) {
    if (m_->can_reduce_order() && visit_ample(state, visit, was_known)) return;
    successors(state, visit);
  }

  PropertySet judge(const State& state) const { return A::judge(View(*this, state)); }
  bool within(const State& state) const {
    if (m_->bounds_.under_way == 0) return true;
    for (std::uint32_t part = size_; part < m_->rest(); ++part) {
      if (m_->channels_[state.part[part]].letters.size() > m_->bounds_.under_way) return false;
    }
    return true;
  }

  // Each number as groups of seven bits, the lowest first; all but the last have the eighth bit
  // set.
  std::size_t encode(const State& state, std::uint8_t* bytes) const {
    std::uint8_t* at = bytes;
    std::uint64_t word = 0;
    unsigned filled = 0;
    const auto flush = [&] {
      std::memcpy(at, &word, sizeof(word));
      at += filled / 8;
      word = 0;
      filled = 0;
    };
    const std::uint32_t parts = m_->parts();
    for (std::uint32_t i = 0; i < parts; ++i) {
      Id id = state.part[i];
      if (id >= 0x4000) {
        flush();
        for (; id >= 0x4000; id >>= 7) *at++ = static_cast<std::uint8_t>(id | 0x80);
      }
      // Seven bits, or twice seven: without a branch, which could not be foreseen.
      const unsigned is_long = id >= 0x80 ? 1 : 0;
      word |= std::uint64_t{id + (id & 0x3F80) + (is_long << 7)} << filled;
      filled += 8 + 8 * is_long;
      if (i % 4 == 3) flush();
    }
    flush();
    return static_cast<std::size_t>(at - bytes);
  }
  void decode(const std::uint8_t* bytes, std::size_t, State& state) const {
    const std::uint32_t rest = m_->rest();
    for (std::uint32_t i = 0; i < rest; ++i) {
      // As there is another part, there are two bytes.
      const Id goes_on = bytes[0] >> 7;
      if (goes_on != 0 && bytes[1] >= 0x80) {
        bytes = decode(bytes, state.part[i]);
      } else {
        state.part[i] = (bytes[0] & 0x7F) | (goes_on * bytes[1]) << 7;
        bytes += 1 + goes_on;
      }
    }
    decode(bytes, state.part[rest]);
  }

  // Every first state and every step as they are, before any reduction.
  void each_initial(VisitState visit);
  void each_step(const State& state, Visit visit);
  // Turns a state into the one that stands for all that are like it.
  void normalize(State& state);

  // The step as it is told to others.
  ScheduledStep told(const Step& step);
  // What was chosen in the step that is being visited, if a protocol took it; or before the first
  // state that is being visited.
  const std::vector<std::uint32_t>& choices() const { return *chosen_; }
  std::uint32_t pending(const State& state) const { return A::pending(View(*this, state)); }
  // Numbers below this are all that Step::fair can be.
  std::uint32_t fair_kinds() const { return size_ * (size_ - 1) + 3 * size_ + 1; }

  // What properties see of a state.
  class View {
   public:
    View(const Worker& worker, const State& state) : w_(&worker), state_(&state) {}

    std::uint32_t size() const { return w_->size_; }
    const Bounds& bounds() const { return w_->m_->bounds_; }
    bool is_up(std::uint32_t node) const { return w_->brief(*state_, node).up; }
    const typename A::Glance& glance(std::uint32_t node) const {
      return w_->brief(*state_, node).glance;
    }
    const typename A::Global& global() const {
      return w_->m_->rests_[state_->part[w_->m_->rest()]].application;
    }
    const Rest& rest() const { return w_->m_->rests_[state_->part[w_->m_->rest()]]; }
    // The kinds of messages under way, as bits.
    std::uint32_t under_way() const {
      std::uint32_t kinds = 0;
      for (std::uint32_t i = size(); i < w_->m_->rest(); ++i) {
        kinds |= w_->m_->channels_[state_->part[i]].kinds;
      }
      return kinds;
    }

   private:
    const Worker* w_;
    const State* state_;
  };
  View view(const State& state) const { return View(*this, state); }

 private:
  using Out = OutboxOf<P>;

  struct Send {
    std::uint32_t to;
    Id letter;
  };
  // Small, as there are many and each is needed often.
  struct Outcome {
    Id local = 0;
    std::uint32_t first_send = 0;  // of sends_
    std::uint32_t effect = 0;      // of effects_
    std::uint16_t sends = 0;
    bool enters : 1 = false;
    bool is_visible : 1 = false;  // to properties
    bool is_last : 1 = true;      // of those that a step can have
  };
  enum class Op : std::uint8_t {
    step,    // a handler of the protocol
    push,    // a letter into a channel
    take,    // ... and out of it
    move,    // numbers of one domain closer together
    rename,  // processes
    age,     // by one unit of time
    forget,  // that a process has asked
    simplify,
    mark  // a letter as late, or there twice
  };

  static constexpr Id none = 0xFFFF'FFFF;

  static const std::uint8_t* decode(const std::uint8_t* bytes, Id& id) {
    id = *bytes & 0x7F;
    for (unsigned shift = 7; (*bytes++ & 0x80) != 0; shift += 7) {
      id |= static_cast<Id>(*bytes & 0x7F) << shift;
    }
    return bytes;
  }

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
  const LocalBrief& brief(const State& state, std::uint32_t node) const {
    return m_->locals_[node].brief(state.part[node]);
  }
  const Channel& channel_in(const State& state, std::uint32_t from, std::uint32_t to) const {
    return m_->channels_[state.part[m_->channel(from, to)]];
  }

  Id intern(std::uint32_t node, Local&& local);
  Id intern(Letter&& letter);
  Id intern(std::vector<Id>&& letters);
  Id intern(const Rest& rest) {
    return m_->rests_.intern(reflect::encoded(rest), [&] { return rest; });
  }

  // Whether properties see no difference.
  static bool looks_same(const typename A::Glance& a, const typename A::Glance& b) {
    if constexpr (requires { A::looks_same(a, b); }) {
      return A::looks_same(a, b);
    } else {
      return reflect::encoded(a) == reflect::encoded(b);
    }
  }

  using Handler = FunctionRef<void(Local&, Out&)>;
  std::uint32_t run(std::uint32_t node, const Local& before, Handler handler);
  void carry_out(std::uint32_t node, Local& local, Out& out, typename A::Effect& effect,
                 std::vector<Message>& to_self);
  void arm(Local& local, TimerId timer, Ticks after);

  // A step of one process, as the place of its first outcome: `what`, `peer` and `detail` tell it
  // from others of the same process.
  std::uint32_t act(const State& state, std::uint32_t node, Kind what, std::uint32_t peer,
                    std::uint32_t detail, Handler handler) {
    const Id id = state.part[node];
    const std::uint32_t tag = static_cast<std::uint32_t>(what) << 8 | peer << 4 | node;
    if (id >= rows_[node].size()) rows_[node].resize(2 * std::size_t{id} + 64);
    Row& row = rows_[node][id];
    for (std::uint32_t i = 0; i < row.count; ++i) {
      if (row.steps[i].tag == tag && row.steps[i].detail == detail) return row.steps[i].first;
    }
    const std::uint32_t first = cache_.get({key(Op::step, tag, id), detail}, [&] {
      return run(node, m_->locals_[node][id].local, handler);
    });
    if (row.count < row.steps.size()) row.steps[row.count++] = {tag, detail, first};
    return first;
  }

  // A channel from which a letter was taken.
  struct Taken {
    std::uint32_t part;
    Id others;
  };

  // Visits each outcome of a step of `node`, from the place `first` on.
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
  // In a small group most parts are not used.
  void copy(const State& from, State& to) const {
    constexpr std::size_t few = 16;
    if (m_->parts() <= few) {
      std::copy_n(from.part.begin(), few, to.part.begin());
    } else {
      to = from;
    }
  }
  void apply(State& state, std::uint32_t node, const Outcome& outcome);
  void change_rest(State& state, const std::function<void(Rest&)>& change);
  void spend(State& state, std::uint32_t Budgets::*what) {
    change_rest(state, [&](Rest& rest) { --(rest.budgets.*what); });
  }

  Id push(Id channel, Id letter);
  Id take(Id channel, std::uint32_t place);
  // What a FIFO channel gives next, and the channel without it.
  struct First {
    Id letter;
    Id others;
  };
  First first_of(Id channel) {
    if (channel >= firsts_.size()) firsts_.resize(2 * channel, First{none, 0});
    First& first = firsts_[channel];
    if (first.letter == none) first = {m_->channels_[channel].letters[0], take(channel, 0)};
    return first;
  }
  // The letters of a channel that can be next, by place.
  template <class VisitPlace>
  void each_next(const Channel& channel, VisitPlace visit) const {
    if (m_->bounds_.fifo) {
      if (!channel.letters.empty()) visit(0U);
      return;
    }
    for (std::uint32_t i = 0; i < channel.letters.size(); ++i) {
      if (i == 0 || channel.letters[i] != channel.letters[i - 1]) visit(i);
    }
  }

  bool visit_prompt(const State& state, Visit visit);
  void each_command(const State& state, Visit visit);
  void each_delivery(const State& state, Visit visit);
  void deliver(const State& state, std::uint32_t from, std::uint32_t to, Id letter, Taken taken,
               Visit visit);
  void each_timer(const State& state, Visit visit);
  void expire(const State& state, std::uint32_t node, TimerId timer, Visit visit);
  void each_notice(const State& state, Visit visit);
  void each_return(const State& state, Visit visit);
  void each_fault(const State& state, const Budgets& left, Visit visit);
  void pass(const State& state, Visit visit);
  void command(const State& state, std::uint32_t node, Visit visit);
  void deliver_first(const State& state, std::uint32_t from, std::uint32_t to, Visit visit);
  void expire(const State& state, std::uint32_t node, Visit visit);

  bool visit_ample(const State& state, Visit visit, WasKnown was_known);
  bool is_ample(const State& state, std::uint32_t node, WasKnown was_known);
  std::uint32_t steps_of(const State& state, std::uint32_t node) const;
  bool is_undisturbed(const State& state, std::uint32_t node, std::uint32_t active) const;
  void begin_from(State& state, std::uint32_t node, VisitState visit);

  void stop(State& state, std::uint32_t node);
  bool is_paused(const State& state, std::uint32_t node) const {
    const LocalBrief& process = brief(state, node);
    return process.up && !process.runs;
  }
  void set_paused(State& state, std::uint32_t node, bool paused) {
    Local changed = local(state, node).local;
    changed.paused = paused;
    state.part[node] = intern(node, std::move(changed));
  }
  bool is_gone(const State& state, std::uint32_t node) const {
    return !brief(state, node).up && m_->rests_[state.part[m_->rest()]].budgets.recover == 0 &&
           !HeedsReturns<P>;
  }

  void simplify(State& state);
  void close_gaps(State& state);
  Id moved_part(std::uint32_t part, Id id, Domain domain, NumberSet to);
  Numbers numbers_in(std::uint32_t part, Id id) const {
    return part < size_ ? m_->locals_[part][id].numbers : m_->channels_[id].numbers;
  }
  void find_representative(State& state);
  State renamed(const State& state, std::uint32_t renaming);
  template <class Change>
  Id changed_letters(Id channel, Change change);

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
  // The first is none.
  std::vector<typename A::Effect> effects_ = std::vector<typename A::Effect>(1);
  std::vector<First> firsts_;  // by channel
  State next_;
  const std::vector<std::uint32_t>* chosen_ = nullptr;  // in the step that is being visited
  std::vector<std::uint32_t> chosen_first_;             // by the protocols as they start
  bool is_visible_ = false;                             // the step that is being visited
  std::vector<std::pair<Step, State>> ample_;
};

// Interning.

template <Protocol P, class A>
Id GroupModel<P, A>::Worker::intern(std::uint32_t node, Local&& local) {
  std::string encoding;
  if (local.protocol) {
    encoding.push_back('u');
    reflect::encode(local.protocol->state(), encoding);
  } else {
    encoding.push_back('d');
    reflect::encode(local.durable, encoding);
  }
  reflect::encode(local.application, encoding);
  reflect::encode(local.timers, encoding);
  reflect::encode(local.suspected, encoding);
  reflect::encode(local.paused, encoding);
  return m_->locals_[node].intern(std::move(encoding), [&] {
    LocalEntry entry;
    entry.up = local.protocol.has_value();
    entry.timers = local.timers;
    entry.glance = A::glance(local.application, local.protocol ? &*local.protocol : nullptr);
    if constexpr (can_rewrite) {
      if (local.protocol) {
        auto note = [&](Domain domain, std::uint64_t number) {
          entry.numbers[domain] |= NumberSet{1} << std::min(number, largest_number);
        };
        const auto& state = local.protocol->state();
        visit_numbers<by_process>(state, NodeId{node}, note);
      }
    }
    entry.local = std::move(local);
    return entry;
  });
}

template <Protocol P, class A>
Id GroupModel<P, A>::Worker::intern(Letter&& letter) {
  return m_->letters_.intern(reflect::encoded(letter), [&] {
    LetterEntry entry;
    if constexpr (can_rewrite) {
      auto note = [&](Domain domain, std::uint64_t number) {
        entry.numbers[domain] |= NumberSet{1} << std::min(number, largest_number);
      };
      visit_numbers<by_process>(std::as_const(letter.message), letter.from, note, letter.to);
    }
    entry.letter = std::move(letter);
    return entry;
  });
}

template <Protocol P, class A>
Id GroupModel<P, A>::Worker::intern(std::vector<Id>&& letters) {
  if (letters.empty()) return 0;
  if (!m_->bounds_.fifo) std::sort(letters.begin(), letters.end());
  return m_->channels_.intern(reflect::encoded(letters), [&] {
    Channel channel;
    for (const Id id : letters) {
      const LetterEntry& entry = m_->letters_[id];
      for (std::size_t i = 0; i < channel.numbers.size(); ++i) {
        channel.numbers[i] |= entry.numbers[i];
      }
      channel.kinds |= A::kind_of(entry.letter.message);
      channel.must_arrive = channel.must_arrive || entry.letter.left == 0;
    }
    const Letter& first = m_->letters_[letters.front()].letter;
    channel.is_prompt =
        m_->bounds_.time.prompt && first.left != late && detail::is_background(first.message);
    channel.letters = std::move(letters);
    return channel;
  });
}

// One process's step: the place of its first outcome.

template <Protocol P, class A>
std::uint32_t GroupModel<P, A>::Worker::run(std::uint32_t node, const Local& before,
                                            Handler handler) {
  std::vector<Outcome> found;
  std::vector<std::vector<std::uint32_t>> taken;
  std::vector<std::string> seen;
  const typename A::Glance glance =
      A::glance(before.application, before.protocol ? &*before.protocol : nullptr);
  detail::EveryChoice choices;
  do {
    Local local = before;
    Outcome outcome{.first_send = static_cast<std::uint32_t>(sends_.size())};
    typename A::Effect effect{};
    Out out(choices);
    handler(local, out);
    std::vector<Message> to_self;
    carry_out(node, local, out, effect, to_self);
    for (std::size_t i = 0; i < to_self.size(); ++i) {
      const Message message = to_self[i];
      local.protocol->receive(NodeId{node}, message, out);
      carry_out(node, local, out, effect, to_self);
    }
    A::look(local.application, *local.protocol, effect);
    if constexpr (requires { local.protocol->forget_durations(); }) {
      const bool matter = m_->bounds_.time.counts || !m_->bounds_.reductions.canonical;
      if (!matter) local.protocol->forget_durations();
    }
    outcome.local = intern(node, std::move(local));
    std::string same = reflect::encoded(outcome.local);
    reflect::encode(effect, same);
    for (std::size_t i = outcome.first_send; i < sends_.size(); ++i) {
      reflect::encode(sends_[i].to, same);
      reflect::encode(sends_[i].letter, same);
    }
    if (std::find(seen.begin(), seen.end(), same) != seen.end()) {
      sends_.resize(outcome.first_send);
      continue;
    }
    outcome.sends = static_cast<std::uint16_t>(sends_.size() - outcome.first_send);
    outcome.enters = A::enters(effect);
    outcome.is_visible =
        A::changes_global(effect) || !looks_same(m_->locals_[node][outcome.local].glance, glance);
    if (outcome.enters || A::changes_global(effect)) {
      outcome.effect = static_cast<std::uint32_t>(effects_.size());
      effects_.push_back(effect);
    }
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

template <Protocol P, class A>
void GroupModel<P, A>::Worker::carry_out(std::uint32_t node, Local& local, Out& out,
                                         typename A::Effect& effect,
                                         std::vector<Message>& to_self) {
  for (const auto& send : out.sends()) {
    if (send.to.value == node) {
      to_self.push_back(out.message(send));
      continue;
    }
    Letter letter{out.message(send), A::tag(local.application, out.message(send)), 0};
    if (m_->bounds_.time.counts) letter.left = m_->bounds_.time.delay;
    if (by_process) {
      letter.from = NodeId{node};
      letter.to = send.to;
    }
    sends_.push_back({send.to.value, intern(std::move(letter))});
  }
  for (const auto& timer : out.timers()) arm(local, timer.id, timer.after);
  for (const auto& event : out.events()) {
    A::told(NodeId{node}, local.application, event, effect, m_->bounds_);
  }
  out.clear();
}

template <Protocol P, class A>
void GroupModel<P, A>::Worker::arm(Local& local, TimerId timer, Ticks after) {
  std::erase_if(local.timers, [&](const Armed& armed) { return armed.timer == timer; });
  if (after == forever) return;
  Armed armed{timer, 0};
  if (m_->bounds_.time.counts) {
    const std::int64_t unit = m_->bounds_.time.unit.value;
    armed.left = static_cast<std::uint32_t>((after.value + unit - 1) / unit);
  }
  const auto place = std::find_if(local.timers.begin(), local.timers.end(),
                                  [&](const Armed& other) { return other.timer > timer; });
  local.timers.insert(place, armed);
}

template <Protocol P, class A>
void GroupModel<P, A>::Worker::apply(State& state, std::uint32_t node, const Outcome& outcome) {
  state.part[node] = outcome.local;
  for (std::uint32_t i = 0; i < outcome.sends; ++i) {
    const Send& send = sends_[outcome.first_send + i];
    if (is_gone(state, send.to)) continue;
    Id& channel = state.part[m_->channel(node, send.to)];
    channel = push(channel, send.letter);
  }
  if (outcome.effect == 0) return;
  const typename A::Effect& effect = effects_[outcome.effect];
  if (A::changes_global(effect)) {
    change_rest(state, [&](Rest& rest) { A::apply(rest.application, NodeId{node}, effect); });
  }
  if (m_->bounds_.order && outcome.enters) {
    // Nobody needs to remember any more that it had asked.
    for (std::uint32_t part = 0; part < m_->rest(); ++part) {
      Id& id = state.part[part];
      id = cache_.get({key(Op::forget, part < size_ ? part : most_processes, id), node}, [&] {
        if (part < size_) {
          Local changed = m_->locals_[part][id].local;
          A::forget(changed.application, NodeId{node});
          return intern(part, std::move(changed));
        }
        return changed_letters(id,
                               [&](Letter& letter) { letter.tag &= ~(std::uint32_t{1} << node); });
      });
    }
  }
}

template <Protocol P, class A>
void GroupModel<P, A>::Worker::change_rest(State& state, const std::function<void(Rest&)>& change) {
  Rest rest = m_->rests_[state.part[m_->rest()]];
  change(rest);
  state.part[m_->rest()] = intern(rest);
}

template <Protocol P, class A>
Id GroupModel<P, A>::Worker::push(Id channel, Id letter) {
  return cache_.get({key(Op::push, 0, channel), letter}, [&] {
    std::vector<Id> letters = m_->channels_[channel].letters;
    letters.push_back(letter);
    return intern(std::move(letters));
  });
}

template <Protocol P, class A>
Id GroupModel<P, A>::Worker::take(Id channel, std::uint32_t place) {
  return cache_.get({key(Op::take, 0, channel), place}, [&] {
    std::vector<Id> letters = m_->channels_[channel].letters;
    letters.erase(letters.begin() + place);
    return intern(std::move(letters));
  });
}

template <Protocol P, class A>
template <class Change>
Id GroupModel<P, A>::Worker::changed_letters(Id channel, Change change) {
  std::vector<Id> letters = m_->channels_[channel].letters;
  for (Id& id : letters) {
    Letter letter = m_->letters_[id].letter;
    change(letter);
    id = intern(std::move(letter));
  }
  return intern(std::move(letters));
}

// What can happen.

template <Protocol P, class A>
void GroupModel<P, A>::Worker::each_initial(VisitState visit) {
  State state;
  for (std::uint32_t node = 0; node < size_; ++node) {
    Local local;
    local.protocol.emplace(A::template make<P>(NodeId{node}, m_->bounds_));
    local.application = A::first(NodeId{node}, m_->bounds_);
    state.part[node] = intern(node, std::move(local));
  }
  Rest rest;
  rest.budgets = m_->bounds_.budgets;
  state.part[m_->rest()] = intern(rest);
  begin_from(state, 0, visit);
}

template <Protocol P, class A>
void GroupModel<P, A>::Worker::begin_from(State& state, std::uint32_t node, VisitState visit) {
  if constexpr (Starts<P>) {
    if (node < size_) {
      const std::uint32_t first = run(node, local(state, node).local,
                                      [](Local& local, Out& out) { local.protocol->start(out); });
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
  }
  chosen_ = &chosen_first_;
  visit(state);
}

template <Protocol P, class A>
void GroupModel<P, A>::Worker::each_step(const State& state, Visit visit) {
  for (std::uint32_t node = 0; node < size_; ++node) {
    if (state.part[node] < rows_[node].size()) __builtin_prefetch(&rows_[node][state.part[node]]);
  }
  if (!m_->bounds_.time.prompt || !visit_prompt(state, visit)) {
    each_command(state, visit);
    each_delivery(state, visit);
    if constexpr (HasTimers<P>) each_timer(state, visit);
    if (m_->bounds_.time.counts) pass(state, visit);
    each_notice(state, visit);
    if (m_->bounds_.budgets.pause > 0) each_return(state, visit);
  }
  if (m_->bounds_.budgets == Budgets{}) return;
  const Budgets left = m_->rests_[state.part[m_->rest()]].budgets;
  if (left != Budgets{}) each_fault(state, left, visit);
}

// The one step that comes before all others, if there is such a one.
template <Protocol P, class A>
bool GroupModel<P, A>::Worker::visit_prompt(const State& state, Visit visit) {
  for (std::uint32_t from = 0; from < size_; ++from) {
    for (std::uint32_t to = 0; to < size_; ++to) {
      if (from == to || !channel_in(state, from, to).is_prompt || is_paused(state, to)) continue;
      const std::uint32_t part = m_->channel(from, to);
      const Id letter = channel_in(state, from, to).letters[0];
      deliver(state, from, to, letter, {part, take(state.part[part], 0)}, visit);
      return true;
    }
  }
  for (std::uint32_t node = 0; node < size_; ++node) {
    const LocalEntry& entry = local(state, node);
    if (!entry.up || entry.local.paused) continue;
    for (const Armed& armed : entry.timers) {
      if (armed.left > 0) continue;
      if constexpr (HasTimers<P>) expire(state, node, armed.timer, visit);
      return true;
    }
  }
  return false;
}

template <Protocol P, class A>
void GroupModel<P, A>::Worker::each_command(const State& state, Visit visit) {
  for (std::uint32_t node = 0; node < size_; ++node) command(state, node, visit);
}

template <Protocol P, class A>
void GroupModel<P, A>::Worker::command(const State& state, std::uint32_t node, Visit visit) {
  const LocalBrief& process = brief(state, node);
  if (!process.runs) return;
  if (A::may_request(process.glance)) {
    Step step{.kind = Kind::request, .node = static_cast<std::uint8_t>(node)};
    visit_outcomes(state, node,
                   act(state, node, Kind::request, 0, 0,
                       [&](Local& local, Out& out) {
                         A::request(NodeId{node}, local.application, *local.protocol, out,
                                    m_->bounds_);
                       }),
                   step, visit);
  }
  if (A::may_release(process.glance)) {
    Step step{
        .kind = Kind::release, .node = static_cast<std::uint8_t>(node), .fair = fair_at(0, node)};
    visit_outcomes(
        state, node,
        act(state, node, Kind::release, 0, 0,
            [](Local& local, Out& out) { A::release(local.application, *local.protocol, out); }),
        step, visit);
  }
}

template <Protocol P, class A>
void GroupModel<P, A>::Worker::each_delivery(const State& state, Visit visit) {
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
        const Id letter = m_->channels_[channel].letters[place];
        deliver(state, from, to, letter, {part, take(channel, place)}, visit);
      });
    }
  }
}

template <Protocol P, class A>
void GroupModel<P, A>::Worker::deliver_first(const State& state, std::uint32_t from,
                                             std::uint32_t to, Visit visit) {
  const std::uint32_t part = m_->channel(from, to);
  const First first = first_of(state.part[part]);
  deliver(state, from, to, first.letter, {part, first.others}, visit);
}

template <Protocol P, class A>
void GroupModel<P, A>::Worker::deliver(const State& state, std::uint32_t from, std::uint32_t to,
                                       Id letter, Taken taken, Visit visit) {
  const Step step{.kind = Kind::deliver,
                  .node = static_cast<std::uint8_t>(to),
                  .peer = static_cast<std::uint8_t>(from),
                  .fair = fair_delivery(from, to),
                  .detail = letter};
  if (!brief(state, to).up) {
    if constexpr (HeedsReturns<P>) {
      if (brief(state, from).up) {
        visit_outcomes(state, from,
                       act(state, from, Kind::lose, to, letter,
                           [&](Local& local, Out& out) {
                             local.protocol->returned(NodeId{to},
                                                      m_->letters_[letter].letter.message, out);
                           }),
                       step, visit, taken);
        return;
      }
    }
    next_ = state;
    next_.part[taken.part] = taken.others;
    visit(step, next_);
    return;
  }
  visit_outcomes(state, to,
                 act(state, to, Kind::deliver, from, letter,
                     [&](Local& local, Out& out) {
                       const Letter& arrived = m_->letters_[letter].letter;
                       A::hear(local.application, arrived.tag, arrived.message);
                       local.protocol->receive(NodeId{from}, arrived.message, out);
                     }),
                 step, visit, taken);
}

template <Protocol P, class A>
void GroupModel<P, A>::Worker::each_timer(const State& state, Visit visit) {
  for (std::uint32_t node = 0; node < size_; ++node) expire(state, node, visit);
}

template <Protocol P, class A>
void GroupModel<P, A>::Worker::expire(const State& state, std::uint32_t node, Visit visit) {
  const LocalBrief& process = brief(state, node);
  if (!process.runs || !process.has_timers) return;
  for (const Armed& armed : local(state, node).timers) {
    if (!m_->bounds_.time.counts || armed.left == 0) expire(state, node, armed.timer, visit);
  }
}

template <Protocol P, class A>
void GroupModel<P, A>::Worker::expire(const State& state, std::uint32_t node, TimerId timer,
                                      Visit visit) {
  const Step step{.kind = Kind::expire,
                  .node = static_cast<std::uint8_t>(node),
                  .fair = fair_at(1, node),
                  .detail = timer.value};
  visit_outcomes(state, node,
                 act(state, node, Kind::expire, 0, timer.value,
                     [&](Local& local, Out& out) {
                       std::erase_if(local.timers,
                                     [&](const Armed& one) { return one.timer == timer; });
                       local.protocol->expire(timer, out);
                     }),
                 step, visit);
}

// Time passes only when nothing must happen before.
template <Protocol P, class A>
void GroupModel<P, A>::Worker::pass(const State& state, Visit visit) {
  const Time& time = m_->bounds_.time;
  bool matters = false;
  for (std::uint32_t node = 0; node < size_; ++node) {
    if (is_paused(state, node)) continue;
    for (const Armed& armed : local(state, node).timers) {
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
    if (m_->rests_[state.part[m_->rest()]].time >= time.limit) return;
    change_rest(next, [](Rest& rest) { ++rest.time; });
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
      return changed_letters(id, [](Letter& letter) {
        if (letter.left != late && letter.left > 0) --letter.left;
      });
    });
  }
  const Step step{.kind = Kind::pass, .fair = fair_at(3, 0)};
  visit(step, next);
}

// What the host's own detector says of who has crashed or is back. It may take its time.
template <Protocol P, class A>
void GroupModel<P, A>::Worker::each_notice(const State& state, Visit visit) {
  if constexpr (HeedsSuspicion<P>) {
    const Budgets& budgets = m_->bounds_.budgets;
    if (budgets.crash + budgets.quit + budgets.suspect == 0) return;
    for (std::uint32_t node = 0; node < size_; ++node) {
      if (!brief(state, node).runs) continue;
      for (std::uint32_t whom = 0; whom < size_; ++whom) {
        if (node == whom) continue;
        const bool told = local(state, node).local.suspected.contains({whom});
        if (told == !local(state, whom).up) continue;
        // It takes longer to find out than for a message to arrive.
        if (!told && state.part[m_->channel(whom, node)] != 0) continue;
        Step step{.kind = told ? Kind::trust : Kind::suspect,
                  .node = static_cast<std::uint8_t>(node),
                  .peer = static_cast<std::uint8_t>(whom),
                  .fair = fair_at(2, node)};
        visit_outcomes(state, node,
                       act(state, node, step.kind, whom, 0,
                           [&](Local& local, Out& out) {
                             if (told) {
                               local.suspected.erase({whom});
                               if constexpr (HeedsTrust<P>) {
                                 local.protocol->trust(NodeId{whom}, out);
                               }
                             } else {
                               local.suspected.insert({whom});
                               local.protocol->suspect(NodeId{whom}, out);
                             }
                           }),
                       step, visit);
      }
    }
  }
}

// Who was paused goes on, whenever it likes.
template <Protocol P, class A>
void GroupModel<P, A>::Worker::each_return(const State& state, Visit visit) {
  for (std::uint32_t node = 0; node < size_; ++node) {
    if (!is_paused(state, node)) continue;
    State next = state;
    set_paused(next, node, false);
    visit(Step{.kind = Kind::resume, .node = static_cast<std::uint8_t>(node)}, next);
  }
}

template <Protocol P, class A>
void GroupModel<P, A>::Worker::each_fault(const State& state, const Budgets& left, Visit visit) {
  if (left.lose + left.duplicate + left.delay > 0) {
    for (std::uint32_t from = 0; from < size_; ++from) {
      for (std::uint32_t to = 0; to < size_; ++to) {
        if (from == to) continue;
        const Id channel = state.part[m_->channel(from, to)];
        each_next(m_->channels_[channel], [&](std::uint32_t place) {
          const Id letter = m_->channels_[channel].letters[place];
          Step step{.node = static_cast<std::uint8_t>(to),
                    .peer = static_cast<std::uint8_t>(from),
                    .detail = letter};
          const auto become = [&](Kind kind, std::uint32_t Budgets::*budget, Id then) {
            step.kind = kind;
            State next = state;
            next.part[m_->channel(from, to)] = then;
            spend(next, budget);
            visit(step, next);
          };
          if (left.lose > 0) become(Kind::lose, &Budgets::lose, take(channel, place));
          if (left.duplicate > 0) {
            const Id twice = cache_.get({key(Op::mark, 0, channel), place}, [&] {
              std::vector<Id> letters = m_->channels_[channel].letters;
              letters.insert(letters.begin() + place, letter);
              return intern(std::move(letters));
            });
            become(Kind::duplicate, &Budgets::duplicate, twice);
          }
          const bool in_time = m_->letters_[letter].letter.left != late;
          if (left.delay > 0 && m_->bounds_.time.counts && in_time) {
            const Id delayed = cache_.get({key(Op::mark, 1, channel), place}, [&] {
              std::vector<Id> letters = m_->channels_[channel].letters;
              Letter marked = m_->letters_[letter].letter;
              marked.left = late;
              letters[place] = intern(std::move(marked));
              return intern(std::move(letters));
            });
            become(Kind::delay, &Budgets::delay, delayed);
          }
        });
      }
    }
  }
  for (std::uint32_t node = 0; node < size_; ++node) {
    const auto at = static_cast<std::uint8_t>(node);
    if (left.crash > 0 && local(state, node).up) {
      State next = state;
      spend(next, &Budgets::crash);
      stop(next, node);
      visit(Step{.kind = Kind::crash, .node = at}, next);
    }
    if constexpr (Leaves<P>) {
      if (left.quit > 0 && brief(state, node).runs) {
        State paid = state;
        spend(paid, &Budgets::quit);
        auto visit_without = [&](const Step& step, State& next) {
          stop(next, node);
          visit(step, next);
        };
        visit_outcomes(paid, node,
                       act(state, node, Kind::quit, 0, 0,
                           [](Local& local, Out& out) { local.protocol->leave(out); }),
                       Step{.kind = Kind::quit, .node = at}, visit_without);
      }
    }
    if (left.pause > 0 && brief(state, node).runs) {
      State next = state;
      spend(next, &Budgets::pause);
      set_paused(next, node, true);
      visit(Step{.kind = Kind::pause, .node = at}, next);
    }
    if (left.recover > 0 && !local(state, node).up) {
      State paid = state;
      spend(paid, &Budgets::recover);
      visit_outcomes(paid, node,
                     act(state, node, Kind::recover, 0, 0,
                         [&](Local& local, Out& out) {
                           if constexpr (HasDurable<P>) {
                             local.protocol.emplace(NodeId{node}, m_->bounds_.setup, local.durable);
                           } else {
                             local.protocol.emplace(NodeId{node}, m_->bounds_.setup);
                           }
                           local.durable = {};
                           if constexpr (Recovers<P>) {
                             local.protocol->recover(out);
                           } else if constexpr (Starts<P>) {
                             local.protocol->start(out);
                           }
                         }),
                     Step{.kind = Kind::recover, .node = at}, visit);
    }
    if constexpr (HeedsSuspicion<P>) {
      if (left.suspect == 0 || !brief(state, node).runs) continue;
      for (std::uint32_t whom = 0; whom < size_; ++whom) {
        if (node == whom || !local(state, whom).up ||
            local(state, node).local.suspected.contains({whom})) {
          continue;
        }
        State paid = state;
        spend(paid, &Budgets::suspect);
        visit_outcomes(
            paid, node,
            act(state, node, Kind::suspect, whom, 0,
                [&](Local& local, Out& out) {
                  local.suspected.insert({whom});
                  local.protocol->suspect(NodeId{whom}, out);
                }),
            Step{.kind = Kind::suspect, .node = at, .peer = static_cast<std::uint8_t>(whom)},
            visit);
      }
    }
  }
}

template <Protocol P, class A>
void GroupModel<P, A>::Worker::stop(State& state, std::uint32_t node) {
  Local crashed = local(state, node).local;
  if constexpr (HasDurable<P>) crashed.durable = crashed.protocol->durable();
  crashed.protocol.reset();
  crashed.timers.clear();
  crashed.suspected.clear();
  crashed.paused = false;
  A::crashed(crashed.application);
  state.part[node] = intern(node, std::move(crashed));
  if (!is_gone(state, node)) return;
  for (std::uint32_t from = 0; from < size_; ++from) {
    if (from != node) state.part[m_->channel(from, node)] = 0;
  }
}

// Partial-order reduction: a process's steps take from the channels into it and append to those
// out of it, so that they can trade places with the steps of others. In many states it is enough
// to let one process go first: one that nobody can give anything new to do before it has acted,
// and of whose steps properties see nothing. D. Peled, "All from one, one for all: on model
// checking using representatives", CAV 1993; with the proviso for breadth-first search of
// D. Bošnački and G. J. Holzmann, SPIN 2005: where all steps lead back, every process goes, lest
// the others be put off for ever. That is enough for what holds in states, not for what must
// happen in the end.

template <Protocol P, class A>
bool GroupModel<P, A>::Worker::visit_ample(const State& state, Visit visit, WasKnown was_known) {
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

template <Protocol P, class A>
std::uint32_t GroupModel<P, A>::Worker::steps_of(const State& state, std::uint32_t node) const {
  const LocalBrief& process = brief(state, node);
  std::uint32_t steps = A::may_request(process.glance) ? 1 : 0;
  if (A::may_release(process.glance)) ++steps;
  if (process.has_timers) steps += static_cast<std::uint32_t>(local(state, node).timers.size());
  for (std::uint32_t from = 0; from < size_; ++from) {
    if (from != node && state.part[m_->channel(from, node)] != 0) ++steps;
  }
  return steps;
}

// Whether nobody who can act before `node` does can send it something that it could then receive.
// What comes behind another message is not yet of interest.
template <Protocol P, class A>
bool GroupModel<P, A>::Worker::is_undisturbed(const State& state, std::uint32_t node,
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
template <Protocol P, class A>
bool GroupModel<P, A>::Worker::is_ample(const State& state, std::uint32_t node,
                                        WasKnown was_known) {
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
  if constexpr (HasTimers<P>) expire(state, node, note);
  return !is_seen && leads_on;
}

// Reductions.

template <Protocol P, class A>
void GroupModel<P, A>::Worker::normalize(State& state) {
  if constexpr (can_rewrite) {
    if (m_->bounds_.reductions.canonical) {
      if constexpr (detail::Simplifies<P>) simplify(state);
      close_gaps(state);
    }
    if (!m_->renamings_.empty()) find_representative(state);
  }
}

// Drops from messages under way what will make no difference to who gets them.
template <Protocol P, class A>
void GroupModel<P, A>::Worker::simplify(State& state) {
  for (std::uint32_t from = 0; from < size_; ++from) {
    for (std::uint32_t to = 0; to < size_; ++to) {
      if (from == to) continue;
      Id& channel = state.part[m_->channel(from, to)];
      if (channel == 0 || !brief(state, to).up) continue;
      const Id receiver = state.part[to];
      channel = cache_.get({key(Op::simplify, to << 4 | from, channel), receiver}, [&] {
        const P& protocol = *m_->locals_[to][receiver].local.protocol;
        return changed_letters(
            channel, [&](Letter& letter) { protocol.simplify(NodeId{from}, letter.message); });
      });
    }
  }
}

template <Protocol P, class A>
void GroupModel<P, A>::Worker::close_gaps(State& state) {
  const Domain domains = by_process ? size_ + 1 : 1;
  Numbers all{};
  for (std::uint32_t part = 0; part < m_->rest(); ++part) {
    if (part >= size_ && state.part[part] == 0) continue;
    const Numbers& here = part < size_ ? m_->locals_[part][state.part[part]].numbers
                                       : m_->channels_[state.part[part]].numbers;
    for (Domain domain = 0; domain < domains; ++domain) all[domain] |= here[domain];
  }
  for (Domain domain = 0; domain < domains; ++domain) {
    if (!has_gaps(all[domain], m_->bounds_.gap)) continue;
    if ((all[domain] >> largest_number) != 0) continue;  // too large to be told apart
    const NumberSet closed = closed_up(all[domain], m_->bounds_.gap);
    for (std::uint32_t part = 0; part < m_->rest(); ++part) {
      Id& id = state.part[part];
      const NumberSet here = numbers_in(part, id)[domain];
      NumberSet to = 0;
      for (NumberSet rest = here; rest != 0; rest &= rest - 1) {
        const auto number = static_cast<std::uint64_t>(std::countr_zero(rest));
        to |= NumberSet{1} << moved(number, all[domain], closed);
      }
      if (to != here) id = moved_part(part, id, domain, to);
    }
  }
}

template <Protocol P, class A>
Id GroupModel<P, A>::Worker::moved_part(std::uint32_t part, Id id, Domain domain, NumberSet to) {
  const std::uint32_t what = domain << 8 | (part < size_ ? part : most_processes);
  return moves_.get({key(Op::move, what, id), to}, [&]() -> Id {
    const NumberSet from = numbers_in(part, id)[domain];
    auto move = [&](Domain of, std::uint64_t& number) {
      if (of == domain) number = moved(number, from, to);
    };
    if (part >= size_) {
      return changed_letters(id, [&](Letter& letter) {
        visit_numbers<by_process>(letter.message, letter.from, move, letter.to);
      });
    }
    Local changed = m_->locals_[part][id].local;
    if constexpr (can_rewrite) {
      auto state = changed.protocol->state();
      visit_numbers<by_process>(state, NodeId{part}, move);
      changed.protocol->assume(std::move(state));
    }
    return intern(part, std::move(changed));
  });
}

template <Protocol P, class A>
void GroupModel<P, A>::Worker::find_representative(State& state) {
  State least = state;
  const auto end = [&](State& one) { return one.part.begin() + m_->parts(); };
  for (std::uint32_t i = 0; i < m_->renamings_.size(); ++i) {
    State other = renamed(state, i);
    if (std::lexicographical_compare(other.part.begin(), end(other), least.part.begin(),
                                     end(least))) {
      least = other;
    }
  }
  state = least;
}

template <Protocol P, class A>
auto GroupModel<P, A>::Worker::renamed(const State& state, std::uint32_t index) -> State {
  const Renaming& renaming = m_->renamings_[index];
  State other;
  other.part[m_->rest()] = state.part[m_->rest()];
  for (std::uint32_t node = 0; node < size_; ++node) {
    const Id id = state.part[node];
    const std::uint32_t becomes = renaming[node];
    other.part[becomes] = cache_.get({key(Op::rename, index << 4 | node, id), 0}, [&] {
      Local changed = m_->locals_[node][id].local;
      if constexpr (can_rewrite) {
        if (changed.protocol) {
          typename P::State inner = changed.protocol->state();
          rename(inner, renaming);
          changed.protocol.emplace(NodeId{becomes}, m_->bounds_.setup);
          changed.protocol->assume(std::move(inner));
        }
      }
      A::rename(changed.application, renaming);
      rename(changed.suspected, renaming);
      return intern(becomes, std::move(changed));
    });
    for (std::uint32_t to = 0; to < size_; ++to) {
      if (node == to) continue;
      const Id channel = state.part[m_->channel(node, to)];
      if (channel == 0) continue;
      other.part[m_->channel(becomes, renaming[to])] =
          cache_.get({key(Op::rename, index << 4 | most_processes, channel), 0}, [&] {
            return changed_letters(channel, [&](Letter& letter) {
              rename(letter.message, renaming);
              rename(letter.from, renaming);
              rename(letter.to, renaming);
            });
          });
    }
  }
  return other;
}

template <Protocol P, class A>
ScheduledStep GroupModel<P, A>::Worker::told(const Step& step) {
  ScheduledStep told{.kind = step.kind};
  if (step.kind == Kind::pass) return told;
  told.node = NodeId{step.node};
  switch (step.kind) {
    case Kind::deliver:
    case Kind::lose:
    case Kind::duplicate:
    case Kind::delay: {
      const Message& message = m_->letters_[step.detail].letter.message;
      told.peer = NodeId{step.peer};
      told.message = std::string(reflect::message_name(message)) + reflect::message_body(message);
      break;
    }
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
