#include "algorithms/election/randomized.h"

#include <gtest/gtest.h>

#include <cmath>

#include "algorithms/election/randomized_wrong.h"
#include "core/reflect.h"
#include "lab/sim/catalog.h"
#include "lab/sim/plan.h"
#include "support/election_conversation.h"

namespace baton::test {
namespace {

TEST(Randomized, DrawsAgainUntilTheHighestWasDrawnOnce) {
  ElectionConversation<Randomized> talk({.size = 3});
  // 1 draws 5; 0 and 2, when they hear of it, 5 and 3; then all again.
  talk.let_choose({5, 5, 3, 1, 9, 4});
  talk.elect(1);
  talk.deliver_all();
  EXPECT_EQ(talk.node(0).state().round.value, 2U);
  EXPECT_EQ(talk.messages_sent(), 2U * 3 * 2);
  const NodeId leader = talk.leaders()[0];
  EXPECT_NE(leader, nobody);
  EXPECT_EQ(talk.leaders(), std::vector<NodeId>(3, leader));
}

TEST(Randomized, TheChanceOfOneRoundIsTheFormula) {
  // Two processes and one bit: one draws 1 and the other 0, in two of four cases.
  EXPECT_DOUBLE_EQ(Randomized::chance_of_one_round(2, 1), 0.5);
  // Three and two bits: 3·(1² + 2² + 3²)/4³.
  EXPECT_DOUBLE_EQ(Randomized::chance_of_one_round(3, 2), 42.0 / 64);
  for (std::uint32_t size = 2; size <= 20; ++size) {
    for (std::uint32_t bits = 1; bits <= 12; ++bits) {
      const double pairs = size * (size - 1) / 2.0;
      EXPECT_GE(Randomized::chance_of_one_round(size, bits), 1 - pairs / std::exp2(bits));
    }
  }
}

// A process sends N-1 messages a round, so that the messages tell how many rounds there were.
TEST(Randomized, OneRoundIsEnoughAsOftenAsTheFormulaSays) {
  constexpr int runs = 20'000;
  for (const auto& [size, bits] :
       {std::pair{2U, 1U}, {3U, 2U}, {5U, 3U}, {8U, 4U}, {10U, 8U}, {4U, 1U}}) {
    int successes = 0;
    for (int seed = 0; seed < runs; ++seed) {
      sim::Plan plan;
      plan.setup.size = size;
      plan.setup.choose(Randomized::bits, bits);
      plan.seed = static_cast<std::uint64_t>(seed);
      plan.workload.kind = sim::Workload::Kind::everyone;
      const sim::Report report = sim::find("randomized")->run(plan, nullptr);
      ASSERT_EQ(report.messages() % (size * (size - 1)), 0U);
      successes += report.messages() == size * (size - 1) ? 1 : 0;
    }
    const double chance = Randomized::chance_of_one_round(size, bits);
    // Five standard deviations.
    const double slack = 5 * std::sqrt(chance * (1 - chance) / runs);
    EXPECT_NEAR(static_cast<double>(successes) / runs, chance, slack)
        << size << " processes, " << bits << " bits";
  }
}

// Rename everybody: whoever drew the highest leads all the same.
TEST(Randomized, IdentitiesAndNumbersDecideNothing) {
  for (std::uint32_t highest = 0; highest < 4; ++highest) {
    ElectionConversation<Randomized> talk({.size = 4, .identities = {7, 1, 9, 3}});
    std::vector<std::uint32_t> draws(4, 2);
    draws[highest] = 6;
    talk.let_choose(draws);
    for (std::uint32_t node = 0; node < 4; ++node) talk.elect(node);
    talk.deliver_all();
    EXPECT_EQ(talk.leaders(), std::vector<NodeId>(4, NodeId{highest}));
  }
}

TEST(WrongAnonymousDeterministic, AllLead) {
  ElectionConversation<WrongAnonymousDeterministic> talk({.size = 4});
  talk.elect(2);
  talk.deliver_all();
  EXPECT_EQ(talk.leaders(), (std::vector<NodeId>{{0}, {1}, {2}, {3}}));
}

// What a process remembers, with the others named as it sees them: by how far along they are.
Randomized::State as_seen_by(std::uint32_t self, Randomized::State state, std::uint32_t size) {
  const auto port = [&](NodeId node) {
    return node == nobody ? nobody : NodeId{(node.value + size - self) % size};
  };
  const auto rename = [&](Randomized::Tally& tally) {
    NodeSet renamed;
    tally.heard.for_each([&](NodeId node) { renamed.insert(port(node)); });
    tally.heard = renamed;
    tally.drawn_by = port(tally.drawn_by);
  };
  rename(state.now);
  rename(state.ahead);
  state.leader = port(state.leader);
  return state;
}

// The argument of the impossibility, played: if all do the same at the same time, then after each
// round of messages all are still in the same state. Only dice can tell them apart.
TEST(WrongAnonymousDeterministic, EqualProcessesStayEqualForEver) {
  constexpr std::uint32_t size = 5;
  const auto all_equal_after_one_round = [&](auto& talk) {
    for (std::uint32_t node = 0; node < size; ++node) talk.elect(node);
    talk.deliver_all();
    const auto first = as_seen_by(0, talk.node(0).state(), size);
    for (std::uint32_t node = 1; node < size; ++node) {
      if (!reflect::equal(as_seen_by(node, talk.node(node).state(), size), first)) return false;
    }
    return true;
  };
  ElectionConversation<WrongAnonymousDeterministic> equals({.size = size});
  for (int election = 0; election < 3; ++election) {
    EXPECT_TRUE(all_equal_after_one_round(equals));
  }
  ElectionConversation<Randomized> with_dice({.size = size});
  with_dice.let_choose({1, 2, 3, 4, 5});
  EXPECT_FALSE(all_equal_after_one_round(with_dice));
}

}  // namespace
}  // namespace baton::test
