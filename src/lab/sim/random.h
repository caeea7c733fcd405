// Random numbers that are the same on every machine and at every optimisation level: integer
// arithmetic and exactly rounded floating-point operations only.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/ids.h"

namespace baton::sim {

// xoshiro256++ of Blackman and Vigna, seeded by splitmix64 as its authors advise.
class Random {
 public:
  // Streams of one seed are independent, so that for example more loss does not change who asks.
  Random(std::uint64_t seed, std::uint64_t stream) {
    std::uint64_t x = seed * 0x9E3779B97F4A7C15 + stream * 0xD1B54A32D192ED03;
    for (std::uint64_t& word : state_) {
      x += 0x9E3779B97F4A7C15;
      std::uint64_t z = x;
      z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
      z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
      word = z ^ (z >> 31);
    }
  }

  std::uint64_t bits() {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // Uniform in [0, bound). The bias of the multiplication is below bound / 2^64.
  std::uint64_t below(std::uint64_t bound) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(bits()) * bound) >> 64);
  }

  // Uniform in (0, 1].
  double unit() { return static_cast<double>((bits() >> 11) + 1) * 0x1p-53; }

  bool chance(double probability) { return probability > 0 && unit() <= probability; }

  // Exponential with mean 1.
  double exponential() { return -natural_log(unit()); }

  // Pareto with exponent 2 and mean 1: infinite variance. Cut off where only one in four million
  // would lie beyond.
  double heavy_tail() {
    const double x = 0.5 / std::sqrt(unit());
    return x < heavy_tail_limit ? x : heavy_tail_limit;
  }
  static constexpr double heavy_tail_limit = 1000;

  // By hand because the C library's result may differ in the last bit from machine to machine. For
  // normal numbers above 0; exact to about 1e-13.
  static double natural_log(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const auto exponent = static_cast<int>(bits >> 52) - 1023;
    const auto mantissa =
        std::bit_cast<double>((bits & 0xF'FFFF'FFFF'FFFF) | 0x3FF0'0000'0000'0000);
    // ln m = ln c + ln(1 + r), where c is near m and known, so that r is below 1/128.
    const Anchor& anchor = anchors[(bits >> 46) & 63];
    const double r = mantissa * anchor.inverse - 1;
    const double square = r * r;
    const double series = r - square * ((0.5 - r * (1.0 / 3)) + square * (0.25 - r * 0.2));
    return (exponent * 0.69314718055994531 + anchor.log) + series;
  }

 private:
  struct Anchor {
    double inverse;  // 1 / c
    double log;      // ln c
  };
  static constexpr std::array<Anchor, 64> make_anchors() {
    std::array<Anchor, 64> all{};
    for (int i = 0; i < 64; ++i) {
      const double c = 1 + (i + 0.5) / 64;
      const double s = (c - 1) / (c + 1);
      double series = 0;
      for (int k = 41; k >= 1; k -= 2) series = series * s * s + 1.0 / k;
      all[static_cast<std::size_t>(i)] = {1 / c, 2 * s * series};
    }
    return all;
  }
  static const std::array<Anchor, 64> anchors;

  std::uint64_t state_[4];
};

inline constexpr std::array<Random::Anchor, 64> Random::anchors = Random::make_anchors();

}  // namespace baton::sim
