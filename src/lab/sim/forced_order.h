// Runs whose cost does not depend on message delays, so that other hosts can be held to the same
// figures; and the time in which a lock changes hands.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/ids.h"
#include "lab/sim/catalog.h"

namespace baton::sim {

struct Sent {
  std::uint64_t enter = 0;
  std::uint64_t exit = 0;

  std::uint64_t all() const { return enter + exit; }
  friend bool operator==(const Sent&, const Sent&) = default;
};

// The number of messages if these processes ask one after the other, each when the request before
// has come to rest and the first process is still inside, and then leave in the same order. No
// value if that depends on the time inside, as it does where waiting processes ask again and again.
std::optional<Sent> in_a_queue(const Entry& entry, const Setup& setup,
                               const std::vector<NodeId>& order);

struct Saturation {
  double messages_per_entry = 0;
  double entries_per_message_time = 0;
};

// All processes ask again as soon as they have left. The time inside does not count.
Saturation saturation(const Entry& entry, const Setup& setup);

}  // namespace baton::sim
