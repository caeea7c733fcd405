// The lease protocol holds in every run with up to two faults, and in every run with a takeover and
// one fault besides, and each of its rules is needed.
#include "service/lease/lease.h"

#include <gtest/gtest.h>

#include <string>

#include "lab/check/catalog.h"
#include "lab/check/lease_rules.h"
#include "support/test_name.h"

namespace baton::check {
namespace {

using service::LeaseRule;

Bounds default_instance() {
  Setup setup;
  setup.size = 3;
  return lease().bounds(setup);
}

Bounds instance(const Budgets& budgets) {
  Bounds bounds = default_instance();
  bounds.budgets = budgets;
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

// That takes a minute: `make checked` does it.
TEST(Lease, AnyTwoFaultsAreTheDefault) { EXPECT_EQ(default_instance().budgets.faults, 2U); }

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

// --- Two servers --------------------------------------------------------------------------------

Report search_takeover(const Bounds& bounds) {
  CheckOptions options;
  options.explore.threads = 2;
  return lease_takeover().check(bounds, options);
}

Bounds takeover_instance(const Budgets& budgets) {
  Bounds bounds = lease_takeover().bounds({});
  bounds.budgets = budgets;
  return bounds;
}

std::string what_goes_wrong(const Report& report) {
  std::string all;
  for (const Finding& finding : report.findings) {
    if (finding.verdict == Finding::Verdict::holds || finding.what == "it never happens") continue;
    all += finding.property + ": " + finding.what + "\n";
    for (const std::string& step : finding.told) all += "  " + step + "\n";
  }
  return all;
}

TEST(LeaseTakeover, HoldsWithoutFaults) {
  const Report report = search_takeover(takeover_instance({.takeover = 1, .faults = 1}));
  EXPECT_TRUE(report.is_exhausted());
  EXPECT_EQ(what_goes_wrong(report), "");
  EXPECT_EQ(report.safety.distinct, 466'967U);
}

// Every run of the default instance, which allows one fault, is a run of one of these.
struct Fault {
  const char* name;
  Budgets budgets;
};
void PrintTo(const Fault& fault, std::ostream* to) { *to << fault.name; }

class LeaseTakeoverAnd : public testing::TestWithParam<Fault> {};

TEST_P(LeaseTakeoverAnd, Holds) {
  const Report report = search_takeover(takeover_instance(GetParam().budgets));
  EXPECT_TRUE(report.is_exhausted());
  EXPECT_EQ(what_goes_wrong(report), "");
}

const Fault faults[] = {
    {"Crash", {.crash = 1, .takeover = 1, .faults = 1}},
    {"Delay", {.delay = 1, .takeover = 1, .faults = 1}},
    {"Pause", {.pause = 1, .takeover = 1, .faults = 1}},
    {"Drift", {.drift = 1, .takeover = 1, .faults = 1}},
    {"Cut", {.cut = 1, .takeover = 1, .faults = 1}},
};

INSTANTIATE_TEST_SUITE_P(Faults, LeaseTakeoverAnd, testing::ValuesIn(faults), test::as_printed);

TEST(LeaseTakeover, AFaultOfEachKindIsTheDefault) {
  Budgets all{.faults = 1};
  for (const Fault& fault : faults) {
    all.crash += fault.budgets.crash;
    all.delay += fault.budgets.delay;
    all.pause += fault.budgets.pause;
    all.drift += fault.budgets.drift;
    all.cut += fault.budgets.cut;
    all.takeover = fault.budgets.takeover;
  }
  EXPECT_EQ(lease_takeover().bounds({}).budgets, all);
}

TEST(LeaseTakeover, LeasesHoldWithAnyTwoFaults) {
  Bounds bounds = takeover_instance(
      {.crash = 1, .delay = 1, .pause = 1, .drift = 1, .cut = 2, .takeover = 1, .faults = 2});
  bounds.requests = 0;
  const Report report = search_takeover(bounds);
  EXPECT_TRUE(report.is_exhausted());
  EXPECT_EQ(what_goes_wrong(report), "");
}

// --- Without a rule -----------------------------------------------------------------------------

struct Omitted {
  LeaseRule rule;
  const char* broken;
};
void PrintTo(const Omitted& omitted, std::ostream* to) { *to << name_of(omitted.rule); }

class LeaseWithout : public testing::TestWithParam<Omitted> {};

TEST_P(LeaseWithout, Fails) {
  const Bounds bounds = lease_bounds_without(GetParam().rule, {});
  EXPECT_EQ(bounds.lease_rule, GetParam().rule);
  CheckOptions options;
  options.explore.threads = 2;
  const Report report = lease_without(GetParam().rule).check(bounds, options);
  ASSERT_NE(report.broken(), nullptr);
  bool found = false;
  for (const Finding& finding : report.findings) {
    if (finding.property != GetParam().broken) continue;
    found = finding.verdict == Finding::Verdict::broken && !finding.told.empty();
  }
  EXPECT_TRUE(found) << what_goes_wrong(report);
}

const Omitted omissions[] = {
    {LeaseRule::lease_from_send, "no end while the lease runs"},
    {LeaseRule::drift_margin, "nothing acknowledged is lost"},
    {LeaseRule::final_loss, "a loss is never taken back"},
    {LeaseRule::grant_under_lease, "nothing acknowledged is lost"},
    {LeaseRule::newer_epoch_only, "one holder"},
    {LeaseRule::leases_anew, "no end while the lease runs"},
    {LeaseRule::durable_expiry_first, "an end is never taken back"},
    {LeaseRule::refuse_after_expiry, "no end while the lease runs"},
    {LeaseRule::gap_extension, "who keeps alive is not expired"},
    {LeaseRule::report_before_grant, "one holder"},
    {LeaseRule::report_first, "nothing stays locked"},
    {LeaseRule::request_ids, "nothing stays locked"},
    {LeaseRule::durable_grants, "nothing acknowledged is lost"},
    {LeaseRule::new_epoch, "one holder"},
    {LeaseRule::fence_reserve, "fences never go back"},
    {LeaseRule::grant_after_expiry, "one holder"},
    {LeaseRule::unheard_answers, "one holder"},
    {LeaseRule::leader_proof, "no end while the lease runs"},
    {LeaseRule::proof_from_send, "no end while the lease runs"},
    {LeaseRule::early_takeover_wait, "no end while the lease runs"},
    {LeaseRule::leases_only_grow, "no end while the lease runs"},
    {LeaseRule::append_compares, "nothing acknowledged is lost"},
    {LeaseRule::read_up_to_key, "nothing acknowledged is lost"},
    {LeaseRule::farewell_last, "one holder"},
};

INSTANTIATE_TEST_SUITE_P(Rules, LeaseWithout, testing::ValuesIn(omissions),
                         [](const auto& omitted) {
                           std::string name(name_of(omitted.param.rule));
                           std::erase(name, '-');
                           return name;
                         });

TEST(Lease, EveryRuleIsLeftOutOnce) { EXPECT_EQ(std::size(omissions) + 1, service::lease_rules); }

}  // namespace
}  // namespace baton::check
