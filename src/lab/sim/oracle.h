// The oracles watch a run of any mutual-exclusion algorithm from outside and know nothing of how it
// works. They see only which process asks, enters and leaves, and which message caused which
// receipt.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/resource/fenced_resource.h"
#include "core/fence.h"
#include "core/ids.h"
#include "lab/sim/random.h"
#include "lab/sim/report.h"

namespace baton::sim {

// Tracks which requests happened before which.
//
// A process knows of a request if the request happened before the process's present event: the
// process made it, or a message told it, directly or through others. Only waiting requests matter,
// and each process has at most one, so a process's knowledge is a set of processes. A served
// request must vanish from all these sets. So a message in flight carries the number of requests
// served when it was sent; the receiver then sees which requests have been served since.
class RequestOrder {
 public:
  // Every message carries a copy of a set, so large groups are not judged.
  static constexpr std::uint32_t largest_group = 1024;

  explicit RequestOrder(std::uint32_t size)
      : words_(size <= largest_group ? (size + 63) / 64 : 0),
        known_(std::size_t{words_} * size),
        at_request_(known_.size()),
        unserved_(words_ * remembered, ~std::uint64_t{0}),
        last_served_(words_ == 0 ? 0 : size) {}

  bool judges() const { return words_ > 0; }

  void send(NodeId from, std::uint32_t slot) {
    if (words_ == 0) return;
    if (slot >= sent_when_.size()) make_room(slot);
    sent_when_[slot] = served_;
    copy(row(known_, from.value), row(carried_, slot));
  }

  void receive(NodeId to, std::uint32_t slot) {
    if (words_ == 0) return;
    // Requests that were served while the message was under way are over.
    const std::uint64_t meanwhile = served_ - sent_when_[slot];
    std::uint64_t* told = row(carried_, slot);
    std::uint64_t* known = row(known_, to.value);
    if (meanwhile < remembered) {
      const std::uint64_t* unserved = row(unserved_, meanwhile);
      for (std::uint32_t i = 0; i < words_; ++i) known[i] |= told[i] & unserved[i];
      return;
    }
    for (std::uint32_t i = 0; i < last_served_.size(); ++i) {
      if (last_served_[i] > sent_when_[slot]) remove(told, {i});
    }
    for (std::uint32_t i = 0; i < words_; ++i) known[i] |= told[i];
  }

  void request(NodeId node) {
    if (words_ == 0) return;
    copy(row(known_, node.value), row(at_request_, node.value));
    row(known_, node.value)[node.value / 64] |= bit(node);
  }

  // The number of waiting processes whose request happened before this one's.
  std::uint32_t enter(NodeId node) {
    std::uint32_t overtaken = 0;
    const std::uint64_t* before = row(at_request_, node.value);
    for (std::uint32_t i = 0; i < words_; ++i) {
      overtaken += static_cast<std::uint32_t>(std::popcount(before[i]));
    }
    give_up(node);
    return overtaken;
  }

  // The request is over: it was served, or its process is down.
  void give_up(NodeId node) {
    if (words_ == 0) return;
    for (std::size_t i = 0; i < known_.size(); i += words_) {
      remove(known_.data() + i, node);
      remove(at_request_.data() + i, node);
    }
    for (std::size_t i = unserved_.size() - 1; i >= words_; --i) {
      unserved_[i] = unserved_[i - words_];
    }
    for (std::size_t i = words_; i < unserved_.size(); i += words_) remove(&unserved_[i], node);
    last_served_[node.value] = ++served_;
  }

 private:
  static constexpr std::uint64_t remembered = 8;

  std::uint64_t* row(std::vector<std::uint64_t>& table, std::size_t index) {
    return table.data() + index * words_;
  }
  // Most groups need one word; calling memcpy for it would take longer than all the rest.
  void copy(const std::uint64_t* from, std::uint64_t* to) const {
    *to = *from;
    if (words_ > 1) std::copy_n(from, words_, to);
  }
  [[gnu::noinline]] void make_room(std::uint32_t slot) {
    sent_when_.resize(std::max<std::size_t>(64, 2 * std::size_t{slot}));
    carried_.resize(sent_when_.size() * words_);
  }
  static std::uint64_t bit(NodeId node) { return std::uint64_t{1} << (node.value % 64); }
  static void remove(std::uint64_t* set, NodeId node) { set[node.value / 64] &= ~bit(node); }

