#include "algorithms/observe/deferral.h"

#include <gtest/gtest.h>

#include "lab/sim/catalog.h"
#include "lab/sim/plan.h"

namespace baton::test {
namespace {

using sim::Plan;
using sim::Report;
using sim::Workload;

static_assert(MutexProtocol<DeferralLamport> && MutexProtocol<DeferralVector>);

// Process 0 begins an election when the run begins; `who` asks for the lock.
Report run(const char* name, NodeId who, Ticks at, Trace* trace = nullptr) {
  Plan plan;
  plan.setup = default_setup(3);
  plan.workload = {.kind = Workload::Kind::one, .at = at, .first = who};
  return sim::find(name)->run(plan, trace);
}

// The Lamport times that process 2 reads in the first ELECTION and the first REQUEST that it gets.
std::pair<std::string, std::string> read_by_2(const Trace& trace) {
  std::pair<std::string, std::string> read;
  for (const TraceEvent& event : trace.events) {
    if (event.kind != TraceKind::receive || event.node != NodeId{2}) continue;
    if (event.name == "Election" && read.first.empty()) read.first = event.body;
    if (event.name == "Request" && read.second.empty()) read.second = event.body;
  }
  return read;
}

TEST(Deferral, TheScenarioIsThatOfTheArticle) {
  for (const char* name : {"deferral-lamport", "deferral-vector"}) {
    Trace trace;
    run(name, {1}, {0}, &trace);
    const auto [election, request] = read_by_2(trace);
    EXPECT_EQ(election, "((8 [8 0 0]))");
    EXPECT_EQ(request, "(<10,1> (10 [0 10 0]))") << "concurrent with the election";
  }
}

TEST(Deferral, LamportTimeDefersNeedlessly) {
  // The reply waits for the end of the election, which arrives at 6.
  EXPECT_EQ(run("deferral-lamport", {1}, {0}).waiting.mean(), 7);
  EXPECT_EQ(run("deferral-vector", {1}, {0}).waiting.mean(), 2);
}

TEST(Deferral, BothDeferWhatComesAfterTheElection) {
  // By the time 2 process 1 knows of the election: its request happens after.
  EXPECT_EQ(run("deferral-lamport", {1}, 2 * message_time).waiting.mean(), 5);
  EXPECT_EQ(run("deferral-vector", {1}, 2 * message_time).waiting.mean(), 5);
  // So does any request of the process that began the election.
  EXPECT_EQ(run("deferral-lamport", {0}, {0}).waiting.mean(), 7);
  EXPECT_EQ(run("deferral-vector", {0}, {0}).waiting.mean(), 7);
}

TEST(Deferral, BothAnswerAtOnceWhenNoElectionRuns) {
  EXPECT_EQ(run("deferral-lamport", {1}, 20 * message_time).waiting.mean(), 2);
  EXPECT_EQ(run("deferral-vector", {1}, 20 * message_time).waiting.mean(), 2);
}

TEST(Deferral, SafetyDoesNotDependOnTheClock) {
  for (const char* name : {"deferral-lamport", "deferral-vector"}) {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
      Plan plan;
      plan.seed = seed;
      plan.setup = default_setup(static_cast<std::uint32_t>(2 + seed % 5));
      plan.delay.kind = sim::Delay::Kind::exponential;
      plan.workload = {.kind = Workload::Kind::saturated, .entries = 30};
      const Report report = sim::find(name)->run(plan, nullptr);
      EXPECT_TRUE(report.violations.empty() || report.violations.front().promise == Promise::order)
          << report.violations.front().what;
      EXPECT_EQ(report.entries, 30U);
    }
  }
}

}  // namespace
}  // namespace baton::test
