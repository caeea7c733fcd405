// Measures an election's cost in the situations for which theory states it, and compares.
#pragma once

#include <cstdint>
#include <vector>

#include "core/info.h"
#include "lab/sim/catalog.h"

namespace baton::sim {

struct ElectionMeasurement {
  const ElectionCost* cost = nullptr;
  Expected expected;
  double value = 0;       // messages, without those that came back to their sender
  double half_width = 0;  // of the 99.9 % confidence interval, for a mean

  bool agrees() const;
};

// Every cost that the algorithm states, in its order. Runs with constant delay. If theory states a
// mean, the value is the mean of many runs.
std::vector<ElectionMeasurement> measure_election(const Entry& entry, const Setup& setup,
                                                  std::uint64_t seed);

}  // namespace baton::sim
