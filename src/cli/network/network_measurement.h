// What an algorithm costs between real processes, in the situations in which the simulator measures
// it: a group is told who asks and who leaves, and its counters are read when all is quiet.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/ids.h"

namespace baton::cli {

struct NetworkMeasurementPlan {
  std::string algorithm;
  std::uint32_t size = 3;
  bool is_perpetual = false;   // it never falls silent: messages belong to no entry
  bool is_determined = false;  // the order of requests alone decides what is sent
  int rounds = 15;
  double seconds = 0.5;  // that all want in
};

// Messages of the algorithm, by phase.
struct WireCount {
  std::uint64_t enter = 0;
  std::uint64_t exit = 0;

  std::uint64_t all() const { return enter + exit; }
};

struct NetworkMeasurement {
  // One for each round. Empty where messages are not counted.
  std::vector<WireCount> alone;
  std::vector<WireCount> again;
  std::vector<WireCount> handover;  // both entries
  std::vector<WireCount> everyone;  // all of them, asking one after the other

  // Medians.
  double client_delay_us = 0;
  double sync_delay_us = 0;
  double acquire_us = 0;  // of one that enters again and again, alone

  // While all want in.
  std::uint64_t entries = 0;
  double entries_per_s = 0;
  double hand_offs_per_s = 0;  // of these, those of another process than the one before
  double messages_per_entry = 0;
  double upkeep_per_s = 0;  // heartbeats, of the whole group

  std::uint64_t frame_bytes = 0;  // of a message alone in its frame, on average
  double echo_us = 0;             // of as many bytes

  double message_time_us() const { return echo_us / 2; }
};

// Throws ProcessGroupError.
NetworkMeasurement measure_network(const NetworkMeasurementPlan& plan);

// As in the simulator's measurements: see Scenario.
inline NodeId before_of(std::uint32_t size) { return {size > 2 ? 1U : 0U}; }
inline NodeId requester_of(std::uint32_t size) { return {size - 1}; }

}  // namespace baton::cli
