// Means of random quantities with their 99.9 % confidence intervals.
#pragma once

#include <cmath>
#include <cstdint>

namespace baton::sim {

class Sample {
 public:
  void add(double value) {
    ++count_;
    const double difference = value - mean_;
    mean_ += difference / static_cast<double>(count_);
    squares_ += difference * (value - mean_);
  }

  std::uint64_t count() const { return count_; }
  double mean() const { return mean_; }
  // For many samples, by the normal distribution.
  double half_width() const { return normal_quantile * deviation_of_mean(); }
  // For exactly 40 samples, by Student's distribution.
  double half_width_of_40() const { return student_quantile_39 * deviation_of_mean(); }

  // Of a proportion found in so many trials, if the true one is `probability`.
  static double half_width_of_proportion(double probability, double trials) {
    return normal_quantile * std::sqrt(probability * (1 - probability) / trials) + 0.5 / trials;
  }

 private:
  static constexpr double normal_quantile = 3.2905;
  static constexpr double student_quantile_39 = 3.5581;

  double deviation_of_mean() const {
    const auto count = static_cast<double>(count_);
    return std::sqrt(squares_ / (count - 1) / count);
  }

  std::uint64_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
};

}  // namespace baton::sim
