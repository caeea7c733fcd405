#include "lab/view/plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <ostream>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text.h"
#include "lab/view/plot_axis.h"
#include "lab/view/svg_labels.h"
#include "lab/view/svg_shapes.h"

namespace baton::view {

namespace {

using svg::escaped;
using svg::line;
using svg::px;
using svg::text;

constexpr std::size_t colours = 6;  // t0 to t5 of the style
constexpr double left = 52;
constexpr double plot_width = 500;
constexpr double least_plot_height = 380;
constexpr double legend_row = 18;
constexpr double legend_gap = 34;  // for the lines that lead from the curves to their names
constexpr double sample_width = 18;
constexpr double mark_radius = 3.4;
// Marks at the same point are drawn around each other.
constexpr double ring_distance = 3.2;
constexpr std::size_t most_rings = 3;

// The coprime numbers of colours and shapes make thirty different marks.
enum class Shape : std::uint8_t { circle, square, triangle, diamond, inverted };
constexpr std::size_t shapes = 5;

std::string outline(Shape shape, Point at, double radius) {
  const auto polygon = [&](std::initializer_list<Point> corners) {
    std::string path;
    for (const Point& corner : corners) {
      path += (path.empty() ? "M" : "L") + px(at.x + corner.x * radius) + " " +
              px(at.y + corner.y * radius);
    }
    return path + "Z";
  };
  switch (shape) {
    case Shape::circle:
      break;
    case Shape::square:
      return polygon({{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}});
    case Shape::triangle:
      return polygon({{0, -1.3}, {1.2, 0.9}, {-1.2, 0.9}});
    case Shape::diamond:
      return polygon({{0, -1.35}, {1.35, 0}, {0, 1.35}, {-1.35, 0}});
    case Shape::inverted:
      return polygon({{0, 1.3}, {1.2, -0.9}, {-1.2, -0.9}});
  }
  const std::string half = "a" + px(radius) + " " + px(radius) + " 0 1 0 ";
  return "M" + px(at.x - radius) + " " + px(at.y) + half + px(2 * radius) + " 0" + half +
         px(-2 * radius) + " 0Z";
}

// The part of a series that can be drawn.
PlotSeries drawable(PlotSeries series) {
  std::erase_if(series.theory, [](const PlotTheory& one) {
    return !std::isfinite(one.x) || !std::isfinite(one.low) || std::isnan(one.high);
  });
  std::erase_if(series.measured, [](const PlotMeasured& one) {
    return !std::isfinite(one.x) || !std::isfinite(one.y);
  });
  return series;
}

bool is_empty(const PlotSeries& series) { return series.theory.empty() && series.measured.empty(); }

bool same_curve(const PlotSeries& a, const PlotSeries& b) {
  return std::equal(a.theory.begin(), a.theory.end(), b.theory.begin(), b.theory.end(),
                    [](const PlotTheory& one, const PlotTheory& other) {
                      return one.x == other.x && one.low == other.low && one.high == other.high;
                    });
}

// The right end of a curve, where its name is written.
std::pair<double, double> end_of(const PlotSeries& series) {
  if (!series.measured.empty()) return {series.measured.back().x, series.measured.back().y};
  return {series.theory.back().x, series.theory.back().low};
}

std::vector<double> values_of(const std::vector<PlotSeries>& all, bool along_x) {
  std::vector<double> values;
  for (const PlotSeries& series : all) {
    for (const PlotMeasured& one : series.measured) values.push_back(along_x ? one.x : one.y);
    for (const PlotTheory& one : series.theory) {
      values.push_back(along_x ? one.x : one.low);
      if (!along_x && std::isfinite(one.high)) values.push_back(one.high);
    }
  }
  return values;
}

std::vector<PlotSeries> drawable(const std::vector<PlotSeries>& all) {
  std::vector<PlotSeries> kept;
  for (const PlotSeries& one : all) {
    PlotSeries series = drawable(one);
    if (!is_empty(series)) kept.push_back(std::move(series));
  }
  // The series by the height of their ends, so that names stand beside them and neighbours differ
  // in colour.
  std::stable_sort(kept.begin(), kept.end(), [](const PlotSeries& a, const PlotSeries& b) {
    return end_of(a).second > end_of(b).second;
  });
  return kept;
}

class PlotPicture {
 public:
  PlotPicture(const Plot& plot, std::vector<PlotSeries> series)
      : plot_(plot),
        series_(std::move(series)),
        x_(values_of(series_, true), Axis::Zero::not_needed),
        y_(values_of(series_, false), Axis::Zero::wanted) {
    lay_out();
  }

