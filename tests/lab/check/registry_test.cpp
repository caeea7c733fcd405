// Every algorithm of the registry is checked, and every wrong variant caught.
#include <string>
#include <vector>

#include "core/schedule.h"
#include "lab/check/catalog.h"
#include "lab/check/defaults.h"
#include "lab/check/printed.h"
#include "support/checked_instance.h"

namespace baton::check {
namespace {

constexpr std::uint64_t plenty = 1'500'000;

std::vector<const Entry*> entries(bool wrong) {
  std::vector<const Entry*> all;
  for (const Entry& entry : catalog()) {
    if (entry.info().is_wrong() == wrong && !entry.info().checked.empty()) {
      all.push_back(&entry);
    }
  }
  return all;
}

CheckOptions options_for(const Info& info) {
  CheckOptions options;
  options.explore.most_states = plenty;
  options.explore.memory = std::uint64_t{1} << 30;
  options.demands = default_demands(info);
  return options;
}

std::string told(const Report& report) {
  std::string text;
  for (const Finding& finding : report.findings) {
    text += finding.property + ": " + std::to_string(static_cast<int>(finding.verdict)) + " " +
            finding.what + "\n";
    for (const ScheduledStep& step : finding.steps) {
      text += "  " + std::string(name_of(step.kind)) + " " + std::to_string(step.node.value) + " " +
              step.message + "\n";
    }
  }
  return text;
}

class Right : public testing::TestWithParam<const Entry*> {};

// Two processes here, so that it takes seconds; three in docs/checked.md.
TEST_P(Right, KeepsAllThatItPromises) {
  const Checkable& subject = GetParam()->plain;
  const Report report = subject.check(subject.bounds(small_setup(2)), options_for(subject.info()));
  EXPECT_EQ(report.broken(), nullptr) << told(report);
  EXPECT_TRUE(report.is_exhausted()) << report.safety.distinct << " states";
  EXPECT_GT(report.safety.distinct, 1U);
}
INSTANTIATE_TEST_SUITE_P(Registry, Right, testing::ValuesIn(entries(false)), test::as_printed);

class Wrong : public testing::TestWithParam<const Entry*> {};

TEST_P(Wrong, IsCaughtAtThePromiseThatItBreaks) {
  const Checkable& subject = GetParam()->plain;
  const CheckedInstance& caught = subject.info().checked.front();
  Bounds bounds = subject.bounds(small_setup(test::number_after("-n", caught).value_or(3)));
  bounds.requests = test::number_after("--requests", caught).value_or(bounds.requests);
  const Report report = subject.check(bounds, options_for(subject.info()));
  ASSERT_NE(report.broken(), nullptr) << told(report) << report.safety.distinct << " states";
  EXPECT_FALSE(report.broken()->steps.empty());
}
INSTANTIATE_TEST_SUITE_P(Registry, Wrong, testing::ValuesIn(entries(true)), test::as_printed);

}  // namespace
}  // namespace baton::check
