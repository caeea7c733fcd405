// Checks that every mutual-exclusion protocol must pass: the costs that it states, measured in a
// world where each hop takes one message time, and the start with a process inside.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "core/protocol.h"
#include "support/conversation.h"

namespace baton::test {

// A world in which time passes in whole message times and all that is under way arrives together,
// in the order in which it was sent.
template <MutexProtocol P>
class Lockstep : private Chooser {
 public:
  explicit Lockstep(const Setup& setup, std::uint32_t seed = 1) : setup_(setup), random_(seed) {
    for (std::uint32_t i = 0; i < setup_.size; ++i) nodes_.emplace_back(NodeId{i}, setup_, nobody);
    inside_.resize(setup_.size);
    if constexpr (Starts<P>) {
      for (std::uint32_t i = 0; i < setup_.size; ++i) {
        nodes_[i].start(out_);
        carry_out({i});
      }
    }
  }
  Lockstep(const Lockstep&) = delete;
  Lockstep& operator=(const Lockstep&) = delete;

  void request(NodeId node) {
    nodes_[node.value].request(out_);
    carry_out(node);
  }
  void release(NodeId node) {
    inside_[node.value] = false;
    nodes_[node.value].release(out_);
    carry_out(node);
  }

  void pass_one_message_time() {
    for (const Hop& hop : std::exchange(under_way_, {})) {
      nodes_[hop.to.value].receive(hop.from, hop.message, out_);
      carry_out(hop.to);
    }
  }
  // Long enough for every message caused so far to have had its effect.
  void settle() {
    for (std::uint32_t i = 0; i < 3 * setup_.size; ++i) pass_one_message_time();
  }
  std::size_t wait_until_inside(NodeId node) {
    std::size_t waited = 0;
    for (; !is_inside(node) && waited < 1'000'000; ++waited) pass_one_message_time();
    return waited;
  }
  // Returns how long it took to enter.
  std::size_t enter_and_leave(NodeId node) {
    request(node);
    const std::size_t waited = wait_until_inside(node);
    release(node);
    return waited;
  }

  // All ask at the same instant and stay inside for `stay` message times.
  void let_everyone_in(std::uint32_t stay, bool last_asks_first) {
    for (std::uint32_t i = 0; i < setup_.size; ++i) {
      request({last_asks_first ? setup_.size - 1 - i : i});
    }
    std::vector<std::uint32_t> stayed(setup_.size);
    for (std::uint32_t left = setup_.size; left > 0; pass_one_message_time()) {
      for (std::uint32_t i = 0; i < setup_.size; ++i) {
        if (inside_[i] && stayed[i]++ == stay) {
          release({i});
          if (--left == 0) return;
        }
      }
    }
  }

  bool is_inside(NodeId node) const { return inside_[node.value]; }
  double messages(Metric metric) const {
    if (metric == Metric::enter) return static_cast<double>(enter_messages_);
    if (metric == Metric::exit) return static_cast<double>(exit_messages_);
    return static_cast<double>(enter_messages_ + exit_messages_);
  }

 private:
  struct Hop {
    NodeId from;
    NodeId to;
    typename P::Message message;
  };

  std::uint32_t choose(std::uint32_t bound) override {
    return static_cast<std::uint32_t>(random_() % bound);
  }

  void carry_out(NodeId self) {
    for (const auto& send : out_.sends()) {
      const auto& message = out_.message(send);
      const Phase phase = std::visit([]<class M>(const M&) { return phase_of<M>(); }, message);
      ++(phase == Phase::enter ? enter_messages_ : exit_messages_);
      under_way_.push_back({self, send.to, message});
    }
    if (!out_.events().empty()) inside_[self.value] = true;
    out_.clear();
  }

