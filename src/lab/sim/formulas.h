// The formulas of the lectures beside simulation: the formula's value, the measured value, and
// whether they agree. Derived in docs/formulas.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace baton::sim {

struct FormulaCheck {
  enum class Relation : std::uint8_t {
    equal,     // the formula's value lies in the confidence interval of the measurement
    at_least,  // the measurement is not below the formula's value
    at_most,   // the measurement is not above the formula's value
    shown      // the formula describes something else, as the remark says; not judged
  };

  std::string situation;
  std::string formula;
  double expected = 0;
  double measured = 0;
  double half_width = 0;  // of the 99.9 % confidence interval
  Relation relation = Relation::equal;
  std::string remark{};

  bool agrees() const;
};

struct FormulaTopic {
  std::string name;   // for programs: "arq"
  std::string title;  // for people
  std::vector<FormulaCheck> checks;
};

std::vector<FormulaTopic> check_formulas(std::uint64_t seed);

FormulaTopic check_arq(std::uint64_t seed);
FormulaTopic check_randomized_election(std::uint64_t seed);
FormulaTopic check_election_costs(std::uint64_t seed);
FormulaTopic check_majority_voting(std::uint64_t seed);
FormulaTopic check_queue(std::uint64_t seed);

// Closed forms.

// Stop-and-wait with loss p each way: transmissions, of messages and acknowledgements, beyond the
// two that would do; and the shape that the Article gives for it.
double arq_extra(double loss);
double arq_extra_of_the_article(double loss);

// The probability that exactly one of `size` random numbers of `bits` bits is the largest; and the
// Article's lower bound.
double unique_maximum(std::uint32_t size, std::uint32_t bits);
double unique_maximum_bound(std::uint32_t size, std::uint32_t bits);

// The probability that at least `least` of `count` coordinators reset, each with probability p.
double at_least_reset(std::uint32_t count, std::uint32_t least, double p);
// Majority voting: the probability that a second process collects m votes although the first has m.
// The second asks all n (Canonical Problems), or as few as the first: the m that begin with itself,
// around the ring of n.
double violation_asking_all(std::uint32_t n, std::uint32_t m, double p);
double violation_asking_as_few(std::uint32_t n, std::uint32_t m, double p);

// The mean time from arrival to departure in a queue with one server, arrivals at random and
// service of mean length `service`: exponential (M/M/1), or always the same (M/D/1).
double response_exponential(double rate, double service);
double response_constant(double rate, double service);

}  // namespace baton::sim
