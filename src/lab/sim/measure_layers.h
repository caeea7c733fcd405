// What the layers cost when nothing fails, and how soon a group goes on after a crash.
#pragma once

#include <cstdint>
#include <vector>

#include "lab/sim/catalog.h"

namespace baton::sim {

struct LayerCosts {
  // Messages per entry while all want to enter all the time, without layers and on each.
  double plain = 0;
  double reliable = 0;
  double resilient = 0;
  // Acknowledgements per message: when one process enters and leaves alone, and under load.
  double acks_alone = 0;
  double acks_loaded = 0;
  // What else the resilient layer sent per entry once the first view was there: heartbeats per
  // process and message time, and anything but heartbeats.
  double heartbeats = 0;
  double other_upkeep = 0;
};

LayerCosts layer_costs(const Entry& entry, const Setup& setup, std::uint64_t seed);

// Message times from the last movement before a crash to the next entry after it, over many runs in
// each of which one process crashes, whatever it is doing; ascending.
std::vector<double> recovery_times(const Entry& entry, const Setup& setup, std::uint64_t seed);

// The time of silence after which a process is first suspected, in message times.
double detector_timeout();

}  // namespace baton::sim
