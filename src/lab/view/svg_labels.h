// Finds places for the labels of a picture's arrows where they do not cover each other.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace baton::view {

struct Point {
  double x = 0;
  double y = 0;
};

// Part of a straight line.
struct Stretch {
  Point from, to;

  Point at(double part) const {
    return {from.x + part * (to.x - from.x), from.y + part * (to.y - from.y)};
  }
  double length() const;
};

// The smallest distance between a point of one stretch and a point of the other.
double distance(const Stretch& a, const Stretch& b);

class Labels {
 public:
  static constexpr double font_size = 11;

  // The width of a text in this font, near enough.
  static double width_of(std::string_view text);

  // Lines that labels should keep clear of.
  void avoid(const Stretch& line) { lines_.push_back(line); }

  // Claims the place of a level text around its middle; false if no place is left.
  bool place_level(Point middle, double width);

  // Claims a place along the arrow, which crosses `gaps` spaces between rows, and returns the
  // middle of the text's baseline.
  std::optional<Point> place_along(const Stretch& arrow, double width, std::size_t gaps);

 private:
  bool is_free(const Stretch& text) const;
  std::size_t lines_crossed(const Stretch& text) const;

  std::vector<Stretch> texts_;  // the lines through the middles of their letters
  std::vector<Stretch> lines_;
};

}  // namespace baton::view
