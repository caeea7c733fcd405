// A host for tests that tell the story of an election: messages arrive in the order in which they
// were sent, timers run out when the test says so, and the whole conversation can be compared with
// a golden text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/protocol.h"
#include "core/reflect.h"

namespace baton::test {

template <ElectionProtocol P>
class ElectionConversation : private Chooser {
 public:
  explicit ElectionConversation(Setup setup)
      : setup_(std::move(setup)), up_(setup_.size, true), leaders_(setup_.size, nobody) {
    for (std::uint32_t i = 0; i < setup_.size; ++i) nodes_.emplace_back(NodeId{i}, setup_);
  }
  ElectionConversation(const ElectionConversation&) = delete;
  ElectionConversation& operator=(const ElectionConversation&) = delete;

  void elect(std::uint32_t node) {
    log_ += std::to_string(node) + " holds an election\n";
    step({node}, [&](P& protocol) { protocol.elect(out_); });
  }

  void crash(std::uint32_t node) {
    log_ += std::to_string(node) + " crashes\n";
    up_[node] = false;
    leaders_[node] = nobody;
    std::erase_if(timers_, [&](const auto& timer) { return timer.first.first == node; });
  }

  void recover(std::uint32_t node) {
    log_ += std::to_string(node) + " recovers\n";
    up_[node] = true;
    nodes_[node] = P(NodeId{node}, setup_);
    if constexpr (Recovers<P>) {
      step({node}, [&](P& protocol) { protocol.recover(out_); });
    }
  }

  // Everyone alive is told.
  void suspect(std::uint32_t whom) {
    if constexpr (HeedsSuspicion<P>) {
      for (std::uint32_t i = 0; i < setup_.size; ++i) {
        if (up_[i] && i != whom) {
          step({i}, [&](P& protocol) { protocol.suspect(NodeId{whom}, out_); });
        }
      }
    }
  }

  // Delivers the oldest message; false if all is quiet.
  bool deliver_next() {
    if (in_flight_.empty()) return false;
    const InFlight one = in_flight_.front();
    in_flight_.pop_front();
    if (up_[one.to.value]) {
      step(one.to, [&](P& protocol) { protocol.receive(one.from, one.message, out_); });
    } else if constexpr (HeedsReturns<P>) {
      if (up_[one.from.value]) {
        ++returned_;
        step(one.from, [&](P& protocol) { protocol.returned(one.to, one.message, out_); });
      }
    }
    return true;
  }
  void deliver_all() {
    while (deliver_next()) {
    }
  }

  // The timer of a process runs out, if it has one; with several, the one of the lowest number.
  bool fire_timer(std::uint32_t node) {
    if constexpr (HasTimers<P>) {
      const auto armed = timers_.lower_bound({node, TimerId{0}});
      if (armed == timers_.end() || armed->first.first != node) return false;
      const TimerId timer = armed->first.second;
      timers_.erase(armed);
      log_ += std::to_string(node) + " has waited long enough\n";
      step({node}, [&](P& protocol) { protocol.expire(timer, out_); });
      return true;
    }
    return false;
  }
  // How long the timer was set to run; forever if it is not.
  Ticks armed_for(std::uint32_t node, TimerId timer) const {
    const auto armed = timers_.find({node, timer});
    return armed == timers_.end() ? forever : armed->second;
  }

  // What a choice comes to, in this order; 0 when none is left.
  void let_choose(std::vector<std::uint32_t> choices) {
    choices_.assign(choices.begin(), choices.end());
  }

  const P& node(std::uint32_t id) const { return nodes_[id]; }
  const std::vector<NodeId>& leaders() const { return leaders_; }
  // With those that came back.
  std::size_t messages_sent() const { return messages_sent_; }
  std::size_t returned() const { return returned_; }
  std::size_t bytes_sent() const { return bytes_sent_; }
  // What happened so far, one line each, forgetting it.
  std::string take_log() { return std::exchange(log_, {}); }

 private:
  struct InFlight {
    NodeId from;
    NodeId to;
    typename P::Message message;
  };

  std::uint32_t choose(std::uint32_t bound) override {
    if (choices_.empty()) return 0;
    const std::uint32_t choice = choices_.front() % bound;
    choices_.pop_front();
    return choice;
  }

  template <class Handler>
  void step(NodeId self, Handler handler) {
    std::deque<typename P::Message> to_self;
    handler(nodes_[self.value]);
    carry_out(self, to_self);
    while (!to_self.empty()) {
      const typename P::Message message = to_self.front();
      to_self.pop_front();
      nodes_[self.value].receive(self, message, out_);
      carry_out(self, to_self);
    }
  }

  void carry_out(NodeId self, std::deque<typename P::Message>& to_self) {
    for (const auto& send : out_.sends()) {
      const auto& message = out_.message(send);
      if (send.to == self) {
        to_self.push_back(message);
        continue;
      }
      ++messages_sent_;
      bytes_sent_ += reflect::encoded_size(message);
      log_ += std::to_string(self.value) + " -> " + std::to_string(send.to.value) + " " +
              reflect::printed(message) + "\n";
      in_flight_.push_back({self, send.to, message});
    }
    for (const auto& timer : out_.timers()) {
      timers_.erase({self.value, timer.id});
      if (timer.after != forever) timers_[{self.value, timer.id}] = timer.after;
    }
    for (const Elected& event : out_.events()) {
      log_ += std::to_string(self.value) + " takes " + std::to_string(event.leader.value) +
              " for the leader\n";
      leaders_[self.value] = event.leader;
    }
    out_.clear();
  }

  Setup setup_;
  OutboxOf<P> out_{*this};
  std::vector<P> nodes_;
  std::vector<bool> up_;
  std::vector<NodeId> leaders_;
  std::deque<InFlight> in_flight_;
  std::map<std::pair<std::uint32_t, TimerId>, Ticks> timers_;
  std::deque<std::uint32_t> choices_;
  std::size_t messages_sent_ = 0;
  std::size_t returned_ = 0;
  std::size_t bytes_sent_ = 0;
  std::string log_;
};

}  // namespace baton::test
