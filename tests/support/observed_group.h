// A group of processes with a snapshot layer, run by the test itself: FIFO channels, any of which
// may be the next to deliver, and timers that may run out whenever nothing else happens.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "algorithms/observe/snapshot.h"
#include "core/carry_out.h"

namespace baton::test {

template <Protocol P>
class ObservedGroup : private Chooser {
 public:
  using Layer = Snapshot<P>;

  ObservedGroup(Setup setup, std::uint32_t seed) : setup_(std::move(setup)), random_(seed) {
    for (std::uint32_t i = 0; i < setup_.size; ++i) nodes_.emplace_back(NodeId{i}, setup_);
    if constexpr (Starts<Layer>) {
      for (std::uint32_t i = 0; i < setup_.size; ++i) {
        nodes_[i].start(out_);
        carry_out({i});
      }
    }
  }
  ObservedGroup(const ObservedGroup&) = delete;
  ObservedGroup& operator=(const ObservedGroup&) = delete;

  // A command of the observed protocol's application.
  template <class Handler>
  void command(NodeId node, Handler handler) {
    nodes_[node.value].let_observed(out_, handler);
    carry_out(node);
  }

  void take_snapshot(NodeId node) {
    nodes_[node.value].observe(out_);
    carry_out(node);
  }

  // Delivers the oldest message of some channel; if there is none, lets a timer run out. False if
  // there is nothing to do.
  bool step() {
    std::erase_if(channels_, [](const auto& channel) { return channel.second.empty(); });
    if (channels_.empty()) return expire_some();
    auto channel =
        std::next(channels_.begin(), choose(static_cast<std::uint32_t>(channels_.size())));
    const auto [from, to] = channel->first;
    const typename Layer::Message message = channel->second.front();
    channel->second.pop_front();
    nodes_[to.value].receive(from, message, out_);
    carry_out(to);
    return true;
  }

  const P& observed(NodeId node) const { return nodes_[node.value].observed(); }
  const Setup& setup() const { return setup_; }
  const std::vector<GlobalState<P>>& found() const { return found_; }
  // What the processes have told their applications and nobody has asked for yet.
  std::vector<std::pair<NodeId, typename P::Event>> take_events() {
    return std::exchange(events_, {});
  }

  std::uint32_t choose(std::uint32_t bound) override {
    return static_cast<std::uint32_t>(random_() % bound);
  }

 private:
  bool expire_some() {
    if (timers_.empty()) return false;
    auto timer = std::next(timers_.begin(), choose(static_cast<std::uint32_t>(timers_.size())));
    const auto [node, id] = timer->first;
    timers_.erase(timer);
    if constexpr (HasTimers<Layer>) {
      nodes_[node.value].expire(id, out_);
      carry_out(node);
    }
    return true;
  }

  void carry_out(NodeId self) {
    baton::carry_out(self, nodes_[self.value], out_, Duties{*this, self});
  }

  struct Duties {
    ObservedGroup& group;
    NodeId self;

    void send(const typename Layer::Message& message,
              std::span<const typename OutboxOf<Layer>::Send> sends) {
      for (const auto& send : sends) {
        if (send.to != self) group.channels_[{self, send.to}].push_back(message);
      }
    }
    void arm(TimerId timer, Ticks after) {
      group.timers_.erase({self, timer});
      if (after != forever) group.timers_[{self, timer}] = true;
    }
    void tell(const typename Layer::Event& event) {
      if (const auto* global = std::get_if<GlobalState<P>>(&event)) {
        group.found_.push_back(*global);
      }
      if (const auto* inner = std::get_if<typename P::Event>(&event)) {
        group.events_.emplace_back(self, *inner);
      }
    }
  };

  Setup setup_;
  std::mt19937 random_;
  std::vector<Layer> nodes_;
  OutboxOf<Layer> out_{*this};
  std::map<std::pair<NodeId, NodeId>, std::deque<typename Layer::Message>> channels_;
  std::map<std::pair<NodeId, TimerId>, bool> timers_;
  std::vector<GlobalState<P>> found_;
  std::vector<std::pair<NodeId, typename P::Event>> events_;
};

}  // namespace baton::test
