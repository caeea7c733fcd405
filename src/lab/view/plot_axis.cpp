#include "lab/view/plot_axis.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "lab/view/svg_shapes.h"

namespace baton::view {

namespace {

// From this ratio on, small values would be crowded at the end of a linear axis.
constexpr double many_times = 8;
// Air between the outermost values and the ends of the axis.
constexpr double margin = 0.04;

}  // namespace

Axis::Axis(const std::vector<double>& values, Zero zero) {
  if (values.empty()) return;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  whole_ = std::all_of(values.begin(), values.end(), [](double v) { return v == std::floor(v); });
  logarithmic_ = *least > 0 && *most >= many_times * *least;
  low_ = !logarithmic_ && zero == Zero::wanted ? std::min(*least, 0.0) : *least;
  high_ = *most > low_ ? *most : low_ + 1;
  if (logarithmic_) {
    const double air = std::pow(high_ / low_, margin);
    low_ /= air;
    high_ *= air;
  } else {
    const double air = (high_ - low_) * margin;
    if (low_ != 0) low_ -= air;
    high_ += air;
  }
}

void Axis::place(double from, double to) {
  from_ = from;
  to_ = to;
}

double Axis::part(double value) const {
  if (value <= low_) return 0;
  if (value >= high_) return 1;
  return logarithmic_ ? std::log(value / low_) / std::log(high_ / low_)
                      : (value - low_) / (high_ - low_);
}

double Axis::at(double value) const { return from_ + (to_ - from_) * part(value); }

std::vector<double> Axis::ticks(double room) const {
  std::vector<double> all;
  const double length = std::abs(to_ - from_);
  if (!logarithmic_) {
    double step = svg::round_number((high_ - low_) * std::min(room / length, 1.0));
    if (whole_) step = std::max(step, 1.0);
    // Counted, so that no error adds up.
    for (double i = std::ceil(low_ / step); i * step <= high_; ++i) all.push_back(i * step);
    return all;
  }
  const double per_decade = length / std::log10(high_ / low_);
  // The narrowest gap of 1, 2, 5, 10 is the factor of two.
  const bool between = per_decade * std::log10(2.0) >= room;
  double decades = 1;
  while (per_decade * decades < room) ++decades;
  for (double power = std::floor(std::log10(low_)); std::pow(10.0, power) <= high_;
       power += decades) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double tick = factor * std::pow(10.0, power);
      if (tick >= low_ && tick <= high_ && (between || factor == 1.0)) all.push_back(tick);
    }
  }
  return all;
}

std::string Axis::label(double value) {
  std::array<char, 400> digits{};  // enough for any double without an exponent
  const double rounded = std::round(value * 1e6) / 1e6 + 0.0;
  const auto end =
      std::to_chars(digits.begin(), digits.end(), rounded, std::chars_format::fixed).ptr;
  return {digits.begin(), end};
}

}  // namespace baton::view
