// What the programs that measure other lock services share: their options, the figures they take
// and the line they print.
//
// The load is a closed loop: each client takes a lock, gives it back at once and begins again. With
// own names each client has a lock for itself; with one name all want the same. Every program keeps
// the rules here, so that its figures can stand beside those of `baton bench`:
//
// - a pair counts when its unlock was confirmed within the measured time, which begins after the
//   warm-up;
// - the latency of an acquire runs from before the first request of the recipe is sent until the
//   client knows that it holds the lock; that of every counted pair is kept;
// - every program checks that its locks exclude each other, because a recipe that is fast by being
//   wrong measures nothing. Where this needs a lock that is held for a while, it is during the
//   warm-up.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "cli/common/arguments.h"

namespace peers {

using Clock = std::chrono::steady_clock;

struct LoadOptions {
  std::string endpoint;
  std::string peer;
  std::uint32_t clients = 1;
  double seconds = 3;
  double warmup_s = 1;
  bool same_name = false;
};

[[noreturn]] inline void fail(std::string_view reason) {
  fmt::print(stderr, "{}\n", reason);
  std::exit(1);
}

inline void add_load_options(baton::cli::Command& app, LoadOptions& options) {
  app.add_option("--clients", options.clients, "how many clients").between(1, 10'000);
  app.add_option("--seconds", options.seconds, "how long to measure").between(0.01, 3600.0);
  app.add_option("--warmup", options.warmup_s, "seconds before that, which do not count")
      .between(0.0, 3600.0);
  app.add_flag("--same-name", options.same_name, "all clients want the same lock");
  app.add_option("--peer", options.peer, "the name to print");
}

// Ends the program where the arguments are wrong, or ask for help.
inline void parse(baton::cli::Command& app, int argc, char** argv) {
  try {
    const auto text = app.parse({argv + 1, argv + argc});
    if (!text) return;
    std::fputs(text->c_str(), stdout);
    std::exit(0);
  } catch (const baton::cli::ArgumentError& error) {
    fail(error.what());
  }
}

inline std::string lock_name(const LoadOptions& options, std::uint32_t client) {
  return options.same_name ? "bench-shared" : fmt::format("bench-{}", client);
}

inline std::chrono::nanoseconds duration(double seconds) {
  return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
}

// When to count and when to stop.
class Window {
 public:
  explicit Window(const LoadOptions& options)
      : begin_(Clock::now() + duration(options.warmup_s)),
        end_(begin_ + duration(options.seconds)) {}

  bool counts(Clock::time_point time) const { return begin_ <= time && time < end_; }
  bool begun(Clock::time_point time) const { return begin_ <= time; }
  bool over(Clock::time_point time) const { return end_ <= time; }
  Clock::time_point end() const { return end_; }

 private:
  Clock::time_point begin_;
  Clock::time_point end_;
};

// The latencies of what was counted.
class Figures {
 public:
  void count(Clock::duration latency) {
    latencies_ns_.push_back(std::chrono::nanoseconds(latency).count());
  }

  void add(const Figures& other) {
    latencies_ns_.insert(latencies_ns_.end(), other.latencies_ns_.begin(),
                         other.latencies_ns_.end());
  }

  // One line of JSON. To have measured nothing is an error.
  void print(std::string_view peer, double seconds) {
    if (latencies_ns_.empty()) fail(fmt::format("{}: nothing was finished in time", peer));
    const double per_s = static_cast<double>(latencies_ns_.size()) / seconds;
    fmt::print(R"({{"peer":"{}","pairs_per_s":{:.1f},"p50_us":{:.2f},"p99_us":{:.2f}}})"
               "\n",
               peer, per_s, quantile_us(0.50), quantile_us(0.99));
  }

 private:
  double quantile_us(double share) {
    const auto last = static_cast<double>(latencies_ns_.size() - 1);
    const auto at = latencies_ns_.begin() + static_cast<std::ptrdiff_t>(share * last);
    std::nth_element(latencies_ns_.begin(), at, latencies_ns_.end());
    return static_cast<double>(*at) / 1000;
  }

  std::vector<std::int64_t> latencies_ns_;
};

}  // namespace peers
