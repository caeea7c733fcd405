// A host for tests that tell the story of an election: messages arrive in the order in which they
// were sent, timers run out when the test says so, and the whole conversation can be compared with
// a golden text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/carry_out.h"
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
    handler(nodes_[self.value]);
    carry_out(self, nodes_[self.value], out_, Duties{*this, self});
  }

  struct Duties {
    ElectionConversation& talk;
    NodeId self;

    void send(const typename P::Message& message,
              std::span<const typename OutboxOf<P>::Send> sends) {
      for (const auto& send : sends) {
        const NodeId to = send.to;
        if (to == self) continue;
        ++talk.messages_sent_;
        talk.bytes_sent_ += reflect::encoded_size(message);
        talk.log_ += std::to_string(self.value) + " -> " + std::to_string(to.value) + " " +
                     reflect::printed(message) + "\n";
        talk.in_flight_.push_back({self, to, message});
      }
    }
    void arm(TimerId timer, Ticks after) {
      talk.timers_.erase({self.value, timer});
      if (after != forever) talk.timers_[{self.value, timer}] = after;
    }
    void tell(const Elected& event) {
      talk.log_ += std::to_string(self.value) + " takes " + std::to_string(event.leader.value) +
                   " for the leader\n";
      talk.leaders_[self.value] = event.leader;
    }
  };

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
