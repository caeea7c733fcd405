// Runs whose cost does not depend on how long messages take, so that other hosts can be held to the
// same figures; and how fast a lock changes hands.
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

// What is sent in all if these processes ask one after the other, each when the request before has
// come to rest and the first of them still inside, and then leave likewise. Nothing if that depends
// on how long they are inside, as it does where those who wait ask again and again.
std::optional<Sent> in_a_queue(const Entry& entry, const Setup& setup,
                               const std::vector<NodeId>& order);

struct Saturation {
  double messages_per_entry = 0;
  double entries_per_message_time = 0;
};

// All ask again as soon as they have left. The time inside does not count.
Saturation saturation(const Entry& entry, const Setup& setup);

}  // namespace baton::sim