  Setup setup_;
  std::mt19937 random_;
  OutboxOf<P> out_{*this};
  std::vector<P> nodes_;
  std::vector<bool> inside_;
  std::vector<Hop> under_way_;
  std::size_t enter_messages_ = 0;
  std::size_t exit_messages_ = 0;
};

template <MutexProtocol P>
double measured(const Cost& cost, const Case& c, std::uint32_t stay, bool last_asks_first) {
  Lockstep<P> world(c.setup);
  if (cost.scenario == Scenario::everyone) {
    world.let_everyone_in(stay, last_asks_first);
    return world.messages(cost.metric) / c.setup.size;
  }
  if (cost.scenario == Scenario::sequential) {
    std::mt19937 random(7);
    const std::uint32_t entries = cost.value(c).is_mean ? 20'000 : 100;
    for (std::uint32_t i = 0; i < entries; ++i) {
      world.enter_and_leave({static_cast<std::uint32_t>(random() % c.setup.size)});
    }
    return world.messages(cost.metric) / entries;
  }
  if (cost.scenario == Scenario::handover) {
    world.request(c.before);
    world.wait_until_inside(c.before);
    world.request(c.requester);
    world.settle();
    world.release(c.before);
    return static_cast<double>(world.wait_until_inside(c.requester));
  }
  world.enter_and_leave(c.before);
  world.settle();
  if (cost.scenario == Scenario::again) {
    world.enter_and_leave(c.requester);
    world.settle();
  }
  const double messages_before = world.messages(cost.metric);
  const auto delay = static_cast<double>(world.enter_and_leave(c.requester));
  world.settle();
  return cost.metric == Metric::delay ? delay : world.messages(cost.metric) - messages_before;
}

// Measures every stated cost in a group of this size, whether critical sections are short or long
// and whoever asks first. A mean is only measured when asked for, since that takes its time.
template <MutexProtocol P>
void expect_costs_as_stated(const Setup& setup, bool means = false) {
  const bool pair = setup.size == 2;
  const Case c{setup, NodeId{pair ? 0U : 1U}, NodeId{pair ? 1U : setup.size - 1}};
  for (const Cost& cost : P::info().costs) {
    // This host counts messages only; the simulator's tests measure the rest.
    if (cost.metric == Metric::multicast) continue;
    const Expected expected = cost.value(c);
    if (expected.is_mean && !means) continue;
    if (cost.scenario == Scenario::saturated) continue;  // only the simulator has this workload
    const double tolerance = expected.is_mean ? 0.03 * expected.low : 1e-9;
    for (const std::uint32_t stay : {0U, 1U, 3U}) {
      for (const bool last_asks_first : {false, true}) {
        const double value = measured<P>(cost, c, stay, last_asks_first);
        EXPECT_TRUE(value >= expected.low - tolerance && value <= expected.high + tolerance)
            << P::info().name << ", N = " << setup.size << ", scenario "
            << static_cast<int>(cost.scenario) << ", metric " << static_cast<int>(cost.metric)
            << ": " << value << " is not in " << expected.low << " ... " << expected.high
            << " (stay " << stay << ", last asks first " << last_asks_first << ")";
        if (cost.scenario != Scenario::everyone) break;
      }
      if (cost.scenario != Scenario::everyone) break;
    }
  }
}

// Whoever the group says is inside keeps all others out until it leaves; then all get their turns.
template <MutexProtocol P>
void expect_start_with_each_process_inside(const Setup& setup, bool fifo) {
  for (std::uint32_t inside = 0; inside < setup.size; ++inside) {
    Conversation<P> talk(setup, NodeId{inside});
    for (std::uint32_t i = 0; i < setup.size; ++i) {
      if (i != inside) talk.request(i);
    }
    talk.deliver_all(1000);
    EXPECT_EQ(talk.inside(), std::vector<std::uint32_t>{inside});
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
      Conversation<P> play(setup, NodeId{inside});
      EXPECT_EQ(play.play(seed, 2, fifo), 1U) << "inside " << inside << ", seed " << seed;
    }
  }
}

}  // namespace baton::test