  void write(std::ostream& to) {
    to << R"(<svg xmlns="http://www.w3.org/2000/svg" role="img" width=")" << px(width_)
       << "\" height=\"" << px(height_) << "\" viewBox=\"0 0 " << px(width_) << ' ' << px(height_)
       << "\">\n<title>" << escaped(plot_.title) << "</title>\n"
       << svg::style() << R"(<rect class="page" width="100%" height="100%"/>)" << '\n'
       << text("title", {16, 28}, text::printable(plot_.title, false));
    for (std::size_t i = 0; i < subtitle_.size(); ++i) {
      to << text("quiet", {16, 48 + 16 * static_cast<double>(i)}, subtitle_[i]);
    }
    axes(to);
    for (std::size_t i = 0; i < series_.size(); ++i) draw(to, i);
    to << "</svg>\n";
  }

 private:
  void lay_out() {
    double name_width = 0;
    double formula_width = 0;
    for (const PlotSeries& series : series_) {
      name_width = std::max(name_width, Labels::width_of(name_of(series)));
      formula_width = std::max(formula_width, Labels::width_of(formula_of(series)));
    }
    right_ = left + plot_width;
    names_ = right_ + legend_gap + sample_width + 6;
    formulas_ = names_ + name_width + 12;
    width_ = std::max(formulas_ + formula_width + 16,
                      32 + 9.6 * static_cast<double>(text::columns(plot_.title)));
    subtitle_ = text::wrapped(text::printable(plot_.subtitle, false),
                              static_cast<std::size_t>((width_ - 32) / (0.58 * Labels::font_size)));
    top_ = 72 + 16 * static_cast<double>(subtitle_.size());
    const double rows = static_cast<double>(series_.size()) * legend_row;
    bottom_ = top_ + std::max(least_plot_height, rows);
    height_ = bottom_ + 48;
    x_.place(left, right_);
    y_.place(bottom_, top_);
    place_names();
  }

  // Each name as near to its curve's end as the others allow.
  void place_names() {
    const double first = top_ + legend_row / 2;
    const double last = bottom_ - legend_row / 2;
    double free = first;
    for (const PlotSeries& series : series_) {
      rows_.push_back(std::max(free, y_.at(end_of(series).second)));
      free = rows_.back() + legend_row;
    }
    double limit = last;
    for (std::size_t i = rows_.size(); i-- > 0;) {
      rows_[i] = std::min(rows_[i], limit);
      limit = rows_[i] - legend_row;
    }
  }

  static std::string name_of(const PlotSeries& series) {
    return text::shortened(text::printable(series.name, false), 40, "…");
  }
  static std::string formula_of(const PlotSeries& series) {
    return text::shortened(text::printable(series.formula, false), 32, "…");
  }

  void axes(std::ostream& to) const {
    for (const double tick : x_.ticks(34)) {
      to << line("grid", {{x_.at(tick), top_}, {x_.at(tick), bottom_}})
         << text("quiet mid", {x_.at(tick), bottom_ + 16}, Axis::label(tick));
    }
    for (const double tick : y_.ticks(22)) {
      const std::string label = Axis::label(tick);
      to << line("grid", {{left, y_.at(tick)}, {right_, y_.at(tick)}})
         << text("quiet", {left - 8 - Labels::width_of(label), y_.at(tick) + 4}, label);
    }
    to << line("line", {{left, top_}, {left, bottom_}})
       << line("line", {{left, bottom_}, {right_, bottom_}}) << '\n'
       << text("quiet", {16, top_ - 10}, "↑ " + title_of(plot_.y_title, y_))
       << text("quiet", {left, bottom_ + 36}, title_of(plot_.x_title, x_) + " →");
  }

  static std::string title_of(const std::string& title, const Axis& axis) {
    return text::printable(title, false) + (axis.is_logarithmic() ? " (logarithmic)" : "");
  }

  static std::string colour(std::size_t index) { return "t" + std::to_string(index % colours); }
  static Shape shape(std::size_t index) { return static_cast<Shape>(index % shapes); }

