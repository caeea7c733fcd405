// How to search, and why a search ended.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "lab/check/model.h"

namespace baton::check {

struct Progress {
  std::uint64_t distinct = 0;
  std::uint64_t generated = 0;
  std::uint32_t depth = 0;
  std::uint64_t frontier = 0;  // states of the present depth
  std::uint64_t memory = 0;
  double seconds = 0;
};

// Why a search ended before it had explored all states.
enum class Stop : std::uint8_t { none, violation, memory, states, depth, interrupted };

struct ExploreOptions {
  unsigned threads = 0;                     // 0: as many as there are cores
  std::uint64_t memory = 4ULL << 30;        // bytes
  std::uint64_t most_states = 0xFFFF'0000;  // distinct
  std::uint32_t most_depth = 0xFFFF'FFFF;
  bool fingerprints = false;  // hash compaction: saves memory, and keeps no ways to states
  PropertySet stop_at = 0;    // the search ends when a state violates one of these
  std::function<void(const Progress&)> progress = {};  // called now and then
  const std::atomic<bool>* interrupted = nullptr;      // the caller sets it to stop the search
};

}  // namespace baton::check
