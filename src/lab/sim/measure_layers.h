// Measures the cost of the layers when nothing fails, and the time in which a group recovers from a
// crash.
#pragma once

#include <cstdint>
#include <vector>

#include "lab/sim/catalog.h"

namespace baton::sim {

struct LayerCosts {
  // Messages per entry while all processes always want to enter: without layers, and on each layer.
  double plain = 0;
  double reliable = 0;
  double resilient = 0;
  // Acknowledgements per message: when one process enters and leaves alone, and under load.
  double acks_alone = 0;
  double acks_loaded = 0;
  // The resilient layer's own messages once the first view was there: heartbeats per process and
  // message time, and other messages per entry.
  double heartbeats = 0;
  double other_upkeep = 0;
};

LayerCosts layer_costs(const Entry& entry, const Setup& setup, std::uint64_t seed);

// Message times from the last entry or exit before a crash to the next entry after it, ascending.
// In each of many runs one process crashes, whatever it is doing.
std::vector<double> recovery_times(const Entry& entry, const Setup& setup, std::uint64_t seed);

// The time of silence after which a process is first suspected, in message times.
double detector_timeout();

}  // namespace baton::sim
