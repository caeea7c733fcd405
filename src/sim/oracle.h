// The oracles: they watch a run of any mutual-exclusion algorithm from outside and know nothing of
// how it works. They see only who asks, enters and leaves, and which message caused which receipt.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/ids.h"
#include "sim/report.h"

namespace baton::sim {

// Which requests happened before which, by a vector clock in which only requests are events.
class RequestOrder {
 public:
  // Vectors of all are copied with every message, so large groups are not judged.
  static constexpr std::uint32_t largest_group = 256;

  explicit RequestOrder(std::uint32_t size)
      : size_(size <= largest_group ? size : 0),
        known_(std::size_t{size_} * size_),
        at_request_(known_.size()),
        waiting_(size_) {}

  bool judges() const { return size_ > 0; }

  void send(NodeId from, std::uint32_t slot) {
    if (size_ == 0) return;
    const std::size_t needed = (std::size_t{slot} + 1) * size_;
    if (carried_.size() < needed) carried_.resize(std::max(needed, 2 * carried_.size()));
    std::copy_n(row(known_, from.value), size_, row(carried_, slot));
  }

  void receive(NodeId to, std::uint32_t slot) {
    std::uint32_t* mine = row(known_, to.value);
    const std::uint32_t* theirs = row(carried_, slot);
    for (std::uint32_t i = 0; i < size_; ++i) mine[i] = std::max(mine[i], theirs[i]);
  }

  void request(NodeId node) {
    if (size_ == 0) return;
    ++row(known_, node.value)[node.value];
    std::copy_n(row(known_, node.value), size_, row(at_request_, node.value));
    waiting_[node.value] = 1;
  }

  // How many processes are still waiting whose request happened before this one's.
  std::uint32_t enter(NodeId node) {
    if (size_ == 0) return 0;
    waiting_[node.value] = 0;
    std::uint32_t overtaken = 0;
    for (std::uint32_t i = 0; i < size_; ++i) {
      if (waiting_[i] != 0 && row(at_request_, node.value)[i] >= row(known_, i)[i]) ++overtaken;
    }
    return overtaken;
  }

  void give_up(NodeId node) {
    if (size_ > 0) waiting_[node.value] = 0;
  }

 private:
  std::uint32_t* row(std::vector<std::uint32_t>& table, std::size_t index) {
    return table.data() + index * size_;
  }

  std::uint32_t size_;
  std::vector<std::uint32_t> known_;       // per process: requests of each that it knows of
  std::vector<std::uint32_t> at_request_;  // ... at its latest request
  std::vector<std::uint32_t> carried_;     // ... per message in flight
  std::vector<std::uint8_t> waiting_;
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
  std::uint32_t inside() const { return inside_; }

  void starts_inside(NodeId node);
  void request(NodeId node, Ticks now);
  // False, and a violation, if the process had not asked.
  bool enter(NodeId node, Ticks now);
  void exit(NodeId node, Ticks now);
  void crash(NodeId node, Ticks now);
  void recover(NodeId node) { processes_[node.value].status = Status::idle; }
  // A fault may rightly take time to get over; the count for progress begins anew.
  void excuse(Ticks now) { last_progress_ = now; }

  // Nothing will happen any more although someone waits.
  void fell_silent(Ticks now);
  // True once nobody has got in for too long although someone waits and the way is free.
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
  };

  void violate(Promise promise, Ticks at, std::string what);
  void look_for_starvation(Ticks now);
  std::string list_waiting() const;

  Bounds bounds_;
  Report* report_;
  RequestOrder order_;
  std::vector<Process> processes_;
  std::uint32_t waiting_ = 0;
  std::uint32_t inside_ = 0;
  NodeId last_inside_ = nobody;
  NodeId alone_ = nobody;  // waits, and nobody else has been inside or waiting meanwhile
  Ticks last_progress_{0};
  Ticks last_exit_{-1};
  bool someone_waited_at_exit_ = false;
};

}  // namespace baton::sim
