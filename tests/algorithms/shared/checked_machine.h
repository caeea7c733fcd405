// A machine with all its reachable states, breadth first by one thread: the same numbers and the
// same shortest runs every time.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "lab/check/explore.h"
#include "lab/check/machine_model.h"

namespace baton::test {

template <SharedMachine M>
class CheckedMachine {
 public:
  using Model = check::MachineModel<M>;
  using State = typename Model::State;
  using Step = typename Model::Step;
  using Number = check::StateStore::Number;

  explicit CheckedMachine(const M& first, const check::MachineBounds& bounds = {})
      : model_(first, bounds), explorer_(model_, by_one_thread()), worker_(model_) {
    explorer_.run();
  }
  CheckedMachine(const CheckedMachine&) = delete;
  CheckedMachine& operator=(const CheckedMachine&) = delete;

  const Model& model() const { return model_; }
  const check::Explorer<Model>& explorer() const { return explorer_; }
  std::uint64_t states() const { return explorer_.distinct(); }
  bool violates(std::size_t property) const { return (explorer_.violated() >> property & 1) != 0; }
  bool somebody_enters() const { return explorer_.shown() != 0; }

  State state(Number number) const {
    const auto bytes = explorer_.store().bytes_of(number);
    State state;
    worker_.decode(bytes.data(), bytes.size(), state);
    return state;
  }
  M machine(Number number) const { return model_.machine(state(number)); }
  Number number_of(const State& state) const {
    std::array<std::uint8_t, Model::most_bytes> bytes{};
    const std::size_t size = worker_.encode(state, bytes.data());
    return explorer_.store().find(bytes.data(), size);
  }

  // In the order in which they were found.
  std::vector<Number> numbers() const {
    std::vector<Number> all;
    for (const auto& range : explorer_.store().all()) {
      for (Number number = range.first; number < range.last; ++number) all.push_back(number);
    }
    return all;
  }

  // The first state, hence one at the least depth, whose machine is like that.
  template <class Predicate>
  std::optional<Number> find(Predicate is) const {
    for (const Number number : numbers()) {
      if (is(machine(number))) return number;
    }
    return std::nullopt;
  }

  // The steps that lead to a state, of which there are none fewer.
  std::vector<Step> run_to(Number number) const {
    std::vector<Step> run;
    Number at = check::StateStore::none;
    for (const Number next : explorer_.way_to(number)) {
      if (at != check::StateStore::none) run.push_back(step_between(at, next));
      at = next;
    }
    return run;
  }
  std::vector<Step> run_to_violation(std::size_t property) const {
    return run_to(explorer_.violation_of(property));
  }

  std::string told(const std::vector<Step>& run) const {
    std::string text;
    for (const Step& step : run) text += model_.describe(step) + "\n";
    return text;
  }

 private:
  static check::ExploreOptions by_one_thread() {
    check::ExploreOptions options;
    options.threads = 1;
    return options;
  }

  Step step_between(Number from, Number to) const {
    std::optional<Step> found;
    worker_.successors(state(from), [&](const Step& step, const State& next) {
      if (!found && number_of(next) == to) found = step;
    });
    return found.value();
  }

  Model model_;
  check::Explorer<Model> explorer_;
  typename Model::Worker worker_;
};

}  // namespace baton::test
