// A host for tests that count: every message takes exactly one message time, so that what theory
// says of delays and messages can be compared to the letter. Channels are FIFO. On request the
// network becomes disorderly instead, for protocols whose timers matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <queue>
#include <random>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "core/carry_out.h"
#include "core/protocol.h"

namespace baton::test {

template <MutexProtocol P>
class Lockstep : private Chooser {
 public:
  explicit Lockstep(Setup setup, NodeId inside = nobody, std::uint32_t seed = 1)
      : setup_(std::move(setup)), choices_(seed) {
    nodes_.reserve(setup_.size);
    for (std::uint32_t i = 0; i < setup_.size; ++i) nodes_.emplace_back(NodeId{i}, setup_, inside);
  }
  Lockstep(const Lockstep&) = delete;
  Lockstep& operator=(const Lockstep&) = delete;

  // From now on a message takes up to five message times, so that later ones may overtake it, and
  // one in eight arrives twice.
  void be_disorderly() { disorderly_ = true; }

  void request(std::uint32_t node) {
    nodes_[node].request(out_);
    carry_out({node});
  }
  void release(std::uint32_t node) {
    --inside_;
    nodes_[node].release(out_);
    carry_out({node});
  }

  // Runs until nothing is under way. Calls on_entry(node) at each entry.
  void run(const std::function<void(std::uint32_t)>& on_entry = [](std::uint32_t) {}) {
    while (!events_.empty() || !entered_.empty()) {
      if (!entered_.empty()) {
        const std::uint32_t node = entered_.front();
        entered_.pop_front();
        on_entry(node);
        continue;
      }
      const Happening event = events_.top();
      events_.pop();
      now_ = event.at;
      if (const auto* delivery = std::get_if<Delivery>(&event.what)) {
        nodes_[event.node.value].receive(delivery->from, delivery->message, out_);
        carry_out(event.node);
      } else if constexpr (HasTimers<P>) {
        const auto& timer = std::get<Expiry>(event.what);
        if (armed_[{event.node, timer.id}] != timer.generation) continue;
        nodes_[event.node.value].expire(timer.id, out_);
        carry_out(event.node);
      }
    }
  }

  // All of `nodes` ask now and leave as soon as they are inside. Returns the most ever inside.
  std::size_t everyone_once(const std::vector<std::uint32_t>& nodes) {
    for (const std::uint32_t node : nodes) request(node);
    run([&](std::uint32_t node) { release(node); });
    return most_inside_;
  }

  double now() const { return in_message_times(now_); }
  std::size_t messages() const { return enter_messages_ + exit_messages_; }
  std::size_t enter_messages() const { return enter_messages_; }
  std::size_t exit_messages() const { return exit_messages_; }
  std::size_t entries() const { return entries_; }
  std::size_t most_inside() const { return most_inside_; }
  double last_entry_at() const { return in_message_times(last_entry_at_); }
  const P& node(std::uint32_t id) const { return nodes_[id]; }
  const Setup& setup() const { return setup_; }

 private:
  struct Delivery {
    NodeId from;
    typename P::Message message;
  };
  struct Expiry {
    TimerId id;
    std::uint64_t generation;
  };
  struct Happening {
    Ticks at;
    std::uint64_t number;
    NodeId node;
    std::variant<Delivery, Expiry> what;

    friend bool operator>(const Happening& a, const Happening& b) {
      return std::pair{a.at, a.number} > std::pair{b.at, b.number};
    }
  };

  std::uint32_t choose(std::uint32_t bound) override {
    return static_cast<std::uint32_t>(choices_() % bound);
  }

  void carry_out(NodeId self) {
    baton::carry_out(self, nodes_[self.value], out_, Duties{*this, self});
  }

  struct Duties {
    Lockstep& group;
    NodeId self;

    void send(const typename P::Message& message,
              std::span<const typename OutboxOf<P>::Send> sends) {
      for (const auto& send : sends) {
        if (send.to != self) group.send(self, send.to, message);
      }
    }
    void arm(TimerId timer, Ticks after) {
      const std::uint64_t generation = ++group.armed_[{self, timer}];
      if (after == forever) return;
      group.events_.push({group.now_ + after, group.number_++, self, Expiry{timer, generation}});
    }
    void tell(const typename P::Event&) {
      ++group.entries_;
      ++group.inside_;
      if (group.inside_ > group.most_inside_) group.most_inside_ = group.inside_;
      group.last_entry_at_ = group.now_;
      group.entered_.push_back(self.value);
    }
  };

  void send(NodeId from, NodeId to, const typename P::Message& message) {
    const Phase phase = std::visit([]<class M>(const M&) { return phase_of<M>(); }, message);
    ++(phase == Phase::exit ? exit_messages_ : enter_messages_);
    for (bool twice = disorderly_ && choices_() % 8 == 0;; twice = false) {
      const Ticks delay{disorderly_ ? static_cast<std::int64_t>(choices_() % 5'000'000)
                                    : message_time.value};
      events_.push({now_ + delay, number_++, to, Delivery{from, message}});
      if (!twice) break;
    }
  }

  Setup setup_;
  OutboxOf<P> out_{*this};
  std::vector<P> nodes_;
  std::mt19937 choices_;
  bool disorderly_ = false;
  Ticks now_{};
  Ticks last_entry_at_{};
  std::uint64_t number_ = 0;
  std::priority_queue<Happening, std::vector<Happening>, std::greater<>> events_;
  std::map<std::pair<NodeId, TimerId>, std::uint64_t> armed_;
  std::deque<std::uint32_t> entered_;
  std::size_t inside_ = 0;
  std::size_t most_inside_ = 0;
  std::size_t entries_ = 0;
  std::size_t enter_messages_ = 0;
  std::size_t exit_messages_ = 0;
};

// The one value that theory states for a scenario and a metric.
template <class P>
double stated(Scenario scenario, Metric metric, const Case& c) {
  for (const Cost& cost : P::info().costs) {
    if (cost.scenario == scenario && cost.metric == metric) return cost.value(c).low;
  }
  return -1;
}

}  // namespace baton::test
