// The decisions of a protocol in one step, for the host to carry out.
//
// A handler of a protocol ("upon receiving …") changes the protocol's own state and fills an
// outbox; it does nothing else. Before the next event the host does the following, in this order:
//   1. hand the messages for other processes to the network;
//   2. arm and cancel timers;
//   3. tell the application the events;
//   4. deliver the messages that the process sent to itself, at once and uncounted, and start
//      again at 1 with the outbox that this fills.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/ids.h"

namespace baton {

// A source of choices. The simulator draws at random, the checker tries every value.
class Chooser {
 public:
  // A number below `bound`, which is at least 1.
  virtual std::uint32_t choose(std::uint32_t bound) = 0;

 protected:
  ~Chooser() = default;
};

template <class M, class E>
class Outbox {
 public:
  using Message = M;
  using Event = E;

  // A message to several processes is kept once; the sends of one message follow each other.
  struct Send {
    NodeId to;
    std::uint32_t message;
  };
  struct Timer {
    TimerId id;
    Ticks after;  // `forever` cancels
  };

  explicit Outbox(Chooser& chooser) : chooser_(&chooser) {}

  void send(NodeId to, Message message) {
    sends_.push_back({to, static_cast<std::uint32_t>(messages_.size())});
    messages_.push_back(std::move(message));
  }

  // The same message to every process of the group but the sender. Counts as one transmission
  // on a network that can multicast.
  void broadcast(NodeId self, std::uint32_t group_size, Message message) {
    const auto index = static_cast<std::uint32_t>(messages_.size());
    messages_.push_back(std::move(message));
    for (std::uint32_t i = 0; i < group_size; ++i) {
      if (i != self.value) sends_.push_back({NodeId{i}, index});
    }
    if (group_size > 2) spared_by_multicast_ += group_size - 2;
  }

  // The same message to each process of a range of ids, which may contain the sender.
  template <class Nodes>
  void multicast(NodeId self, const Nodes& nodes, Message message) {
    const auto index = static_cast<std::uint32_t>(messages_.size());
    messages_.push_back(std::move(message));
    std::uint32_t others = 0;
    for (const NodeId to : nodes) {
      sends_.push_back({to, index});
      if (to != self) ++others;
    }
    if (others > 1) spared_by_multicast_ += others - 1;
  }

  // For a layer: adds the messages of the protocol inside it, each as `wrap(message)` makes it. A
  // message to several processes stays one message.
  template <class M2, class E2, class Wrap>
  void pass_on_messages(const Outbox<M2, E2>& inner, Wrap wrap) {
    const auto offset = static_cast<std::uint32_t>(messages_.size());
    for (const auto& message : inner.messages_) messages_.push_back(wrap(message));
    for (const auto& send : inner.sends_) sends_.push_back({send.to, send.message + offset});
    spared_by_multicast_ += inner.spared_by_multicast_;
  }

  void arm(TimerId id, Ticks after) { timers_.push_back({id, after}); }
  void cancel(TimerId id) { timers_.push_back({id, forever}); }
  void emit(Event event) { events_.push_back(std::move(event)); }
  std::uint32_t choose(std::uint32_t bound) { return chooser_->choose(bound); }
  // For a layer: the chooser for the outbox of the protocol inside it.
  Chooser& chooser() { return *chooser_; }

  // For the host.
  const std::vector<Send>& sends() const { return sends_; }
  const Message& message(const Send& send) const { return messages_[send.message]; }
  const std::vector<Timer>& timers() const { return timers_; }
  const std::vector<Event>& events() const { return events_; }
  std::uint32_t spared_by_multicast() const { return spared_by_multicast_; }
  void clear() {
    sends_.clear();
    messages_.clear();
    timers_.clear();
    events_.clear();
    spared_by_multicast_ = 0;
  }

 private:
  template <class, class>
  friend class Outbox;

  Chooser* chooser_;
  std::vector<Send> sends_;
  std::vector<Message> messages_;
  std::vector<Timer> timers_;
  std::vector<Event> events_;
  std::uint32_t spared_by_multicast_ = 0;
};

// Matches a message against one lambda per type: std::visit(upon{...}, message).
template <class... Clauses>
struct upon : Clauses... {
  using Clauses::operator()...;
};
template <class... Clauses>
upon(Clauses...) -> upon<Clauses...>;

}  // namespace baton
