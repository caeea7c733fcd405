// A shared-memory machine as a model: every step that any of its processes can take next, with
// every outcome that the step can have.
//
// A state is the machine's own state, encoded number by number. The model keeps one machine, and
// puts it into the state that it looks at.
//
// Fairness as in algorithms/shared/machine.h: the scheduler owes a process its next step unless the
// process is outside. A process outside need not begin.
//
// Tickets (algorithms/shared/machine.h) grow without bound as long as somebody has one, and so
// would the number of states. There are three ways to keep it finite:
// - an option of the machine itself (BakeryMachine::Options::last_ticket), which changes what the
//   machine does when it gets there;
// - `most_tickets`: what lies beyond is left out;
// - `gap`, the canonical form. Only the order of tickets matters and how close they are, since each
//   process draws a ticket one above another. Where two neighbours are further apart than the gap,
//   all tickets above move down. So tickets never run out.
//
// The canonical form is exact if the gap has room for every ticket that may still be drawn in
// between. For two and three processes of the bakery over atomic registers, a gap of one more than
// the number of processes is enough: the tests run the machine with and without the form, step by
// step, up to some number of tickets. In three cases the form is an approximation: with a narrower
// gap; over safe registers, where a read can return a number in the middle of any gap; and without
// `choosing`. There a finding must be replayed on the machine itself, and no finding is less than a
// proof.
#pragma once

#include <array>
#include <boost/pfr/core.hpp>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "algorithms/shared/machine.h"
#include "core/info.h"
#include "core/reflect.h"
#include "lab/check/model.h"
#include "lab/check/rewrite.h"

namespace baton::check {

struct MachineBounds {
  bool order = true;               // watches order where it is promised; takes more states
  std::uint32_t most_tickets = 0;  // 0: any number
  std::uint32_t gap = 0;           // 0: tickets stay what they are
};

// A machine with as many tickets as the canonical form needs, so that the last is never drawn.
template <SharedMachine M>
M endless_machine(std::uint32_t processes, std::uint32_t gap, typename M::Options options = {}) {
  // Each process has a ticket or looks for one, and neighbouring numbers differ by at most `gap`.
  if (processes * gap + 1 >= largest_number) {
    throw std::length_error("the canonical form has room for 62 tickets");
  }
  if constexpr (requires { options.last_ticket; }) options.last_ticket = {processes * gap + 1};
  return M(processes, options);
}

namespace detail {

// Calls visit(number&) for every number of a machine's state: places, flags, processes, tickets.
template <class T, class Visit>
void each_number(T& value, Visit& visit) {
  using Plain = std::remove_const_t<T>;
  if constexpr (reflect::detail::is_strong<Plain> || std::is_enum_v<Plain> ||
                std::is_integral_v<Plain>) {
    visit(value);
  } else if constexpr (std::is_same_v<Plain, std::vector<bool>>) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      bool flag = value[i];
      visit(flag);
      if constexpr (!std::is_const_v<T>) value[i] = flag;
    }
  } else if constexpr (reflect::detail::Range<Plain>) {
    for (auto& element : value) each_number(element, visit);
  } else {
    boost::pfr::for_each_field(value, [&](auto& field) { each_number(field, visit); });
  }
}

// Calls visit(Ticket&) for every ticket of a machine's state.
template <class T, class Visit>
void each_ticket(T& value, Visit visit) {
  auto if_ticket = [&](auto& number) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(number)>, Ticket>) visit(number);
  };
  each_number(value, if_ticket);
}

template <class Number>
std::uint32_t plain(const Number& number) {
  static_assert(sizeof(Number) <= sizeof(std::uint32_t));
  if constexpr (reflect::detail::is_strong<Number>) {
    return static_cast<std::uint32_t>(number.value);
  } else {
    return static_cast<std::uint32_t>(number);
  }
}

template <class Number>
void set(Number& number, std::uint32_t value) {
  if constexpr (reflect::detail::is_strong<Number>) {
    number.value = static_cast<decltype(number.value)>(value);
  } else {
    number = static_cast<Number>(value);
  }
}

}  // namespace detail

template <SharedMachine M>
class MachineModel {
 public:
  static constexpr std::uint32_t most_processes = 6;
  static constexpr std::size_t most_bytes = 128;

