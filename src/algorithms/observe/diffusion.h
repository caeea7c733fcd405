// A computation whose end an observer shall detect: the coordinator begins it, work causes more
// work elsewhere, and no process can tell by itself when the last of it is done.
//
// A process is active while it has work, passive otherwise. An active process now and then hands a
// part of its budget to another as WORK, and becomes passive when it has none left; WORK makes a
// process active again. Each message uses up one of the budget, so the computation ends, with all
// processes passive and no message under way.
//
// Assumes: no message is lost or duplicated and no process stops.
#pragma once

#include <cstdint>
#include <variant>

#include "algorithms/observe/protocol.h"

namespace baton {

class Diffusion {
 public:
  static constexpr Parameter work{
      .name = "work",
      .help = "messages that the computation sends",
      .least = 1,
      .most = 1'000'000,
      .usual = [](std::uint32_t size) { return std::int64_t{3} * size; },
      .usual_text = "3 N",
      .small = 3};

  struct Work {
    std::uint32_t budget = 0;
  };
  using Message = std::variant<Work>;
  using Event = NoEvent;
  using Out = Outbox<Message, Event>;

  struct State {
    bool active = false;
    std::uint32_t budget = 0;  // messages that it may still cause
    std::uint32_t sent = 0;
  };

  Diffusion(NodeId self, const Setup& setup) : self_(self), setup_(&setup) {}

  void start(Out& out);
  void receive(NodeId from, const Message& message, Out& out);
  void expire(TimerId timer, Out& out);

  const State& state() const { return state_; }
  void assume(const State& state) { state_ = state; }
  static const Info& info();
  static bool is_passive(const State& state) { return !state.active; }

 private:
  // The budget of the whole computation; no process ever sends more, even where duplicates add to
  // its budget.
  std::uint32_t whole_budget() const { return static_cast<std::uint32_t>(setup_->value(work)); }
  void work_on(std::uint32_t budget, Out& out);

  NodeId self_;
  const Setup* setup_;
  State state_;
};

}  // namespace baton
