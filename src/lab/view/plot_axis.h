// One axis of a plot: the place of a value on it, and the round numbers beside it.
#pragma once

#include <string>
#include <vector>

namespace baton::view {

class Axis {
 public:
  // Logarithmic where the values are positive and the largest is many times the smallest. A linear
  // axis that is to have a zero begins there, or below where values do.
  enum class Zero { wanted, not_needed };
  Axis(const std::vector<double>& values, Zero zero);

  bool is_logarithmic() const { return logarithmic_; }

  // The pixels that the axis lies between; the second may be the smaller one.
  void place(double from, double to);
  // The pixel of a value. A value beyond an end of the axis, or infinite, goes to that end.
  double at(double value) const;

  // As many round values as fit with `room` pixels between them; whole numbers if all values are.
  std::vector<double> ticks(double room) const;

  // 2, 0.5, 2000: no decimals that say nothing.
  static std::string label(double value);

 private:
  double part(double value) const;  // 0 at the low end, 1 at the high end

  bool logarithmic_ = false;
  bool whole_ = false;
  double low_ = 0;
  double high_ = 1;
  double from_ = 0;
  double to_ = 1;
};

}  // namespace baton::view
