// A host for tests that tell a story: the test itself decides which message arrives next, and the
// whole conversation can be compared with a golden text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/carry_out.h"
#include "core/protocol.h"
#include "core/reflect.h"

namespace baton::test {

template <MutexProtocol P>
class Conversation : private Chooser {
 public:
  explicit Conversation(Setup setup, NodeId inside = nobody) : setup_(std::move(setup)) {
    for (std::uint32_t i = 0; i < setup_.size; ++i) {
      nodes_.emplace_back(NodeId{i}, setup_, inside);
      status_.push_back(NodeId{i} == inside ? Status::inside : Status::idle);
    }
    if constexpr (Starts<P>) {
      for (std::uint32_t i = 0; i < setup_.size; ++i) {
        nodes_[i].start(out_);
        carry_out({i});
      }
    }
  }
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  void request(std::uint32_t node) {
    log_ += std::to_string(node) + " requests\n";
    status_[node] = Status::waiting;
    nodes_[node].request(out_);
    carry_out({node});
  }

  void release(std::uint32_t node) {
    log_ += std::to_string(node) + " leaves\n";
    status_[node] = Status::idle;
    nodes_[node].release(out_);
    carry_out({node});
  }

  void suspect(std::uint32_t node, std::uint32_t whom) {
    if constexpr (HeedsSuspicion<P>) {
      log_ += std::to_string(node) + " suspects " + std::to_string(whom) + "\n";
      nodes_[node].suspect({whom}, out_);
      carry_out({node});
    }
  }

  // Delivers the oldest message on a channel, or a later one where channels are not FIFO.
  bool deliver(std::uint32_t from, std::uint32_t to, std::size_t position = 0) {
    auto& channel = channels_[{from, to}];
    if (position >= channel.size()) return false;
    const auto at = channel.begin() + static_cast<std::ptrdiff_t>(position);
    const typename P::Message message = *at;
    channel.erase(at);
    nodes_[to].receive({from}, message, out_);
    carry_out({to});
    return true;
  }

  void duplicate(std::uint32_t from, std::uint32_t to) {
    auto& channel = channels_[{from, to}];
    channel.push_front(channel.front());
  }

  // Delivers one message from the first channel that has any; false if all is quiet.
  bool deliver_any() {
    for (auto& [ends, channel] : channels_) {
      if (!channel.empty()) return deliver(ends.first, ends.second);
    }
    return false;
  }
  // Delivers until all is quiet, or `limit` messages for protocols that never fall silent.
  void deliver_all(std::size_t limit = 10'000) {
    while (limit-- > 0 && deliver_any()) {
    }
  }

  // Fires every timer that is armed.
  void fire_timers() {
    if constexpr (HasTimers<P>) {
      for (const auto& [node, timer] : std::exchange(timers_, {})) {
        nodes_[node].expire(timer, out_);
        carry_out({node});
      }
    }
  }

  // Plays at random, leaving each critical section after a while and asking again until each
  // process has been inside `rounds` times. Returns the largest number ever inside at once, and 0
  // if it came to a stop before everybody was done.
  std::size_t play(std::uint32_t seed, std::uint32_t rounds, bool fifo = true) {
    std::mt19937 random(seed);
    std::vector<std::uint32_t> left(nodes_.size(), rounds);
    std::size_t most_inside = 1;
    for (std::uint64_t step = 0; step < 200'000; ++step) {
      std::vector<std::pair<std::uint32_t, std::uint32_t>> busy;
      for (auto& [ends, channel] : channels_) {
        if (!channel.empty()) busy.push_back(ends);
      }
      const auto node = static_cast<std::uint32_t>(random() % nodes_.size());
      if (status_[node] == Status::idle && left[node] > 0) {
        --left[node];
        request(node);
      } else if (status_[node] == Status::inside && random() % 4 == 0) {
        release(node);
      } else if (!busy.empty()) {
        const auto [from, to] = busy[random() % busy.size()];
        deliver(from, to, fifo ? 0 : random() % channels_[{from, to}].size());
      } else {
        fire_timers();
      }
      most_inside = std::max(most_inside, inside().size());
      const bool done =
          std::all_of(status_.begin(), status_.end(), [](Status s) { return s == Status::idle; }) &&
          std::all_of(left.begin(), left.end(), [](std::uint32_t l) { return l == 0; });
      if (done) return most_inside;
    }
    return 0;
  }

  std::vector<std::uint32_t> inside() const { return having(Status::inside); }
  std::vector<std::uint32_t> waiting() const { return having(Status::waiting); }
  std::size_t messages_sent() const { return messages_sent_; }
  std::size_t in_flight(std::uint32_t from, std::uint32_t to) {
    return channels_[{from, to}].size();
  }
  const P& node(std::uint32_t id) const { return nodes_[id]; }
  // What happened so far, one line each, forgetting it.
  std::string take_log() { return std::exchange(log_, {}); }

 private:
  enum class Status : std::uint8_t { idle, waiting, inside };

  std::uint32_t choose(std::uint32_t bound) override {
    return static_cast<std::uint32_t>(choices_() % bound);
  }

  void carry_out(NodeId self) {
    baton::carry_out(self, nodes_[self.value], out_, Duties{*this, self});
  }

  struct Duties {
    Conversation& talk;
    NodeId self;

    void send(const typename P::Message& message,
              std::span<const typename OutboxOf<P>::Send> sends) {
      for (const auto& send : sends) {
        if (send.to == self) continue;
        ++talk.messages_sent_;
        talk.log_ += std::to_string(self.value) + " -> " + std::to_string(send.to.value) + " " +
                     reflect::printed(message) + "\n";
        talk.channels_[{self.value, send.to.value}].push_back(message);
      }
    }
    void arm(TimerId timer, Ticks after) {
      std::erase(talk.timers_, std::pair{self.value, timer});
      if (after != forever) talk.timers_.emplace_back(self.value, timer);
    }
    void tell(const typename P::Event&) {
      talk.log_ += std::to_string(self.value) + " enters\n";
      talk.status_[self.value] = Status::inside;
    }
  };

  std::vector<std::uint32_t> having(Status status) const {
    std::vector<std::uint32_t> nodes;
    for (std::uint32_t i = 0; i < status_.size(); ++i) {
      if (status_[i] == status) nodes.push_back(i);
    }
    return nodes;
  }

  Setup setup_;
  OutboxOf<P> out_{*this};
  std::vector<P> nodes_;
  std::vector<Status> status_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<typename P::Message>> channels_;
  std::vector<std::pair<std::uint32_t, TimerId>> timers_;
  std::mt19937 choices_{1};
  std::size_t messages_sent_ = 0;
  std::string log_;
};

}  // namespace baton::test
