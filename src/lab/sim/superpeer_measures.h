// Measures how well a set of superpeers meets the four requirements of the field: low latency to
// the nearest one, an even spread, the right portion of the group, and no superpeer with more to
// serve than it can bear.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/ids.h"
#include "core/setup.h"

namespace baton::sim {

struct SuperpeerMeasures {
  std::vector<NodeId> superpeers;
  double portion = 0;        // of the group
  double mean_distance = 0;  // of a normal process to the nearest superpeer
  double max_distance = 0;   // likewise, of the process that is farthest off
  // Mean distance to the superpeer that serves the process, which the cap may forbid to be near.
  double mean_to_own = 0;
  double least_separation = 0;  // between two superpeers; 0 if there is only one
  std::uint32_t most_served = 0;
  double variance_of_served = 0;
};

// `serves` says for each process which superpeer serves it; empty: always the nearest.
SuperpeerMeasures measure_superpeers(const Setup& setup, std::vector<NodeId> superpeers,
                                     const std::vector<NodeId>& serves);

// The processes that serve themselves.
std::vector<NodeId> superpeers_among(const std::vector<NodeId>& serves);

// The processes that have the tokens before any token moves.
std::vector<NodeId> first_superpeers(const Setup& setup);

// Why this is not what the setup asks for: in number, in load, or because someone is served by a
// process that is no superpeer. Processes that are not served at all are not looked at.
std::optional<std::string> superpeer_fault(const Setup& setup, const std::vector<NodeId>& serves);

}  // namespace baton::sim
