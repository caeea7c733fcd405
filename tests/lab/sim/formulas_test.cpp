#include "lab/sim/formulas.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lab/sim/sample.h"

namespace baton::sim {
namespace {

// By the two stages: 1/(1−p)² messages are sent on average, 1/(1−p) of them arrive, and each of
// those is acknowledged.
TEST(Formulas, RepeatedTransmissionsAddUp) {
  for (const double p : {0.0, 0.1, 0.25, 0.5, 0.9}) {
    EXPECT_NEAR(arq_extra(p), 1 / ((1 - p) * (1 - p)) + 1 / (1 - p) - 2, 1e-9) << p;
    EXPECT_LE(arq_extra_of_the_article(p), arq_extra(p));
    EXPECT_GE(arq_extra_of_the_article(p), arq_extra(p) / 3);
  }
  EXPECT_DOUBLE_EQ(arq_extra(0.5), 4);
}

// Against all outcomes, one by one.
TEST(Formulas, AUniqueMaximumIsCountedOutcomeByOutcome) {
  for (std::uint32_t size = 2; size <= 4; ++size) {
    for (std::uint32_t bits = 1; bits <= 3; ++bits) {
      const std::uint32_t values = 1U << bits;
      const std::uint32_t outcomes = 1U << (bits * size);
      std::uint32_t unique = 0;
      for (std::uint32_t outcome = 0; outcome < outcomes; ++outcome) {
        std::vector<std::uint32_t> times(values);
        for (std::uint32_t i = 0; i < size; ++i) ++times[outcome >> (bits * i) & (values - 1)];
        while (times.back() == 0) times.pop_back();
        unique += times.back() == 1 ? 1 : 0;
      }
      EXPECT_NEAR(unique_maximum(size, bits), static_cast<double>(unique) / outcomes, 1e-12);
      EXPECT_GE(unique_maximum(size, bits), unique_maximum_bound(size, bits));
    }
  }
}

// Against all sets of coordinators that may reset.
TEST(Formulas, ViolationsAreCountedSetBySet) {
  for (const double p : {0.1, 0.5}) {
    for (std::uint32_t n = 3; n <= 9; ++n) {
      for (std::uint32_t m = n / 2 + 1; m <= n; ++m) {
        double asking_all = 0;
        double asking_as_few = 0;
        for (std::uint32_t reset = 0; reset < 1U << n; ++reset) {
          double chance = 1;
          for (std::uint32_t i = 0; i < n; ++i) chance *= (reset >> i & 1) != 0 ? p : 1 - p;
          // The first has the votes of 0 to m−1.
          const auto gives = [&](std::uint32_t i) { return i >= m || (reset >> i & 1) != 0; };
          std::uint32_t votes = 0;
          for (std::uint32_t i = 0; i < n; ++i) votes += gives(i) ? 1 : 0;
          asking_all += votes >= m ? chance : 0;
          for (std::uint32_t second = 1; second < n; ++second) {
            bool all_give = true;
            for (std::uint32_t i = 0; i < m; ++i) all_give = all_give && gives((second + i) % n);
            asking_as_few += all_give ? chance / (n - 1) : 0;
          }
        }
        EXPECT_NEAR(violation_asking_all(n, m, p), asking_all, 1e-9) << n << ' ' << m;
        EXPECT_NEAR(violation_asking_as_few(n, m, p), asking_as_few, 1e-9) << n << ' ' << m;
      }
    }
  }
}

TEST(Formulas, QueuesAreAsLongAsTheTextbooksSay) {
  EXPECT_DOUBLE_EQ(response_exponential(0.5, 1), 2);
  EXPECT_DOUBLE_EQ(response_constant(0.5, 1), 1.5);
}

TEST(Formulas, ASampleHasAMeanAndAnInterval) {
  Sample sample;
  for (const double value : {1.0, 2.0, 3.0, 4.0}) sample.add(value);
  EXPECT_DOUBLE_EQ(sample.mean(), 2.5);
  EXPECT_NEAR(sample.half_width(), 3.2905 * std::sqrt(5.0 / 3 / 4), 1e-9);
}

TEST(Formulas, AgreementIsJudgedByTheInterval) {
  using Relation = FormulaCheck::Relation;
  const auto agrees = [](double expected, double measured, Relation relation) {
    return FormulaCheck{"", "", expected, measured, 0.1, relation}.agrees();
  };
  EXPECT_TRUE(agrees(1, 1.09, Relation::equal));
  EXPECT_FALSE(agrees(1, 1.11, Relation::equal));
  EXPECT_FALSE(agrees(1, 0.89, Relation::equal));
  EXPECT_TRUE(agrees(1, 5, Relation::at_least));
  EXPECT_FALSE(agrees(1, 0.8, Relation::at_least));
  EXPECT_TRUE(agrees(1, 0.2, Relation::at_most));
  EXPECT_FALSE(agrees(1, 1.2, Relation::at_most));
  EXPECT_TRUE(agrees(1, 5, Relation::shown));
}

void expect_agreement(const FormulaTopic& topic) {
  EXPECT_FALSE(topic.checks.empty());
  for (const FormulaCheck& check : topic.checks) {
    EXPECT_TRUE(check.agrees()) << topic.name << ": " << check.situation << ", " << check.formula
                                << ": " << check.expected << " but measured " << check.measured
                                << " ± " << check.half_width;
  }
}

TEST(Formulas, StopAndWaitAgrees) { expect_agreement(check_arq(1)); }
TEST(Formulas, RandomizedElectionAgrees) { expect_agreement(check_randomized_election(1)); }
TEST(Formulas, MajorityVotingAgrees) { expect_agreement(check_majority_voting(1)); }
TEST(Formulas, QueuesAgree) { expect_agreement(check_queue(1)); }

// The intervals are narrow enough to tell the exact formula from the Article's.
TEST(Formulas, TheMeasurementTellsTheExactFormulaFromItsShape) {
  for (const FormulaCheck& check : check_arq(1).checks) {
    EXPECT_EQ(std::abs(check.measured - check.expected) <= check.half_width,
              check.relation == FormulaCheck::Relation::equal)
        << check.situation << ", " << check.formula;
  }
}

}  // namespace
}  // namespace baton::sim
