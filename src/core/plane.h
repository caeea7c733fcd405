// Places in the plane with whole-number coordinates, so that distances and forces are the same on
// every machine.
#pragma once

#include <cstdint>

namespace baton {

// Both coordinates are 0 … plane_side.
struct Place {
  std::int32_t x = 0;
  std::int32_t y = 0;

  friend constexpr auto operator<=>(const Place&, const Place&) = default;
};

inline constexpr std::int32_t plane_side = 10'000;

constexpr std::int64_t squared_distance(const Place& a, const Place& b) {
  const std::int64_t dx = a.x - b.x;
  const std::int64_t dy = a.y - b.y;
  return dx * dx + dy * dy;
}

// The largest whole number whose square is not above `number`, which is below 2^62.
constexpr std::int64_t whole_root(std::int64_t number) {
  std::int64_t root = 0;
  for (std::int64_t bit = std::int64_t{1} << 30; bit > 0; bit >>= 1) {
    if ((root + bit) * (root + bit) <= number) root += bit;
  }
  return root;
}

}  // namespace baton