  // The machine's state, and where order is watched, facts that the machine does not tell.
  struct State {
    typename M::State machine;
    // For each process on its way in, as bits: the processes that had finished their doorway and
    // were still waiting or inside when it began its own.
    std::array<std::uint8_t, most_processes> ahead{};
    bool out_of_order = false;  // somebody has entered before one of those processes
  };

  static constexpr std::uint8_t unfair = 255;
  struct Step {
    std::uint8_t process = 0;
    std::uint8_t fair = unfair;  // the process, if the scheduler owes it this step
    bool enters = false;
    std::uint8_t size = 0;  // of the state before
    std::uint32_t choice = 0;
    // The encoding of the state before: the step's description needs it.
    std::array<std::uint8_t, most_bytes> before{};

    friend bool operator==(const Step&, const Step&) = default;
  };

  enum Properties : std::size_t { mutual_exclusion, somebody_enters, order };

  class Worker;

  explicit MachineModel(const M& first, const MachineBounds& bounds = {})
      : first_(first),
        bounds_(bounds),
        properties_{{"mutual exclusion"}, {"somebody enters", Property::Kind::sometimes}} {
    if (first.size() > most_processes || longest_encoding() > most_bytes) {
      throw std::length_error("the machine is too large to be checked");
    }
    bounds_.order = bounds.order && M::info().promises.has(Promise::order);
    if (bounds_.order) properties_.push_back({"first come, first served"});
  }

  std::uint32_t size() const { return first_.size(); }
  const MachineBounds& bounds() const { return bounds_; }
  const std::vector<Property>& properties() const { return properties_; }

  // Returns the machine in this state.
  M machine(const State& state) const {
    M machine = first_;
    machine.assume(state.machine);
    return machine;
  }

  // "process 1 reads num[0], which is being written: 2"
  std::string describe(const Step& step) const {
    State before;
    Worker(*this).decode(step.before.data(), step.size, before);
    const M machine = this->machine(before);
    const NodeId process{step.process};
    std::string text =
        "process " + std::to_string(process.value) + " " + machine.next_step(process);
    if (machine.choices(process) > 1) {
      text += ", which is being written: " + std::to_string(step.choice);
    }
    return step.enters ? text + ", and enters" : text;
  }

 private:
  std::size_t longest_encoding() const {
    std::size_t bytes = first_.size() + 1;
    auto add = [&](const auto& number) { bytes += sizeof(number) + 1; };
    detail::each_number(first_.state(), add);
    return bytes;
  }

  M first_;
  MachineBounds bounds_;
  std::vector<Property> properties_;
};

template <SharedMachine M>
class MachineModel<M>::Worker {
 public:
  explicit Worker(const MachineModel& model) : m_(&model), shown_(model.first_) {}

  template <class Visit>
  void initial(Visit visit) const {
    State state{.machine = m_->first_.state()};
    close_up(state.machine);
    visit(state);
  }

  template <class Visit>
  void successors(const State& state, Visit visit) const {
    const M before = m_->machine(state);
    M after = before;
    State next;
    Step step;
    step.size = static_cast<std::uint8_t>(encode(state, step.before.data()));
    for (NodeId process{0}; process.value < before.size(); ++process.value) {
      if (!before.enabled(process)) continue;
      const Section was = before.section(process);
      step.process = static_cast<std::uint8_t>(process.value);
      step.fair = was == Section::outside ? unfair : step.process;
      const std::uint32_t choices = before.choices(process);
      for (step.choice = 0; step.choice < choices; ++step.choice) {
        after = before;
        after.step(process, step.choice);
        step.enters = was != Section::inside && after.section(process) == Section::inside;
        next.machine = after.state();
        close_up(next.machine);
        if (m_->bounds_.order) {
          next.ahead = state.ahead;
          next.out_of_order = state.out_of_order;
          note_order(after, process, was, next);
        }
        visit(step, next);
      }
    }
  }

  PropertySet judge(const State& state) {
    const std::uint32_t inside = who(state, [](Section s) { return s == Section::inside; });
    PropertySet found = 0;
    if ((inside & (inside - 1)) != 0) found |= PropertySet{1} << mutual_exclusion;
    if (inside != 0) found |= PropertySet{1} << somebody_enters;
    if (state.out_of_order) found |= PropertySet{1} << order;
    return found;
  }

