// The lease protocol holds in every run with up to two faults, and each of its rules is needed.
#include "service/lease.h"

#include <gtest/gtest.h>

#include <string>

#include "check/catalog.h"

namespace baton::check {
namespace {

using service::LeaseRule;

Bounds default_instance() {
  Setup setup;
  setup.size = 3;
  return lease().bounds(setup);
}

Bounds instance(const Budgets& budgets, LeaseRule omitted = LeaseRule::none) {
  Bounds bounds = default_instance();
  bounds.budgets = budgets;
  bounds.lease_rule = omitted;
  return bounds;
}

Report search(const Bounds& bounds) {
  CheckOptions options;
  options.explore.threads = 2;
  return lease().check(bounds, options);
}

std::string what_is_wrong(const Report& report) {
  std::string all;
  for (const Finding& finding : report.findings) {
    if (finding.verdict == Finding::Verdict::holds) continue;
    all += finding.property + ": " + finding.what + "\n";
    for (const std::string& step : finding.told) all += "  " + step + "\n";
  }
  return all;
}

TEST(Lease, HoldsWithOneFaultOfEachKind) {
  const Budgets one{.crash = 1, .delay = 1, .pause = 1, .drift = 1, .cut = 1, .faults = 1};
  const Report report = search(instance(one));
  EXPECT_TRUE(report.is_exhausted());
  EXPECT_EQ(what_is_wrong(report), "");
  EXPECT_EQ(report.safety.distinct, 291'048U);
}

TEST(Lease, HoldsWithAnyTwoFaults) {
  const Bounds bounds = default_instance();
  EXPECT_EQ(bounds.budgets.faults, 2U);
  const Report report = search(bounds);
  EXPECT_TRUE(report.is_exhausted());
  EXPECT_EQ(what_is_wrong(report), "");
}

TEST(Lease, HoldsWhenClientsAskTwice) {
  Bounds bounds = instance({.crash = 1, .cut = 1, .faults = 1});
  bounds.requests = 2;
  const Report report = search(bounds);
  EXPECT_TRUE(report.is_exhausted());
  for (const Finding& finding : report.findings) {
    if (finding.verdict != Finding::Verdict::broken) continue;
    EXPECT_EQ(finding.what, "it never happens") << what_is_wrong(report);
  }
}

TEST(Lease, WithoutFaultsNothingIsLost) {
  const Report report = search(instance({.faults = 1}));
  EXPECT_TRUE(report.is_exhausted());
  for (const Finding& finding : report.findings) {
    if (finding.verdict != Finding::Verdict::broken) continue;
    EXPECT_EQ(finding.what, "it never happens") << finding.property;
  }
  EXPECT_EQ(report.findings.back().verdict, Finding::Verdict::broken);
}

struct Omitted {
  LeaseRule rule;
  Budgets budgets;  // what it takes to show
  const char* broken;
};
void PrintTo(const Omitted& omitted, std::ostream* to) { *to << name_of(omitted.rule); }

class LeaseWithout : public testing::TestWithParam<Omitted> {};

TEST_P(LeaseWithout, Fails) {
  const Report report = search(instance(GetParam().budgets, GetParam().rule));
  ASSERT_NE(report.broken(), nullptr);
  bool found = false;
  for (const Finding& finding : report.findings) {
    if (finding.property != GetParam().broken) continue;
    found = finding.verdict == Finding::Verdict::broken && !finding.told.empty();
  }
  EXPECT_TRUE(found) << what_is_wrong(report);
}

const Omitted omissions[] = {
    {LeaseRule::lease_from_send, {.delay = 1, .cut = 1}, "no end while the lease runs"},
    {LeaseRule::drift_margin, {.drift = 1, .cut = 1}, "nothing acknowledged is lost"},
    {LeaseRule::final_loss, {.delay = 1, .cut = 1}, "a loss is never taken back"},
    {LeaseRule::grant_under_lease, {.pause = 1}, "nothing acknowledged is lost"},
    {LeaseRule::newer_epoch_only, {.crash = 1, .delay = 1}, "one holder"},
    {LeaseRule::leases_anew, {.crash = 1, .cut = 1}, "no end while the lease runs"},
    {LeaseRule::durable_expiry_first, {.crash = 1, .cut = 1}, "an end is never taken back"},
    {LeaseRule::refuse_after_expiry, {.cut = 1}, "no end while the lease runs"},
    {LeaseRule::gap_extension, {.pause = 1}, "who keeps alive is not expired"},
    {LeaseRule::report_before_grant, {.crash = 1}, "one holder"},
    {LeaseRule::report_first, {.crash = 1, .delay = 1}, "nothing stays locked"},
    {LeaseRule::request_ids, {.delay = 1, .cut = 1}, "nothing stays locked"},
    {LeaseRule::durable_grants, {.crash = 1}, "nothing acknowledged is lost"},
    {LeaseRule::new_epoch, {.crash = 1, .delay = 1}, "one holder"},
    {LeaseRule::fence_reserve, {.crash = 1}, "fences never go back"},
    {LeaseRule::grant_after_expiry, {.crash = 1, .pause = 1}, "one holder"},
    {LeaseRule::unheard_answers, {.crash = 1, .delay = 1}, "one holder"},
};

INSTANTIATE_TEST_SUITE_P(Rules, LeaseWithout, testing::ValuesIn(omissions),
                         [](const auto& omitted) {
                           std::string name(name_of(omitted.param.rule));
                           std::erase(name, '-');
                           return name;
                         });

TEST(Lease, EveryRuleOfOneServerIsLeftOutOnce) {
  EXPECT_EQ(std::size(omissions) + 1, static_cast<std::size_t>(LeaseRule::leader_proof));
}

}  // namespace
}  // namespace baton::check