  // A series' curve, marks and name, in one group that a reader can point at.
  void draw(std::ostream& to, std::size_t index) {
    const PlotSeries& series = series_[index];
    to << "<g class=\"m " << colour(index) << "\"><title>" << escaped(series.name)
       << (series.formula.empty() ? "" : ": ") << escaped(series.formula) << "</title>\n";
    curve(to, index);
    for (const PlotMeasured& one : series.measured) {
      const Point at{x_.at(one.x), y_.at(one.y)};
      to << "<g><title>" << escaped(series.name) << " at " << Axis::label(one.x) << ": "
         << Axis::label(one.y) << (one.agrees ? "" : ", which differs from theory") << "</title>"
         << mark(index, at, rings_at(at)) << (one.agrees ? "" : svg::cross(at, 7)) << "</g>\n";
    }
    name(to, index);
    to << "</g>\n";
  }

  void curve(std::ostream& to, std::size_t index) const {
    const std::vector<PlotTheory>& theory = series_[index].theory;
    const auto path = [&](double PlotTheory::*value, bool backwards) {
      std::string steps;
      const auto add = [&](const PlotTheory& one) {
        steps += (steps.empty() && !backwards ? "M" : "L") + px(x_.at(one.x)) + " " +
                 px(y_.at(one.*value));
      };
      if (backwards) {
        std::for_each(theory.rbegin(), theory.rend(), add);
      } else {
        std::for_each(theory.begin(), theory.end(), add);
      }
      return steps;
    };
    if (theory.empty()) return;
    const bool is_range = std::any_of(theory.begin(), theory.end(),
                                      [](const PlotTheory& one) { return one.low != one.high; });
    if (is_range) {
      to << R"(<path class="h" fill-opacity=".12" d=")" << path(&PlotTheory::low, false)
         << path(&PlotTheory::high, true) << "Z\"/>\n";
    }
    // Where two curves coincide, both colours stay visible.
    const bool hides_another =
        std::any_of(series_.begin(), series_.begin() + static_cast<std::ptrdiff_t>(index),
                    [&](const PlotSeries& earlier) { return same_curve(earlier, series_[index]); });
    to << "<path" << (hides_another ? R"( class="again")" : "") << " d=\""
       << path(&PlotTheory::low, false) << "\"/>\n";
  }

  // The number of marks already at this point.
  std::size_t rings_at(Point at) { return marks_[{std::lround(at.x), std::lround(at.y)}]++; }

  static std::string mark(std::size_t index, Point at, std::size_t rings) {
    const double radius =
        mark_radius + ring_distance * static_cast<double>(std::min(rings, most_rings));
    return std::string("<path") + (rings == 0 ? " class=\"h\"" : "") + " d=\"" +
           outline(shape(index), at, radius) + "\"/>";
  }

  void name(std::ostream& to, std::size_t index) const {
    const PlotSeries& series = series_[index];
    const double row = rows_[index];
    const auto [x, y] = end_of(series);
    const double sample = names_ - 6 - sample_width;
    to << line("away", {{x_.at(x) + 8, y_.at(y)}, {sample - 2, row}});
    if (!series.theory.empty()) to << line("", {{sample, row}, {sample + sample_width, row}});
    if (!series.measured.empty()) to << mark(index, {sample + sample_width / 2, row}, 0);
    to << text("legend " + colour(index), {names_, row + 4}, name_of(series));
    if (!series.formula.empty()) {
      to << text("legend quiet", {formulas_, row + 4}, formula_of(series));
    }
  }

  const Plot& plot_;
  std::vector<PlotSeries> series_;
  Axis x_, y_;
  std::vector<std::string> subtitle_;
  std::vector<double> rows_;  // of the names
  std::map<std::pair<long, long>, std::size_t> marks_;
  double right_ = 0, top_ = 0, bottom_ = 0;  // of the area with the curves
  double names_ = 0, formulas_ = 0;
  double width_ = 0, height_ = 0;
};

}  // namespace

void write_plot(const Plot& plot, std::ostream& to) {
  std::vector<PlotSeries> series = drawable(plot.series);
  if (!series.empty()) PlotPicture(plot, std::move(series)).write(to);
}

}  // namespace baton::view
