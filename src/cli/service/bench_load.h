// Load on a server: clients that each take and release a lock again and again, in a closed loop.
//
// One thread speaks for all of them, each with a session and a connection of its own, in the client
// protocol itself: what is measured is the server and not this program.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace baton::cli {

struct LoadOptions {
  std::string url;
  std::size_t clients = 32;
  std::chrono::microseconds length{5'000'000};
  bool same_name = false;  // all on one; otherwise each its own
  bool fast = false;
};

struct LoadResult {
  std::chrono::duration<double> length{0};
  // Of each pair, from when the lock was asked for until its release was answered; and of its first
  // half alone. In order.
  std::vector<std::chrono::nanoseconds> pairs;
  std::vector<std::chrono::nanoseconds> acquires;

  double pairs_per_s() const { return static_cast<double>(pairs.size()) / length.count(); }
};

// The value that so many in a hundred do not exceed; zero if there are none. They must be in order.
std::chrono::nanoseconds percentile(const std::vector<std::chrono::nanoseconds>& times,
                                    double percent);

// Throws std::runtime_error.
LoadResult run_load(const LoadOptions& options);

}  // namespace baton::cli
