// Chang and Roberts' election on a ring as it is specified in TLA+: ChangRoberts of
// tlaplus/Examples, by S. Merz.
//
// E. Chang and R. Roberts, "An improved algorithm for decentralized extrema-finding in circular
// configurations of processes", Communications of the ACM 22(5), 1979.
//
// It is here to hold the explorer against TLC: the same specification must give the same numbers.
// Differences from src/algorithms/election/chang_roberts.h are the specification's: the smallest
// identity among those that hold an election wins, any set of processes may do so, a process takes
// its messages in any order, and nobody announces the leader. Identities ascend along the ring.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "lab/check/model.h"

namespace baton::check::published {

class ChangRoberts {
 public:
  static constexpr std::size_t most_processes = 8;
  static constexpr std::size_t most_bytes = 4 + most_processes;

  static constexpr PropertySet correctness = 1U << 0;
  static constexpr PropertySet victory = 1U << 1;
  static constexpr PropertySet defeat = 1U << 2;

  // Sets of processes: bit p stands for the one whose identity is p + 1.
  struct State {
    std::uint8_t initiators = 0;
    std::uint8_t started = 0;  // those past their first step
    std::uint8_t lost = 0;     // who has neither lost nor won is a candidate
    std::uint8_t won = 0;
    std::array<std::uint8_t, most_processes> inboxes{};  // the identities under way to each
  };

  enum class Action : std::uint8_t { start, receive };

  struct Step {
    Action action{};
    std::uint8_t process = 0;
    std::uint8_t identity = 0;  // whose identity is received
  };

  class Worker;

  explicit ChangRoberts(std::size_t processes = 3) : size_(processes) {
    if (processes < 1 || processes > most_processes) {
      throw std::length_error("ChangRoberts has room for 1 to 8 processes");
    }
  }

  std::size_t size() const { return size_; }

  static const std::vector<Property>& properties() {
    static const std::vector<Property> all{{"correctness", Property::Kind::always},
                                           {"victory", Property::Kind::sometimes},
                                           {"defeat", Property::Kind::sometimes}};
    return all;
  }

  // Processes are counted from 1, as in the specification.
  static std::string describe(const Step& step) {
    const std::string self = std::to_string(step.process + 1);
    if (step.action == Action::start) return self + " starts";
    return self + " receives the identity " + std::to_string(step.identity + 1);
  }

 private:
  std::size_t size_;
};

class ChangRoberts::Worker {
 public:
  explicit Worker(const ChangRoberts& model) : size_(model.size()) {}

  template <class Visit>
  void initial(Visit&& visit) const {
    const unsigned everyone = (1U << size_) - 1;
    for (unsigned initiators = 0; initiators <= everyone; ++initiators) {
      State state;
      state.initiators = static_cast<std::uint8_t>(initiators);
      state.lost = static_cast<std::uint8_t>(everyone & ~initiators);
      visit(state);
    }
  }

  template <class Visit>
  void successors(const State& state, Visit&& visit) const {
    for (std::size_t p = 0; p < size_; ++p) {
      if (!has(state.started, p)) {
        take(state, Action::start, p, p, visit);
        continue;
      }
      for (std::size_t identity = 0; identity < size_; ++identity) {
        if (has(state.inboxes[p], identity)) take(state, Action::receive, p, identity, visit);
      }
    }
  }

  PropertySet judge(const State& state) const {
    PropertySet found = 0;
    for (std::size_t p = 0; p < size_; ++p) {
      if (has(state.won, p) && !rightly_won(state, p)) found |= correctness;
    }
    if (state.won != 0) found |= victory;
    if ((state.initiators & state.lost) != 0) found |= defeat;
    return found;
  }

  bool within(const State& /*state*/) const { return true; }

  std::size_t encode(const State& state, std::uint8_t* bytes) const {
    bytes[0] = state.initiators;
    bytes[1] = state.started;
    bytes[2] = state.lost;
    bytes[3] = state.won;
    for (std::size_t p = 0; p < size_; ++p) bytes[4 + p] = state.inboxes[p];
    return 4 + size_;
  }

  void decode(const std::uint8_t* bytes, std::size_t /*size*/, State& state) const {
    state = State{bytes[0], bytes[1], bytes[2], bytes[3], {}};
    for (std::size_t p = 0; p < size_; ++p) state.inboxes[p] = bytes[4 + p];
  }

 private:
  static bool has(std::uint8_t set, std::size_t p) { return (set >> p & 1U) != 0; }
  static std::uint8_t bit(std::size_t p) { return static_cast<std::uint8_t>(1U << p); }

  // The smallest initiator has won, and all others know that they have lost.
  bool rightly_won(const State& state, std::size_t p) const {
    const unsigned others = ((1U << size_) - 1) & ~(1U << p);
    return has(state.initiators, p) && (state.initiators & (bit(p) - 1U)) == 0 &&
           state.lost == others;
  }

  template <class Visit>
  void take(const State& state, Action action, std::size_t p, std::size_t identity,
            Visit&& visit) const {
    State next = state;
    if (action == Action::start) {
      start(p, next);
    } else {
      receive(p, identity, next);
    }
    visit(Step{action, static_cast<std::uint8_t>(p), static_cast<std::uint8_t>(identity)}, next);
  }

  void start(std::size_t p, State& state) const {
    state.started |= bit(p);
    if (has(state.initiators, p)) pass_on(p, p, state);
  }

  void receive(std::size_t p, std::size_t identity, State& state) const {
    state.inboxes[p] &= static_cast<std::uint8_t>(~bit(identity));
    if (has(state.lost, p)) {
      pass_on(p, identity, state);
    } else if (identity < p) {
      state.lost |= bit(p);
      state.won &= static_cast<std::uint8_t>(~bit(p));
      pass_on(p, identity, state);
    } else if (identity == p) {
      state.won |= bit(p);
    }
  }

  void pass_on(std::size_t from, std::size_t identity, State& state) const {
    state.inboxes[(from + 1) % size_] |= bit(identity);
  }

  std::size_t size_;
};

static_assert(Model<ChangRoberts>);
static_assert(std::is_trivially_copyable_v<ChangRoberts::State>);

}  // namespace baton::check::published
