#include "lab/view/svg_labels.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"

namespace baton::view {

namespace {

// In a thicket of arrows a label would say less than it hides.
constexpr std::size_t most_crossed = 2;

double distance(Point a, Point b) { return std::hypot(a.x - b.x, a.y - b.y); }

double distance(Point point, const Stretch& line) {
  const double dx = line.to.x - line.from.x;
  const double dy = line.to.y - line.from.y;
  const double square = dx * dx + dy * dy;
  if (square == 0) return distance(point, line.from);
  const double part = ((point.x - line.from.x) * dx + (point.y - line.from.y) * dy) / square;
  return distance(point, line.at(std::clamp(part, 0.0, 1.0)));
}

// The side of the line on which the point lies: positive, negative, or 0 on the line.
double side(const Stretch& line, Point point) {
  return (line.to.x - line.from.x) * (point.y - line.from.y) -
         (line.to.y - line.from.y) * (point.x - line.from.x);
}

bool cross(const Stretch& a, const Stretch& b) {
  return side(a, b.from) * side(a, b.to) < 0 && side(b, a.from) * side(b, a.to) < 0;
}

}  // namespace

double Stretch::length() const { return distance(from, to); }

double distance(const Stretch& a, const Stretch& b) {
  if (cross(a, b)) return 0;
  return std::min({distance(a.from, b), distance(a.to, b), distance(b.from, a), distance(b.to, a)});
}

double Labels::width_of(std::string_view text) {
  return 0.58 * font_size * static_cast<double>(text::columns(text));
}

bool Labels::is_free(const Stretch& text) const {
  return std::none_of(texts_.begin(), texts_.end(),
                      [&](const Stretch& other) { return distance(text, other) < font_size + 1; });
}

std::size_t Labels::lines_crossed(const Stretch& text) const {
  return static_cast<std::size_t>(
      std::count_if(lines_.begin(), lines_.end(),
                    [&](const Stretch& line) { return distance(text, line) < 0.4 * font_size; }));
}

bool Labels::place_level(Point middle, double width) {
  const Stretch text{{middle.x - width / 2, middle.y}, {middle.x + width / 2, middle.y}};
  if (!is_free(text)) return false;
  texts_.push_back(text);
  return true;
}

std::optional<Point> Labels::place_along(const Stretch& arrow, double width, std::size_t gaps) {
  const double length = arrow.length();
  constexpr double head = 8;
  if (gaps == 0 || length < width + 2 * head) return {};
  const Point along{(arrow.to.x - arrow.from.x) / length, (arrow.to.y - arrow.from.y) / length};
  std::optional<Point> best;
  Stretch taken;
  std::size_t fewest = 0;
  double nearest = 0;
  for (std::size_t gap = 0; gap < gaps; ++gap) {
    for (const double within : {0.5, 0.4, 0.6, 0.3, 0.7}) {
      const double part = (static_cast<double>(gap) + within) / static_cast<double>(gaps);
      const double margin = (width / 2 + head) / length;
      if (part < margin || part > 1 - margin) continue;
      // Above the arrow, or below it; the letters' middle is a third of the font above their base.
      for (const double shift : {-4.0, 11.0}) {
        const auto shifted = [&](double by, double ahead) {
          const Point on = arrow.at(part);
          return Point{on.x - along.y * by + along.x * ahead,
                       on.y + along.x * by + along.y * ahead};
        };
        const double middle = shift - font_size / 3;
        const Stretch text{shifted(middle, -width / 2), shifted(middle, width / 2)};
        if (!is_free(text)) continue;
        const std::size_t crossed = lines_crossed(text);
        if (crossed > most_crossed) continue;
        const double off = std::abs(part - 0.5) + (shift > 0 ? 0.05 : 0);
        if (best && (crossed > fewest || (crossed == fewest && off >= nearest))) continue;
        best = shifted(shift, 0);
        taken = text;
        fewest = crossed;
        nearest = off;
      }
    }
  }
  if (best) texts_.push_back(taken);
  return best;
}

}  // namespace baton::view
