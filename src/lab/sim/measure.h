// Measures an algorithm's cost in the situations for which theory states it, and compares.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/info.h"
#include "lab/sim/catalog.h"

namespace baton::sim {

struct Measurement {
  Scenario scenario{};
  Metric metric{};
  double value = 0;
  double half_width = 0;  // of the 99.9 % confidence interval, for a mean
  // The value that theory gives, if it gives one.
  std::string_view formula;
  std::optional<Expected> expected;

  bool agrees() const;
};

// Every metric in every situation where it can be measured, and all those that theory states. Runs
// with constant delay.
std::vector<Measurement> measure(const Entry& entry, const Setup& setup, std::uint64_t seed);

const Measurement* find(const std::vector<Measurement>& all, Scenario scenario, Metric metric);

std::string_view name_of(Scenario scenario);
std::string_view name_of(Metric metric);

}  // namespace baton::sim
