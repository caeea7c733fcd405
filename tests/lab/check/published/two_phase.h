// Two-phase commit as it is specified in TLA+: TwoPhase of tlaplus/Examples, by J. Gray and
// L. Lamport.
//
// J. Gray and L. Lamport, "Consensus on transaction commit", ACM Transactions on Database Systems
// 31(1), 2006.
//
// It is here to hold the explorer against TLC: the same specification must give the same numbers.
// A message that was sent stays receivable for ever, so that loss and duplication need no steps of
// their own; resource managers prepare without being asked, and abort without telling.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "lab/check/model.h"

namespace baton::check::published {

class TwoPhase {
 public:
  static constexpr std::size_t most_managers = 8;
  static constexpr std::size_t most_bytes = 6;

  static constexpr PropertySet consistency = 1U << 0;
  static constexpr PropertySet commit = 1U << 1;
  static constexpr PropertySet abort = 1U << 2;

  enum class Decision : std::uint8_t { none, commit, abort };

  // Sets of resource managers: bit r stands for manager r.
  struct State {
    std::uint8_t prepared = 0;  // who is in none of these three sets is working
    std::uint8_t committed = 0;
    std::uint8_t aborted = 0;
    std::uint8_t sent_prepared = 0;
    std::uint8_t received_prepared = 0;  // by the transaction manager
    Decision decision = Decision::none;  // the transaction manager's, which it sends as it takes it
  };

  enum class Action : std::uint8_t {
    decide_commit,
    decide_abort,
    receive_prepared,
    prepare,
    choose_abort,
    receive_commit,
    receive_abort
  };

  struct Step {
    Action action{};
    std::uint8_t manager = 0;  // unless the transaction manager decides
  };

  class Worker;

  explicit TwoPhase(std::size_t managers = 3) : size_(managers) {
    if (managers < 1 || managers > most_managers) {
      throw std::length_error("TwoPhase has room for 1 to 8 resource managers");
    }
  }

  std::size_t size() const { return size_; }

  static const std::vector<Property>& properties() {
    static const std::vector<Property> all{{"consistency", Property::Kind::always},
                                           {"commit", Property::Kind::sometimes},
                                           {"abort", Property::Kind::sometimes}};
    return all;
  }

  // Resource managers are counted from 1, as in the specification's configuration.
  static std::string describe(const Step& step) {
    const std::string manager = "r" + std::to_string(step.manager + 1);
    switch (step.action) {
      case Action::decide_commit:
        return "the transaction manager commits";
      case Action::decide_abort:
        return "the transaction manager aborts";
      case Action::receive_prepared:
        return "the transaction manager learns that " + manager + " is prepared";
      case Action::prepare:
        return manager + " prepares";
      case Action::choose_abort:
        return manager + " chooses to abort";
      case Action::receive_commit:
        return manager + " is told to commit";
      case Action::receive_abort:
        return manager + " is told to abort";
    }
    return {};
  }

 private:
  std::size_t size_;
};

class TwoPhase::Worker {
 public:
  explicit Worker(const TwoPhase& model)
      : size_(model.size()), everyone_(static_cast<std::uint8_t>((1U << model.size()) - 1)) {}

  template <class Visit>
  void initial(Visit&& visit) const {
    visit(State{});
  }

  template <class Visit>
  void successors(const State& state, Visit&& visit) const {
    if (state.decision == Decision::none) {
      if (state.received_prepared == everyone_) take(state, Action::decide_commit, 0, visit);
      take(state, Action::decide_abort, 0, visit);
    }
    for (std::size_t r = 0; r < size_; ++r) {
      if (state.decision == Decision::none && has(state.sent_prepared, r)) {
        take(state, Action::receive_prepared, r, visit);
      }
      if (!has(state.prepared | state.committed | state.aborted, r)) {
        take(state, Action::prepare, r, visit);
        take(state, Action::choose_abort, r, visit);
      }
      if (state.decision == Decision::commit) take(state, Action::receive_commit, r, visit);
      if (state.decision == Decision::abort) take(state, Action::receive_abort, r, visit);
    }
  }

  PropertySet judge(const State& state) const {
    PropertySet found = 0;
    if (state.committed != 0 && state.aborted != 0) found |= consistency;
    if (state.committed == everyone_) found |= commit;
    if (state.aborted == everyone_) found |= abort;
    return found;
  }

  bool within(const State& /*state*/) const { return true; }

  std::size_t encode(const State& state, std::uint8_t* bytes) const {
    bytes[0] = state.prepared;
    bytes[1] = state.committed;
    bytes[2] = state.aborted;
    bytes[3] = state.sent_prepared;
    bytes[4] = state.received_prepared;
    bytes[5] = static_cast<std::uint8_t>(state.decision);
    return 6;
  }

  void decode(const std::uint8_t* bytes, std::size_t /*size*/, State& state) const {
    state =
        State{bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], static_cast<Decision>(bytes[5])};
  }

 private:
  static bool has(unsigned set, std::size_t r) { return (set >> r & 1U) != 0; }

  template <class Visit>
  void take(const State& state, Action action, std::size_t r, Visit&& visit) const {
    State next = state;
    apply(action, static_cast<std::uint8_t>(1U << r), next);
    visit(Step{action, static_cast<std::uint8_t>(r)}, next);
  }

  static void apply(Action action, std::uint8_t manager, State& state) {
    switch (action) {
      case Action::decide_commit:
        state.decision = Decision::commit;
        return;
      case Action::decide_abort:
        state.decision = Decision::abort;
        return;
      case Action::receive_prepared:
        state.received_prepared |= manager;
        return;
      case Action::prepare:
        state.sent_prepared |= manager;
        return become(state.prepared, manager, state);
      case Action::receive_commit:
        return become(state.committed, manager, state);
      case Action::choose_abort:
      case Action::receive_abort:
        return become(state.aborted, manager, state);
    }
  }

  // Leaves the set that the manager was in, if any, for this one of the state's three.
  static void become(std::uint8_t& set, std::uint8_t manager, State& state) {
    const auto others = static_cast<std::uint8_t>(~manager);
    state.prepared &= others;
    state.committed &= others;
    state.aborted &= others;
    set |= manager;
  }

  std::size_t size_;
  std::uint8_t everyone_;
};

static_assert(Model<TwoPhase>);
static_assert(std::is_trivially_copyable_v<TwoPhase::State>);

}  // namespace baton::check::published
