// Holds every observer of the registry to what it says of itself. One that is added later is tested
// here without new test code.
#include <gtest/gtest.h>

#include <string>

#include "algorithms/observe/cut.h"
#include "lab/sim/catalog.h"
#include "support/explain.h"
#include "support/random_plan.h"
#include "support/registry.h"

namespace baton::test {
namespace {

using sim::Entry;
using sim::Plan;
using sim::Report;

constexpr std::uint64_t seeds = 10'000;

// The workloads of locks, beginning at any time of what is observed.
Plan random_observation(const Info& info, std::uint64_t seed, Assumptions broken = {}) {
  Plan plan = random_plan(info, seed, broken);
  sim::Random random(seed, 98);
  if (random.chance(0.3)) plan.workload.kind = sim::Workload::Kind::one;
  plan.workload.at = {static_cast<std::int64_t>(random.below(12'000'000))};
  plan.workload.entries = plan.setup.size;
  if (broken.has(Assumption::fifo)) plan.faults.reordering = true;
  return plan;
}

bool takes_snapshots(const Info& info) { return info.promises.has(Promise::consistency); }

class ObservationAlgorithm : public testing::TestWithParam<const Entry*> {
 protected:
  const Info& info() const { return GetParam()->info(); }
  Report run(const Plan& plan, Trace* trace = nullptr) const {
    return GetParam()->run(plan, trace);
  }
};

TEST_P(ObservationAlgorithm, KeepsItsPromisesUnderRandomSchedules) {
  const std::uint64_t first = from_environment("BATON_FIRST_SEED", 0);
  const std::uint64_t count = from_environment("BATON_SEEDS", seeds);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Plan plan = random_observation(info(), seed);
    ASSERT_EQ(sim::objection(plan, info()), std::nullopt);
    const Report report = run(plan);
    const sim::Violation* broken = report.broken(info().promises);
    ASSERT_EQ(broken, nullptr) << explain(*GetParam(), sim::Layers::none, plan, *broken);
    if (info().promises.has(Promise::detection)) {
      ASSERT_FALSE(report.announcements.empty()) << "seed " << seed;
    } else {
      ASSERT_GT(report.entries, 0U) << "seed " << seed;
      ASSERT_EQ(report.entries, report.requests) << "seed " << seed;
    }
  }
}

// The oracle of the simulator sees no trace, and the judge of traces no simulator.
TEST_P(ObservationAlgorithm, RecordsCutsThatAreConsistentByEveryDefinition) {
  if (!takes_snapshots(info())) return;
  std::size_t judged = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Trace trace;
    const Report report = run(random_observation(info(), seed), &trace);
    std::vector<std::string> names;
    for (const TraceEvent& event : trace.events) {
      if (event.kind != TraceKind::record) continue;
      if (std::find(names.begin(), names.end(), event.name) == names.end()) {
        names.push_back(event.name);
      }
    }
    for (const std::string& name : names) {
      const auto cut = cut_of(trace, name);
      ASSERT_TRUE(cut.has_value()) << name << ", seed " << seed;
      const CutJudgement judgement = judge(trace, *cut);
      ASSERT_TRUE(judgement.is_consistent())
          << name << ", seed " << seed << ": " << in_words(trace, judgement);
      ASSERT_TRUE(is_consistent_by_vector_time(trace, *cut)) << name << ", seed " << seed;
      ++judged;
    }
  }
  EXPECT_GT(judged, 300U);
}

TEST_P(ObservationAlgorithm, DoesTheSameAgainWithTheSameSeed) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Plan plan = random_observation(info(), seed);
    Trace first;
    Trace second;
    run(plan, &first);
    run(plan, &second);
    ASSERT_EQ(first, second) << "seed " << seed;
  }
}

TEST_P(ObservationAlgorithm, SaysWhatItIs) {
  EXPECT_FALSE(info().title.empty());
  EXPECT_FALSE(info().publication.empty());
  EXPECT_FALSE(info().idea.empty());
  EXPECT_FALSE(info().problem.empty());
  EXPECT_FALSE(info().promises.empty());
}

INSTANTIATE_TEST_SUITE_P(Registry, ObservationAlgorithm,
                         testing::ValuesIn(entries(Kind::observation, false)), as_printed);

class WrongObservation : public ObservationAlgorithm {};

TEST_P(WrongObservation, IsCaught) {
  for (const Flaw& flaw : info().flaws) {
    ASSERT_TRUE(info().promises.has(flaw.breaks)) << "a wrong variant claims what it breaks";
    bool caught = false;
    for (std::uint64_t seed = 0; seed < seeds && !caught; ++seed) {
      const Plan plan = random_observation(info(), seed, flaw.needs_broken);
      caught = run(plan).violated(flaw.breaks) != nullptr;
    }
    EXPECT_TRUE(caught) << sim::name_of(flaw.breaks) << " was never broken: " << flaw.why;
  }
}

TEST_P(WrongObservation, SaysWhy) { EXPECT_FALSE(info().flaws.front().why.empty()); }

INSTANTIATE_TEST_SUITE_P(Registry, WrongObservation,
                         testing::ValuesIn(entries(Kind::observation, true)), as_printed);

}  // namespace
}  // namespace baton::test
