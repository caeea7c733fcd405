// A model whose states and steps are listed one by one, to try the explorer on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/check/model.h"

namespace baton::test {

class ListedModel {
 public:
  using State = std::uint32_t;
  struct Step {
    std::uint32_t to = 0;
    std::uint8_t fair = 255;
    bool enters = false;
  };
  static constexpr std::size_t most_bytes = 4;

  std::vector<std::vector<Step>> steps;  // of each state; state 0 is the first
  std::vector<std::uint32_t> pending;    // of each state
  std::vector<check::PropertySet> judged;
  std::vector<check::Property> all_properties;
  std::uint32_t limit = 0xFFFF'FFFF;  // states from here on are outside the model

  const std::vector<check::Property>& properties() const { return all_properties; }

  class Worker {
   public:
    explicit Worker(const ListedModel& model) : model_(&model) {}

    template <class Visit>
    void initial(Visit visit) {
      visit(State{0});
    }
    template <class Visit>
    void successors(const State& state, Visit visit) {
      for (const Step& step : model_->steps[state]) visit(step, State{step.to});
    }
    check::PropertySet judge(const State& state) const {
      return state < model_->judged.size() ? model_->judged[state] : 0;
    }
    bool within(const State& state) const { return state < model_->limit; }
    std::uint32_t pending(const State& state) const {
      return state < model_->pending.size() ? model_->pending[state] : 0;
    }
    std::size_t encode(const State& state, std::uint8_t* bytes) const {
      for (int i = 0; i < 4; ++i) bytes[i] = static_cast<std::uint8_t>(state >> (8 * i));
      return 4;
    }
    void decode(const std::uint8_t* bytes, std::size_t, State& state) const {
      state = 0;
      for (int i = 0; i < 4; ++i) state |= static_cast<State>(bytes[i]) << (8 * i);
    }

   private:
    const ListedModel* model_;
  };
};

}  // namespace baton::test