  bool within(const State& state) const {
    if (m_->bounds_.most_tickets == 0) return true;
    bool all = true;
    detail::each_ticket(state.machine, [&](const Ticket& ticket) {
      all = all && ticket.value <= m_->bounds_.most_tickets;
    });
    return all;
  }

  std::size_t encode(const State& state, std::uint8_t* bytes) const {
    std::size_t size = 0;
    const auto put = [&](std::uint32_t byte) { bytes[size++] = static_cast<std::uint8_t>(byte); };
    auto put_number = [&](const auto& number) {
      std::uint32_t value = detail::plain(number);
      for (; value >= 0x80; value >>= 7) put(value | 0x80);
      put(value);
    };
    detail::each_number(state.machine, put_number);
    if (m_->bounds_.order) {
      for (std::uint32_t i = 0; i < m_->size(); ++i) put(state.ahead[i]);
      put(state.out_of_order ? 1 : 0);
    }
    return size;
  }

  // The lists in a machine's state never change their lengths.
  void decode(const std::uint8_t* bytes, std::size_t, State& state) const {
    auto take_number = [&](auto& number) {
      std::uint32_t value = *bytes & 0x7F;
      for (unsigned shift = 7; (*bytes++ & 0x80) != 0; shift += 7) {
        value |= static_cast<std::uint32_t>(*bytes & 0x7F) << shift;
      }
      detail::set(number, value);
    };
    state.machine = m_->first_.state();
    detail::each_number(state.machine, take_number);
    if (m_->bounds_.order) {
      for (std::uint32_t i = 0; i < m_->size(); ++i) state.ahead[i] = *bytes++;
      state.out_of_order = *bytes != 0;
    }
  }

  // The processes on their way in, as bits: each must get in.
  std::uint32_t pending(const State& state) { return who(state, is_on_its_way); }
  // Every Step::fair is below this.
  std::uint32_t fair_kinds() const { return m_->size(); }

  // Moves tickets closer together, if the canonical form is on.
  void close_up(typename M::State& state) const {
    if (m_->bounds_.gap == 0) return;
    NumberSet tickets = 1;
    detail::each_ticket(state, [&](const Ticket& ticket) {
      if (ticket.value >= largest_number) {
        throw std::length_error("the canonical form has room for 62 tickets");
      }
      tickets |= NumberSet{1} << ticket.value;
    });
    if (!has_gaps(tickets, m_->bounds_.gap)) return;
    const NumberSet closed = closed_up(tickets, m_->bounds_.gap);
    detail::each_ticket(state, [&](Ticket& ticket) {
      ticket.value = static_cast<std::uint32_t>(moved(ticket.value, tickets, closed));
    });
  }

 private:
  static bool is_on_its_way(Section section) {
    return section == Section::doorway || section == Section::waiting;
  }
  static bool has_passed_doorway(Section section) {
    return section == Section::waiting || section == Section::inside;
  }
  static std::uint8_t bit(NodeId process) {
    return static_cast<std::uint8_t>(std::uint32_t{1} << process.value);
  }

  template <class Predicate>
  static std::uint32_t who(const M& machine, Predicate is) {
    std::uint32_t found = 0;
    for (NodeId process{0}; process.value < machine.size(); ++process.value) {
      if (is(machine.section(process))) found |= bit(process);
    }
    return found;
  }
  template <class Predicate>
  std::uint32_t who(const State& state, Predicate is) {
    shown_.assume(state.machine);
    return who(shown_, is);
  }

  // Called after a step that took the process out of this section.
  static void note_order(const M& machine, NodeId process, Section was, State& state) {
    const Section is = machine.section(process);
    if (is == was) return;
    std::uint8_t& ahead = state.ahead[process.value];
    if (was == Section::outside) {
      ahead = static_cast<std::uint8_t>(who(machine, has_passed_doorway) & ~bit(process));
    }
    if (is == Section::inside) {
      const std::uint32_t waiting = who(machine, [](Section s) { return s == Section::waiting; });
      state.out_of_order = state.out_of_order || (ahead & waiting) != 0;
    }
    if (!is_on_its_way(is)) ahead = 0;
    if (!has_passed_doorway(is)) {
      for (std::uint8_t& others : state.ahead) others &= static_cast<std::uint8_t>(~bit(process));
    }
  }

  const MachineModel* m_;
  M shown_;
};

}  // namespace baton::check
