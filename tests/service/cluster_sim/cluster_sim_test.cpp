// Thousands of worlds, each from its seed, and the same worlds with a rule left out.
//
//   BATON_FIRST_SEED, BATON_SEEDS   other worlds than the usual ones, and how many
//
// What it is known to catch within 3,000 worlds besides the flaws below, each tried by breaking the
// code in this way: a successor that does not wait for what its predecessor may have promised, or
// that gives the sessions no time; fences, or places in line, that do not begin above the
// predecessor's reserve; keepalives answered without a proof; a leader that is sure of itself
// without any; a session kept alive while its end is under way; requests taken after the Farewell;
// a crash taken for a clean end; early grants beyond the durable reserve, or while an end is not
// durable; an append that does not look for the record before it; a snapshot named after one record
// more or less; records removed before the snapshot is there; a snapshot published in the place of
// a later one; records loaded at another revision than the snapshot.
//
// What it does not catch: an append that does not look whether its place is free; reads without a
// proof; a server whose own pause counts against its clients; early grants of a leader that is not
// sure; a server that leaves before its Farewell is durable, which its successor takes for a crash.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "service/cluster_sim/world.h"
#include "support/seeds.h"
#include "support/test_name.h"

namespace baton::cluster_sim {
namespace {

using service::LeaseRule;
using test::from_environment;

// The same again, with a trace.
std::string explain(std::uint64_t seed, const std::string& problem) {
  World world(seed, {.is_traced = true});
  const std::string again = world.run();
  return "seed " + std::to_string(seed) + ": " + problem + "\n" +
         (again == problem ? "" : "the second time it was another problem: " + again + "\n") +
         world.trace() + "to repeat it: BATON_FIRST_SEED=" + std::to_string(seed) +
         " BATON_SEEDS=1 cluster_sim_test";
}

TEST(ClusterSim, EveryWorldKeepsWhatWasPromised) {
  const std::uint64_t first = from_environment("BATON_FIRST_SEED", 1);
  const std::uint64_t count = from_environment("BATON_SEEDS", 1500);
  Counts all;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    World world(seed, {});
    const std::string problem = world.run();
    ASSERT_TRUE(problem.empty()) << explain(seed, problem);
    all += world.counts();
  }
  if (count < 1000) return;
  // They are worth nothing if nothing happens in them.
  EXPECT_GT(all.entries, 10 * count);
  EXPECT_GT(all.counted, 10 * count);
  EXPECT_GT(all.endings, count / 10);
  EXPECT_GT(all.leaderships, 2 * count);
  EXPECT_GT(all.snapshots, 2 * count);
}

TEST(ClusterSim, ASeedIsAWorld) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    World one(seed, {.is_traced = true});
    World other(seed, {.is_traced = true});
    EXPECT_EQ(one.run(), other.run());
    EXPECT_EQ(one.trace(), other.trace());
  }
}

struct Mutant {
  std::string name;
  WorldOptions options;
};
void PrintTo(const Mutant& mutant, std::ostream* to) { *to << mutant.name; }

class ClusterSimWithout : public testing::TestWithParam<Mutant> {};

// What is found depends on the rule; that something is found shows that the rule is needed, and
// that these worlds can tell. Only those are here that are found soon.
TEST_P(ClusterSimWithout, SomethingGoesWrong) {
  constexpr std::uint64_t most_seeds = 1000;
  for (std::uint64_t seed = 1; seed <= most_seeds; ++seed) {
    World world(seed, GetParam().options);
    const std::string problem = world.run();
    if (problem.empty()) continue;
    RecordProperty("seed", std::to_string(seed));
    RecordProperty("problem", problem);
    return;
  }
  FAIL() << "nothing went wrong in " << most_seeds << " worlds";
}

INSTANTIATE_TEST_SUITE_P(
    , ClusterSimWithout,
    testing::Values(Mutant{"ForgettingWhatWasNotWritten", {.flaw = Flaw::no_forgetting}},
                    Mutant{"ComparingTheLeader", {.flaw = Flaw::leader_not_compared}},
                    Mutant{"ComparingTheRecordBefore", {.flaw = Flaw::order_not_compared}},
                    Mutant{"OneRevisionToLoad", {.flaw = Flaw::mixed_revisions}},
                    Mutant{"GrantsUnderALease",
                           {.omitted_by_clients = LeaseRule::grant_under_lease}}),
    test::as_printed);

}  // namespace
}  // namespace baton::cluster_sim
