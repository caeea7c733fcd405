// Holds every mutual-exclusion algorithm of the registry to what it says of itself. An algorithm
// that is added later is tested here without new test code.
#include <gtest/gtest.h>

#include <string>

#include "core/reflect.h"
#include "lab/sim/catalog.h"
#include "lab/sim/measure.h"
#include "support/explain.h"
#include "support/random_plan.h"
#include "support/registry.h"

namespace baton::test {
namespace {

using sim::Entry;
using sim::Plan;
using sim::Report;
using sim::Workload;

constexpr std::uint64_t seeds = 10'000;

class Algorithm : public testing::TestWithParam<const Entry*> {
 protected:
  const Info& info() const { return GetParam()->info(); }
  Report run(const Plan& plan) const { return GetParam()->run(plan, nullptr); }
};

TEST_P(Algorithm, CostsWhatTheorySays) {
  for (std::uint32_t size = 2; size <= 50; ++size) {
    for (const sim::Measurement& one : sim::measure(*GetParam(), default_setup(size), 1)) {
      EXPECT_TRUE(one.agrees()) << "N = " << size << ", " << sim::name_of(one.scenario) << ", "
                                << sim::name_of(one.metric) << ": measured " << one.value
                                << ", theory " << one.formula << " = " << one.expected->low
                                << " to " << one.expected->high;
    }
  }
}

TEST_P(Algorithm, KeepsItsPromisesUnderRandomSchedules) {
  // `make soak` goes on from here for as long as one likes.
  const std::uint64_t first = from_environment("BATON_FIRST_SEED", 0);
  const std::uint64_t count = from_environment("BATON_SEEDS", seeds);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Plan plan = random_plan(info(), seed);
    ASSERT_EQ(sim::objection(plan, info()), std::nullopt);
    const Report report = run(plan);
    const sim::Violation* broken = report.broken(info().promises);
    ASSERT_EQ(broken, nullptr) << explain(*GetParam(), sim::Layers::none, plan, *broken);
    if (info().promises.has(Promise::deadlock_freedom)) {
      ASSERT_EQ(report.entries, report.requests) << "seed " << seed;
      ASSERT_GT(report.entries, 0U) << "seed " << seed;
    }
  }
}

// Long enough for the starvation oracle to speak, which a few entries per process are not.
TEST_P(Algorithm, LetsNobodyStarveWhereItPromisesSo) {
  if (!info().promises.has(Promise::starvation_freedom)) return;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Plan plan = random_plan(info(), seed);
    if (plan.delay.kind == sim::Delay::Kind::heavy) plan.delay.kind = sim::Delay::Kind::exponential;
    plan.critical_section = 3 * message_time;
    plan.workload.kind = Workload::Kind::saturated;
    plan.workload.entries = 1000 + 100 * plan.setup.size;
    plan.starvation_bound = 100 + 20 * plan.setup.size;
    const Report report = run(plan);
    const sim::Violation* broken = report.broken(info().promises);
    ASSERT_EQ(broken, nullptr) << explain(*GetParam(), sim::Layers::none, plan, *broken);
    ASSERT_EQ(report.entries, plan.workload.entries) << "seed " << seed;
  }
}

TEST_P(Algorithm, BeginsRightlyWithAnyProcessInside) {
  for (std::uint32_t size = 2; size <= 6; ++size) {
    for (std::uint32_t inside = 0; inside < size; ++inside) {
      for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Plan plan = random_plan(info(), seed);
        Tree tree = plan.setup.tree;
        plan.setup = default_setup(size);
        plan.setup.tree = tree;
        plan.inside = {inside};
        plan.workload = {.kind = Workload::Kind::everyone};
        const Report report = run(plan);
        const sim::Violation* broken = report.broken(info().promises);
        ASSERT_EQ(broken, nullptr)
            << size << " processes, " << inside << " inside, seed " << seed << ": " << broken->what;
        if (info().promises.has(Promise::deadlock_freedom)) {
          // The one inside asks too, as soon as it is out.
          ASSERT_EQ(report.entries, size) << inside << " inside, seed " << seed;
        }
      }
    }
  }
}

TEST_P(Algorithm, DoesTheSameAgainWithTheSameSeed) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Plan plan = random_plan(info(), seed);
    Trace first;
    Trace second;
    GetParam()->run(plan, &first);
    GetParam()->run(plan, &second);
    ASSERT_EQ(first.events.size(), second.events.size());
    for (std::size_t i = 0; i < first.events.size(); ++i) {
      ASSERT_EQ(first.events[i].at, second.events[i].at);
      ASSERT_EQ(first.events[i].body, second.events[i].body);
      ASSERT_EQ(first.events[i].vector, second.events[i].vector);
    }
  }
}

TEST_P(Algorithm, SaysWhoPublishedItAndWhatItCosts) {
  EXPECT_FALSE(info().title.empty());
  EXPECT_FALSE(info().publication.empty());
  EXPECT_FALSE(info().idea.empty());
  EXPECT_FALSE(info().problem.empty());
  EXPECT_FALSE(info().costs.empty());
  EXPECT_TRUE(info().promises.has(Promise::safety));
}

INSTANTIATE_TEST_SUITE_P(Registry, Algorithm,
                         testing::ValuesIn(entries(Kind::mutual_exclusion, false)), as_printed);

class WrongVariant : public Algorithm {};

TEST_P(WrongVariant, IsCaught) {
  for (const Flaw& flaw : info().flaws) {
    ASSERT_TRUE(info().promises.has(flaw.breaks)) << "a wrong variant claims what it breaks";
    bool caught = false;
    for (std::uint64_t seed = 0; seed < seeds && !caught; ++seed) {
      Plan plan = random_plan(info(), seed, flaw.needs_broken);
      if (flaw.breaks == Promise::starvation_freedom) {
        plan.workload.kind = Workload::Kind::saturated;
        plan.workload.entries = 1000 * plan.setup.size;
      }
      caught = run(plan).violated(flaw.breaks) != nullptr;
    }
    EXPECT_TRUE(caught) << sim::name_of(flaw.breaks) << " was never broken: " << flaw.why;
  }
}

TEST_P(WrongVariant, SaysWhy) { EXPECT_FALSE(info().flaws.front().why.empty()); }

INSTANTIATE_TEST_SUITE_P(Registry, WrongVariant,
                         testing::ValuesIn(entries(Kind::mutual_exclusion, true)), as_printed);

// Two claims about worlds that the algorithms do not assume: without FIFO, the textbook Maekawa
// loses nothing and the repaired one at most its progress.
TEST(WithoutFifo, VotingIsStillSafe) {
  for (const char* name : {"maekawa", "maekawa-sanders"}) {
    const Entry& entry = *sim::find(name);
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      Plan plan = random_plan(entry.info(), seed, {Assumption::fifo});
      plan.faults.reordering = true;
      ASSERT_EQ(entry.run(plan, nullptr).violated(Promise::safety), nullptr)
          << name << ", seed " << seed;
    }
  }
}

TEST(Registry, NamesAreUnique) {
  for (const Entry& entry : sim::catalog()) {
    EXPECT_EQ(sim::find(entry.info().name), &entry) << entry.info().name;
  }
}

TEST(Registry, HasTheThirteenOfTheField) {
  for (const char* name :
       {"central", "bakery-messages", "lamport", "ricart-agrawala", "carvalho-roucairol",
        "token-ring", "permission-ring", "suzuki-kasami", "raymond", "naimi-trehel", "maekawa",
        "maekawa-sanders", "majority-voting"}) {
    EXPECT_NE(sim::find(name), nullptr) << name;
  }
}

}  // namespace
}  // namespace baton::test
