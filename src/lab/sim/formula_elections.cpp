#include <array>
#include <string>
#include <utility>

#include "algorithms/election/randomized.h"
#include "lab/sim/catalog.h"
#include "lab/sim/formulas.h"
#include "lab/sim/measure_election.h"
#include "lab/sim/sample.h"

namespace baton::sim {

namespace {

// Whether one round of the randomized election was enough.
bool took_one_round(const Report& report, std::uint32_t size) {
  for (const MessageType& type : report.by_type) {
    if (type.name == "Draw") return type.count == std::uint64_t{size} * (size - 1);
  }
  return false;
}

double share_of_one_round(std::uint32_t size, std::uint32_t bits, std::uint64_t seed,
                          std::uint64_t runs) {
  Plan plan;
  plan.setup.size = size;
  plan.setup.choose(Randomized::bits, bits);
  plan.workload = {.kind = Workload::Kind::one, .first = {0}};
  std::uint64_t successes = 0;
  for (std::uint64_t i = 0; i < runs; ++i) {
    plan.seed = seed * 1'000'000 + i;
    successes += took_one_round(find("randomized")->run(plan, nullptr), size) ? 1 : 0;
  }
  return static_cast<double>(successes) / static_cast<double>(runs);
}

}  // namespace

FormulaTopic check_randomized_election(std::uint64_t seed) {
  FormulaTopic topic{"randomized-election",
                     "Randomized election (the Article): the chance that the largest of N random "
                     "numbers of b bits is drawn once, so that one round is enough",
                     {}};
  struct Situation {
    std::uint32_t size;
    std::uint32_t bits;
    std::uint64_t runs;
  };
  constexpr std::array<Situation, 6> situations{{{2, 1, 20'000},
                                                 {3, 2, 20'000},
                                                 {5, 4, 20'000},
                                                 {10, 8, 10'000},
                                                 {50, 8, 1'000},
                                                 {100, 16, 300}}};
  for (const auto& [size, bits, runs] : situations) {
    const std::string situation = "N = " + std::to_string(size) + ", b = " + std::to_string(bits);
    const double expected = unique_maximum(size, bits);
    const double bound = unique_maximum_bound(size, bits);
    const double measured = share_of_one_round(size, bits, seed, runs);
    const double half_width = Sample::half_width_of_proportion(expected, static_cast<double>(runs));
    topic.checks.push_back({situation, "N·Σ v^(N-1)/2^(bN)", expected, measured, half_width});
    topic.checks.push_back({situation, "≥ 1-C(N,2)/2^b (the Article)", bound, measured, half_width,
                            FormulaCheck::Relation::at_least,
                            bound <= 0 ? "says nothing for so few bits" : ""});
  }
  return topic;
}

FormulaTopic check_election_costs(std::uint64_t seed) {
  constexpr std::uint32_t size = 8;
  FormulaTopic topic{"election-costs",
                     "Messages of the bully and the rings (the Notes, Canonical Problems), N = 8; "
                     "other sizes: baton compare --kind election",
                     {}};
  for (const char* name : {"bully", "ring-election", "chang-roberts", "hirschberg-sinclair"}) {
    for (const ElectionMeasurement& one :
         measure_election(*find(name), default_setup(size), seed)) {
      std::string situation = std::string(name) + ": " + std::string(one.cost->situation);
      if (!one.cost->type.empty()) situation += "; " + std::string(one.cost->type);
      const bool is_range = one.expected.low != one.expected.high;
      topic.checks.push_back(
          {situation, std::string(one.cost->formula), one.expected.high, one.value, one.half_width,
           is_range ? FormulaCheck::Relation::at_most : FormulaCheck::Relation::equal,
           is_range ? "the most that is possible" : ""});
    }
  }
  return topic;
}

}  // namespace baton::sim
