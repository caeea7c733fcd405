// The pending events of a simulated world, earliest first; events of the same instant come in the
// order in which they were scheduled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/ids.h"

namespace baton::sim {

enum class EventKind : std::uint8_t {
  deliver,
  returned,  // a message whose receiver is down comes back to its sender
  request,
  exit,
  timer,
  fault,
  notice  // the host's failure detector reports on another process
};

struct Event {
  Ticks at;
  std::uint64_t order = 0;  // the queue sets it
  NodeId node;
  std::uint32_t argument = 0;  // message slot, timer, fault, or the process that a notice is about
  std::uint32_t life = 0;      // deliveries: the other process; else the life that this concerns
  EventKind kind{};

  bool before(const Event& other) const {
    return at != other.at ? at < other.at : order < other.order;
  }
};

// Most events are scheduled with the same delay, so an event is usually not earlier than the one
// scheduled before it. Such events go into a ring at constant cost; only the others go through a
// heap.
class EventQueue {
 public:
  bool empty() const { return head_ == tail_ && heap_.empty(); }
  std::size_t size() const { return (tail_ - head_) + heap_.size(); }

  // Fills the place field by field: building an event elsewhere and copying it would cost more than
  // everything else here.
  void push(Ticks at, EventKind kind, NodeId node, std::uint32_t argument = 0,
            std::uint32_t life = 0) {
    if (head_ == tail_ || last_in_ring_ <= at) {
      if (tail_ - head_ > mask_) grow();
      fill(ring_[tail_++ & mask_], at, kind, node, argument, life);
      last_in_ring_ = at;
    } else {
      push_to_heap(at, kind, node, argument, life);
    }
  }

  const Event& top() const { return ring_first() ? ring_[head_ & mask_] : heap_.front(); }

  // Requires a queue that is not empty.
  Event pop() {
    if (ring_first()) return ring_[head_++ & mask_];
    return pop_from_heap();
  }

 private:
  static constexpr std::size_t arity = 4;

  void fill(Event& event, Ticks at, EventKind kind, NodeId node, std::uint32_t argument,
            std::uint32_t life) {
    event.at = at;
    event.order = next_order_++;
    event.node = node;
    event.argument = argument;
    event.life = life;
    event.kind = kind;
  }

  bool ring_first() const {
    if (head_ == tail_) return false;
    return heap_.empty() || ring_[head_ & mask_].before(heap_.front());
  }

  // Out of line, like grow(), to keep the usual path short.
  [[gnu::noinline]] void push_to_heap(Ticks at, EventKind kind, NodeId node, std::uint32_t argument,
                                      std::uint32_t life) {
    fill(heap_.emplace_back(), at, kind, node, argument, life);
    rise(heap_.size() - 1);
  }

  [[gnu::noinline]] Event pop_from_heap() {
    const Event first = heap_.front();
    const Event last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sink(last);
    return first;
  }

  [[gnu::noinline]] void grow() {
    std::vector<Event> larger(ring_.size() * 2);
    for (std::size_t i = head_; i != tail_; ++i) larger[i - head_] = ring_[i & mask_];
    tail_ -= head_;
    head_ = 0;
    ring_ = std::move(larger);
    mask_ = ring_.size() - 1;
  }

  void rise(std::size_t hole) {
    const Event event = heap_[hole];
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / arity;
      if (!event.before(heap_[parent])) break;
      heap_[hole] = heap_[parent];
      hole = parent;
    }
    heap_[hole] = event;
  }

  void sink(const Event& event) {
    std::size_t hole = 0;
    for (;;) {
      const std::size_t first = hole * arity + 1;
      if (first >= heap_.size()) break;
      const std::size_t end = first + arity < heap_.size() ? first + arity : heap_.size();
      std::size_t least = first;
      for (std::size_t child = first + 1; child < end; ++child) {
        if (heap_[child].before(heap_[least])) least = child;
      }
      if (!heap_[least].before(event)) break;
      heap_[hole] = heap_[least];
      hole = least;
    }
    heap_[hole] = event;
  }

  std::vector<Event> ring_{std::vector<Event>(64)};
  std::size_t mask_ = 63;  // of ring_'s size, a power of two
  std::size_t head_ = 0;
  std::size_t tail_ = 0;
  Ticks last_in_ring_{0};
  std::vector<Event> heap_;
  std::uint64_t next_order_ = 0;
};

}  // namespace baton::sim
