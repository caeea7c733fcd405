// How often values fell into ranges: what a metric of times or sizes is made of.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace baton::server {

class Histogram {
 public:
  // Ascending; values above the last have a range of their own.
  Histogram(std::initializer_list<double> bounds) : bounds_(bounds), counts_(bounds.size() + 1) {}

  void add(double value) {
    const auto at = std::lower_bound(bounds_.begin(), bounds_.end(), value);
    ++counts_[static_cast<std::size_t>(at - bounds_.begin())];
    sum_ += value;
  }

  // A value belongs to the first bound that is not below it.
  const std::vector<double>& bounds() const { return bounds_; }
  // One more than there are bounds.
  const std::vector<std::uint64_t>& counts() const { return counts_; }
  double sum() const { return sum_; }

 private:
  std::vector<double> bounds_;
  std::vector<std::uint64_t> counts_;
  double sum_ = 0;
};

}  // namespace baton::server
