// Logical clocks. Lamport's scalar clock respects happened-before but also orders events that are
// concurrent; a vector clock tells exactly which is which.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/ids.h"

namespace baton {

// L. Lamport, "Time, clocks, and the ordering of events in a distributed system", CACM 21(7), 1978.
struct LamportClock {
  Clock now;

  Clock tick() { return now = next(now); }
  // Receiving a message stamped `seen` is an event of its own, later than both its causes.
  Clock observe(Clock seen) { return now = next(std::max(now, seen)); }
};

// C. Fidge 1988, F. Mattern 1989. The order is partial: concurrent events are unordered.
class VectorClock {
 public:
  VectorClock() = default;
  explicit VectorClock(std::size_t size) : at_(size) {}
  explicit VectorClock(std::vector<std::uint64_t> entries) : at_(std::move(entries)) {}

  void tick(NodeId node) { ++at_[node.value]; }
  void merge(const VectorClock& other) {
    for (std::size_t i = 0; i < at_.size(); ++i) at_[i] = std::max(at_[i], other.at_[i]);
  }
  std::uint64_t operator[](NodeId node) const { return at_[node.value]; }
  const std::vector<std::uint64_t>& entries() const { return at_; }

  friend bool operator==(const VectorClock&, const VectorClock&) = default;
  friend std::partial_ordering operator<=>(const VectorClock& a, const VectorClock& b) {
    bool below = true;
    bool above = true;
    for (std::size_t i = 0; i < a.at_.size(); ++i) {
      below = below && a.at_[i] <= b.at_[i];
      above = above && a.at_[i] >= b.at_[i];
    }
    if (below && above) return std::partial_ordering::equivalent;
    if (below) return std::partial_ordering::less;
    if (above) return std::partial_ordering::greater;
    return std::partial_ordering::unordered;
  }

 private:
  std::vector<std::uint64_t> at_;
};

}  // namespace baton
