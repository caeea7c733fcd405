#include "lab/sim/formulas.h"

#include <cmath>

namespace baton::sim {

bool FormulaCheck::agrees() const {
  // Sums of many terms are rounded.
  const double slack = half_width + 1e-9;
  switch (relation) {
    case Relation::equal:
      return std::abs(measured - expected) <= slack;
    case Relation::at_least:
      return measured >= expected - slack;
    case Relation::at_most:
      return measured <= expected + slack;
    case Relation::shown:
      return true;
  }
  return false;
}

std::vector<FormulaTopic> check_formulas(std::uint64_t seed) {
  return {check_arq(seed), check_randomized_election(seed), check_election_costs(seed),
          check_majority_voting(seed), check_queue(seed)};
}

double arq_extra(double loss) { return loss * (3 - 2 * loss) / ((1 - loss) * (1 - loss)); }
double arq_extra_of_the_article(double loss) { return loss / ((1 - loss) * (1 - loss)); }

double unique_maximum(std::uint32_t size, std::uint32_t bits) {
  const double values = std::ldexp(1.0, static_cast<int>(bits));
  double sum = 0;
  for (double v = 1; v < values; ++v) sum += std::pow(v / values, size - 1);
  return size * sum / values;
}

double unique_maximum_bound(std::uint32_t size, std::uint32_t bits) {
  const double pairs = size * (size - 1.0) / 2;
  return 1 - std::ldexp(pairs, -static_cast<int>(bits));
}

double at_least_reset(std::uint32_t count, std::uint32_t least, double p) {
  double probability = 0;
  double ways = 1;  // count over k
  for (std::uint32_t k = 0; k <= count; ++k) {
    if (k >= least) probability += ways * std::pow(p, k) * std::pow(1 - p, count - k);
    ways = ways * (count - k) / (k + 1.0);
  }
  return probability;
}

double violation_asking_all(std::uint32_t n, std::uint32_t m, double p) {
  return at_least_reset(m, 2 * m - n, p);
}

double violation_asking_as_few(std::uint32_t n, std::uint32_t m, double p) {
  double sum = 0;
  for (std::uint32_t distance = 1; distance < n; ++distance) {
    std::uint32_t common = 0;
    for (std::uint32_t i = 0; i < m; ++i) common += (distance + i) % n < m ? 1 : 0;
    sum += std::pow(p, common);
  }
  return sum / (n - 1);
}

double response_exponential(double rate, double service) { return 1 / (1 / service - rate); }
double response_constant(double rate, double service) {
  return service + rate * service * service / (2 * (1 - rate * service));
}

}  // namespace baton::sim
