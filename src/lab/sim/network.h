// The simulated network decides the fate of each message: whether it arrives, and when.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/ids.h"
#include "lab/sim/plan.h"
#include "lab/sim/random.h"

namespace baton::sim {

class Network {
 public:
  Network(const Plan& plan, std::uint32_t size)
      : delay_(plan.delay),
        faults_(plan.faults),
        send_cost_(plan.send_cost),
        // Messages with equal delays keep their order anyway.
        keeps_order_(!plan.faults.reordering && plan.delay.kind != Delay::Kind::constant),
        is_plain_(plan.delay.kind == Delay::Kind::constant && plan.faults.slow.empty()),
        size_(size),
        delays_(plan.seed, 1),
        mishaps_(plan.seed, 2) {
    heal();
    if (send_cost_.value > 0) busy_until_.resize(size);
    if (keeps_order_ && size <= dense_limit) last_arrival_.resize(std::size_t{size} * size);
  }

  // True if a message may do anything else than leave at once and arrive once.
  bool interferes() const { return interferes_; }
  bool loses() { return faults_.loss > 0 && mishaps_.chance(faults_.loss); }
  bool duplicates() { return faults_.duplication > 0 && mishaps_.chance(faults_.duplication); }
  bool is_cut(NodeId a, NodeId b) const {
    if (!side_of_.empty() && side_of_[a.value] != side_of_[b.value]) return true;
    return !cuts_.empty() && cuts_.contains(std::minmax(a, b));
  }

  // The time at which a message handed over now leaves its sender: after all earlier ones. It
  // leaves even if the sender crashes meanwhile.
  Ticks departure(NodeId from, Ticks now) {
    if (send_cost_.value == 0) return now;
    Ticks& busy_until = busy_until_[from.value];
    return busy_until = std::max(busy_until, now) + send_cost_;
  }

  // The fate of a message that leaves now.
  Ticks arrival(NodeId from, NodeId to, Ticks now) {
    if (is_plain_) return now + delay_.low;
    const Ticks at = now + sample() + slowness(from, to);
    if (!keeps_order_) return at;
    Ticks& last = last_arrival(from, to);
    return last = std::max(last, at);
  }

  void partition(const std::vector<std::uint32_t>& side_of) {
    side_of_ = side_of;
    interferes_ = true;
  }
  void heal() {
    side_of_.clear();
    interferes_ =
        faults_.loss > 0 || faults_.duplication > 0 || send_cost_.value > 0 || !cuts_.empty();
  }
  void cut(NodeId a, NodeId b) {
    cuts_.insert(std::minmax(a, b));
    interferes_ = true;
  }
  void mend(NodeId a, NodeId b) {
    cuts_.erase(std::minmax(a, b));
    if (side_of_.empty()) heal();
  }

 private:
  static constexpr std::uint32_t dense_limit = 1024;

  Ticks sample() {
    switch (delay_.kind) {
      case Delay::Kind::constant:
        return delay_.low;
      case Delay::Kind::uniform:
        return {delay_.low.value +
                static_cast<std::int64_t>(delays_.below(
                    static_cast<std::uint64_t>((delay_.high - delay_.low).value) + 1))};
      case Delay::Kind::exponential:
        return scaled(delays_.exponential());
      case Delay::Kind::heavy:
        return scaled(delays_.heavy_tail());
    }
    return delay_.low;
  }

  // A message takes at least one tick, so that no effect is simultaneous with its cause.
  Ticks scaled(double factor) const {
    return {std::max<std::int64_t>(
        1, static_cast<std::int64_t>(static_cast<double>(delay_.low.value) * factor))};
  }

  Ticks slowness(NodeId from, NodeId to) const {
    for (const SlowLink& link : faults_.slow) {
      if (link.from == from && link.to == to) return link.more;
    }
    return {0};
  }

  Ticks& last_arrival(NodeId from, NodeId to) {
    const std::uint64_t channel = std::uint64_t{from.value} * size_ + to.value;
    return last_arrival_.empty() ? sparse_last_arrival_[channel] : last_arrival_[channel];
  }

  Delay delay_;
  Faults faults_;
  Ticks send_cost_;
  bool keeps_order_;
  bool is_plain_;
  bool interferes_ = false;
  std::uint32_t size_;
  Random delays_;
  Random mishaps_;
  std::vector<Ticks> busy_until_;  // per process, if sends cost time
  std::vector<Ticks> last_arrival_;
  std::unordered_map<std::uint64_t, Ticks> sparse_last_arrival_;
  std::vector<std::uint32_t> side_of_;
  std::set<std::pair<NodeId, NodeId>> cuts_;
};

}  // namespace baton::sim
