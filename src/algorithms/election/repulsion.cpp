#include "algorithms/election/repulsion.h"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>

namespace baton {

namespace {

// The energy of two tokens at a distance of 1. Large enough that differences across the whole plane
// remain visible, and small enough that thousands of tokens do not overflow.
constexpr std::int64_t unit = std::int64_t{1} << 48;
// A move must win this part of the token's energy. A smaller part takes more turns and hardly
// improves the result.
constexpr std::int64_t worthwhile = 64;

struct Force {
  std::int64_t x = 0;
  std::int64_t y = 0;
};

// No token counts as nearer to an edge than this, lest the energy there be infinite.
std::int64_t to_edge(std::int32_t coordinate) { return std::max<std::int32_t>(1, coordinate); }

Force force_on(const Place& place, const std::vector<Place>& others) {
  Force force;
  for (const Place& other : others) {
    const std::int64_t square = squared_distance(place, other);
    if (square == 0) {
      force.x += unit;  // away, no matter where
      continue;
    }
    // Twice the derivative of unit / square; halved everywhere.
    force.x += (place.x - other.x) * (unit / square) / square;
    force.y += (place.y - other.y) * (unit / square) / square;
  }
  const auto from_edge = [](std::int64_t w) { return unit / (8 * w * w) / w; };
  force.x += from_edge(to_edge(place.x)) - from_edge(to_edge(plane_side - place.x));
  force.y += from_edge(to_edge(place.y)) - from_edge(to_edge(plane_side - place.y));
  return force;
}

// The place `step` away in the direction of the force, but within the plane.
Place pushed(const Place& from, Force force, std::int64_t step) {
  constexpr std::int64_t manageable = std::int64_t{1} << 29;
  while (std::abs(force.x) > manageable || std::abs(force.y) > manageable) {
    force.x /= 2;
    force.y /= 2;
  }
  const std::int64_t length =
      std::max<std::int64_t>(1, whole_root(force.x * force.x + force.y * force.y));
  const auto within = [](std::int64_t coordinate) {
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(coordinate, 0, plane_side));
  };
  return {within(from.x + force.x * step / length), within(from.y + force.y * step / length)};
}

}  // namespace

std::int64_t repulsion_energy(const Place& place, const std::vector<Place>& others) {
  std::int64_t energy = 0;
  for (const Place& other : others) {
    energy += unit / std::max<std::int64_t>(1, squared_distance(place, other));
  }
  // Half of what a token in the mirror would give, because that token would have the other half.
  for (const std::int32_t coordinate :
       {place.x, plane_side - place.x, place.y, plane_side - place.y}) {
    energy += unit / (8 * to_edge(coordinate) * to_edge(coordinate));
  }
  return energy;
}

NodeId pushed_to(const Setup& setup, const std::vector<NodeId>& tokens, std::size_t token) {
  const NodeId self = tokens[token];
  const Place here = setup.place(self);
  std::vector<bool> taken(setup.size);
  std::vector<Place> others;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (i == token) continue;
    others.push_back(setup.place(tokens[i]));
    taken[tokens[i].value] = true;
  }
  const Force force = force_on(here, others);
  if (force.x == 0 && force.y == 0) return self;
  const std::int64_t energy = repulsion_energy(here, others);
  // First a long way, then shorter ones: the direction is right only nearby.
  for (std::int64_t step = plane_side / 2; step > 0; step /= 2) {
    const Place goal = pushed(here, force, step);
    NodeId best = self;
    for (std::uint32_t i = 0; i < setup.size; ++i) {
      if (taken[i]) continue;
      if (squared_distance(setup.place({i}), goal) < squared_distance(setup.place(best), goal)) {
        best = {i};
      }
    }
    if (best != self && repulsion_energy(setup.place(best), others) < energy - energy / worthwhile)
      return best;
  }
  return self;
}

}  // namespace baton
