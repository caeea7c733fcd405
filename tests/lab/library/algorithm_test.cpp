#include "lab/algorithm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "algorithms/election/bully.h"
#include "algorithms/election/chang_roberts.h"
#include "algorithms/mutex/majority_voting.h"
#include "algorithms/mutex/ricart_agrawala.h"
#include "algorithms/mutex/ricart_agrawala_wrong.h"
#include "lab/text.h"

namespace baton::lab {
namespace {

std::string refusal(const auto& action) {
  try {
    action();
  } catch (const Refused& refused) {
    return refused.what();
  }
  return "";
}

TEST(LabAlgorithm, RunsMeasuresAndChecksALock) {
  const Algorithm lock = algorithm<RicartAgrawala>();
  sim::Plan plan;
  plan.setup = lock.setup(4);
  Trace trace;
  const sim::Report report = lock.run(plan, &trace);
  EXPECT_EQ(report.entries, 4u);
  EXPECT_EQ(report.messages(), 4u * 6u);
  EXPECT_NE(diagram(trace).find("enters"), std::string::npos);
  EXPECT_NE(svg(trace).find("<svg"), std::string::npos);

  const auto measured = lock.measure(plan.setup);
  EXPECT_TRUE(std::all_of(measured.begin(), measured.end(),
                          [](const Measured& one) { return one.agrees; }));
  EXPECT_NE(text_of(measured).find("2(N-1)"), std::string::npos);

  const check::Report checked = lock.check(lock.bounds(2));
  EXPECT_EQ(checked.broken(), nullptr);
  EXPECT_TRUE(checked.is_exhausted());
}

TEST(LabAlgorithm, RunsMeasuresAndChecksAnElection) {
  const Algorithm election = algorithm<ChangRoberts>();
  sim::Plan plan;
  plan.setup = election.setup(4);
  const sim::Report report = election.run(plan);
  EXPECT_EQ(report.leaders, (std::vector<NodeId>{{3}, {3}, {3}, {3}}));
  EXPECT_NE(text_of(election.info(), plan, report).find("3 3 3 3"), std::string::npos);
  const auto measured = election.measure(plan.setup);
  EXPECT_FALSE(measured.empty());
  EXPECT_TRUE(std::all_of(measured.begin(), measured.end(),
                          [](const Measured& one) { return one.agrees; }));
  EXPECT_EQ(election.check(election.bounds(3)).broken(), nullptr);
}

TEST(LabAlgorithm, DrawsTheRunThatBreaksAPromise) {
  const Algorithm wrong = algorithm<WrongRicartAgrawalaNoTieBreak>();
  const check::Bounds bounds = wrong.bounds(2);
  const check::Report checked = wrong.check(bounds);
  const check::Finding* broken = checked.broken();
  ASSERT_NE(broken, nullptr);
  EXPECT_NE(diagram(wrong.trace_of(*broken, bounds)).find("wait"), std::string::npos);
}

TEST(LabAlgorithm, RefusesParametersWithItsOwnListAndTheNearestName) {
  const Algorithm lock = algorithm<MajorityVoting>();
  EXPECT_EQ(lock.setup(5, {{"votes", "4"}}).value(MajorityVoting::votes), 4);
  EXPECT_EQ(refusal([&] {
              lock.setup(5, {{"vots", "4"}});
            }),
            "majority-voting has no parameter --vots; did you mean --votes? It has --votes, --ask");
  EXPECT_EQ(refusal([&] {
              lock.setup(5, {{"colour", "4"}});
            }),
            "majority-voting has no parameter --colour. It has --votes, --ask");
  EXPECT_EQ(refusal([&] {
              lock.setup(5, {{"votes", "2"}});
            }),
            "a majority of 5 is 3 to 5 votes, not 2");
  EXPECT_EQ(refusal([&] { lock.bounds(7); }), "at most 6 processes can be checked, not 7");
  EXPECT_EQ(refusal([&] { lock.setup(1); }), "a group has at least 2 processes, not 1");
}

TEST(LabAlgorithm, RefusesAWorldThatBreaksItsAssumptions) {
  const Algorithm lock = algorithm<RicartAgrawala>();
  sim::Plan plan;
  plan.setup = lock.setup(3);
  plan.faults.loss = 0.1;
  EXPECT_NE(refusal([&] { lock.run(plan); }).find("no message is lost"), std::string::npos);
  EXPECT_EQ(lock.run(plan, nullptr, Layers::reliable).entries, 3u);
}

// An info() that contradicts the class, or itself.
struct OfAnotherKind : RicartAgrawala {
  using RicartAgrawala::RicartAgrawala;
  static const Info& info() {
    static const Info info{.name = "of-another-kind", .kind = Kind::election};
    return info;
  }
};
struct WithoutUsualValue : RicartAgrawala {
  using RicartAgrawala::RicartAgrawala;
  static constexpr Parameter pace{.name = "pace", .help = "how fast"};
  static const Info& info() {
    static const Info info{.name = "without-usual-value", .parameters = {&pace}};
    return info;
  }
};
struct WithASeed : RicartAgrawala {
  using RicartAgrawala::RicartAgrawala;
  static constexpr Parameter seed{.name = "seed", .help = "what", .usual = always<0>};
  static const Info& info() {
    static const Info info{.name = "with-a-seed", .parameters = {&seed}};
    return info;
  }
};

struct WithoutValues : Bully {
  using Bully::Bully;
  static const Info& info() {
    static const Info info{.name = "without-values",
                           .kind = Kind::election,
                           .election_costs = {{.situation = "everyone starts", .formula = "N"}}};
    return info;
  }
};

TEST(LabAlgorithm, AnInfoThatContradictsItselfIsAnError) {
  EXPECT_THROW(algorithm<WithoutValues>(), std::logic_error);
  EXPECT_THROW(algorithm<OfAnotherKind>(), std::logic_error);
  EXPECT_THROW(algorithm<WithoutUsualValue>(), std::logic_error);
  const char* const words[] = {"program", "help"};
  EXPECT_THROW(algorithm<WithASeed>().command_line(2, words), std::logic_error);
}

}  // namespace
}  // namespace baton::lab
