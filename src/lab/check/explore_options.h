// How a search is to be done, and why it ended.
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
  std::uint64_t frontier = 0;  // states of this depth
  std::uint64_t memory = 0;
  double seconds = 0;
};

// Why a search ended before all was seen.
enum class Stop : std::uint8_t { none, violation, memory, states, depth, interrupted };

struct ExploreOptions {
  unsigned threads = 0;                     // 0: as many as there are cores
  std::uint64_t memory = 4ULL << 30;        // bytes
  std::uint64_t most_states = 0xFFFF'0000;  // distinct
  std::uint32_t most_depth = 0xFFFF'FFFF;
  bool fingerprints = false;  // hash compaction; no ways to states are kept
  PropertySet stop_at = 0;    // the search ends when one of these properties is violated
  std::function<void(const Progress&)> progress = {};  // told now and then
  const std::atomic<bool>* interrupted = nullptr;      // set by somebody who does not want to wait
};

}  // namespace baton::check