  std::uint32_t words_;                     // per set; 0: the group is too large
  std::vector<std::uint64_t> known_;        // per process
  std::vector<std::uint64_t> at_request_;   // per process, as it was at its latest request
  std::vector<std::uint64_t> carried_;      // per message in flight
  std::vector<std::uint64_t> sent_when_;    // per message in flight: served_ at that time
  std::uint64_t served_ = 0;                // requests that are over, counted
  std::vector<std::uint64_t> unserved_;     // row i: all processes but those of the last i
  std::vector<std::uint64_t> last_served_;  // per process: the count at its latest
};

// Judges safety, progress, starvation and order, and fills those parts of the report.
class MutexOracle {
 public:
  struct Bounds {
    Ticks progress;
    std::uint64_t starvation;
  };

  MutexOracle(std::uint32_t size, Bounds bounds, Report& report);

  enum class Status : std::uint8_t { idle, waiting, inside, down };

  Status status(NodeId node) const { return processes_[node.value].status; }
  std::uint32_t waiting() const { return waiting_; }
  template <class Counts>
  std::uint32_t waiting(Counts counts) const {
    std::uint32_t number = 0;
    for (std::uint32_t i = 0; i < processes_.size(); ++i) {
      number += processes_[i].status == Status::waiting && counts(NodeId{i}) ? 1 : 0;
    }
    return number;
  }
  std::uint32_t inside() const { return inside_; }

  void starts_inside(NodeId node);
  void request(NodeId node, Ticks now);
  // False, and a violation, if the process had not asked.
  bool enter(NodeId node, Ticks now);
  void exit(NodeId node, Ticks now);
  void crash(NodeId node, Ticks now);
  void recover(NodeId node) { processes_[node.value].status = Status::idle; }

  // So many servers keep the fenced resource; each write reaches a majority of them, drawn at
  // random.
  void keep_resource_on(std::uint32_t servers, std::uint64_t seed) {
    resource_ = ReplicatedResource(servers);
    servers_ = servers;
    reached_ = Random(seed, 6);
  }
  // For protocols that survive crashes: the fence with which a process will enter, its accesses to
  // the fenced resource, and the loss of the lock.
  void show_fence(NodeId node, const FencingToken& fence) { processes_[node.value].fence = fence; }
  void access(NodeId node, Ticks now);
  void lose(NodeId node, Ticks now);
  // A process that was paused may believe for a while that it is inside. No protocol can prevent
  // that; the resource must refuse its access.
  void pause(NodeId node) {
    paused_in_stay_[node.value] = true;
    behind_until_[node.value] = forever;
  }
  void resume(NodeId node, Ticks now) { behind_until_[node.value] = now + time_to_notice; }
  // A fault may take time to recover from, so counting for progress begins anew.
  void excuse(Ticks now) { last_progress_ = now; }

  // Nothing will happen any more although a process waits.
  void fell_silent(Ticks now);
  // True once no process has entered for too long, although one waits and the way is free.
  bool is_stuck(Ticks now) const {
    return waiting_ > 0 && inside_ == 0 && now - last_progress_ > bounds_.progress;
  }
  void report_stuck(Ticks now);

  RequestOrder& order() { return order_; }

 private:
  struct Process {
    Status status = Status::idle;
    Ticks requested_at{};
    std::uint64_t entries_then = 0;
    FencingToken fence{};
  };

  // Within this time a paused process has noticed what it missed.
  static constexpr Ticks time_to_notice = 30 * message_time;

  bool was_paused(NodeId node, Ticks now);
  bool write_to_resource(const FencingToken& fence);
  void violate(Promise promise, Ticks at, std::string what);
  void enter_beside_others(NodeId node, Ticks now);
  void look_for_starvation(Ticks now);
  std::string list_waiting() const;

  Bounds bounds_;
  Report* report_;
  RequestOrder order_;
  std::vector<Process> processes_;
  std::vector<bool> paused_in_stay_;  // paused during this stay, or shortly before
  std::vector<Ticks> behind_until_;
  std::uint32_t waiting_ = 0;
  std::uint32_t inside_ = 0;
  NodeId last_inside_ = nobody;
  ReplicatedResource resource_{1};
  std::uint32_t servers_ = 1;
  Random reached_{0, 6};
  FencingToken highest_fence_{};  // the highest that the resource has accepted, and its holder
  NodeId highest_fence_of_ = nobody;
  NodeId alone_ = nobody;  // the process that waits while no other has been inside or waiting
  Ticks last_progress_{0};
  Ticks last_movement_{0};  // the last entry or exit of any process; faults do not count
  Ticks last_exit_{-1};
  bool someone_waited_at_exit_ = false;
};

}  // namespace baton::sim
