#include "algorithms/mutex/token_ring_bidirectional.h"

#include <gtest/gtest.h>

#include "common_checks.h"
#include "support/conversation.h"

namespace baton::test {
namespace {

constexpr std::uint32_t forwards = 0;
constexpr std::uint32_t backwards = 1;

// Chooses every direction itself, to make life hard.
class Adversary : public Chooser {
 public:
  std::uint32_t choose(std::uint32_t) override { return direction; }
  std::uint32_t direction = forwards;
};

TEST(TokenRingBidirectional, PassesTheTokenEitherWay) {
  const baton::Setup setup{.size = 5};
  Adversary adversary;
  TokenRingBidirectional::Out out(adversary);
  TokenRingBidirectional node({0}, setup);
  node.start(out);
  EXPECT_EQ(out.sends().at(0).to, NodeId{1});
  out.clear();
  adversary.direction = backwards;
  node.receive({1}, TokenRingBidirectional::Token{}, out);
  EXPECT_EQ(out.sends().at(0).to, NodeId{4});
}

// Two neighbours take turns and send the token back to each other, while process 2 waits.
TEST(TokenRingBidirectional, StarvesAThirdBetweenTwoThatTakeTurns) {
  const baton::Setup setup{.size = 3};
  Adversary adversary;
  TokenRingBidirectional::Out out(adversary);
  std::vector<TokenRingBidirectional> nodes;
  for (std::uint32_t i = 0; i < 3; ++i) nodes.emplace_back(NodeId{i}, setup, NodeId{0});
  nodes[2].request(out);
  for (std::uint32_t entry = 0; entry < 1000; ++entry) {
    const std::uint32_t leaving = entry % 2;
    const std::uint32_t entering = 1 - leaving;
    nodes[entering].request(out);
    adversary.direction = leaving == 0 ? forwards : backwards;
    nodes[leaving].release(out);
    ASSERT_EQ(out.sends().at(0).to, NodeId{entering});
    out.clear();
    nodes[entering].receive({leaving}, TokenRingBidirectional::Token{}, out);
    ASSERT_EQ(out.events().size(), 1U);
    out.clear();
  }
  EXPECT_EQ(nodes[2].state().mode, TokenRingBidirectional::Mode::wanted);
}

TEST(TokenRingBidirectional, ReachesAWaitingProcessAfterARandomWalk) {
  const std::uint32_t size = 7;
  for (std::uint32_t distance = 1; distance < size; ++distance) {
    double total = 0;
    const std::uint32_t walks = 4000;
    for (std::uint32_t seed = 0; seed < walks; ++seed) {
      Lockstep<TokenRingBidirectional> world({.size = size}, seed);
      // The walk starts with the token on its way, so process 0 lets it go first.
      const NodeId before{0};
      world.request(before);
      world.wait_until_inside(before);
      world.request({distance});
      world.release(before);
      total += static_cast<double>(world.wait_until_inside({distance}));
    }
    const double expected = distance * (size - distance);
    EXPECT_NEAR(total / walks, expected, 0.06 * expected) << "distance " << distance;
  }
}

TEST(TokenRingBidirectional, CostsWhatItStates) {
  for (std::uint32_t size = 2; size <= 20; ++size) {
    expect_costs_as_stated<TokenRingBidirectional>({.size = size});
  }
}

TEST(TokenRingBidirectional, ServesEveryoneUnderRandomSchedulesAndChoices) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    Conversation<TokenRingBidirectional> talk({.size = 2 + seed % 5});
    ASSERT_EQ(talk.play(seed, 3, false), 1U) << "seed " << seed;
  }
}

TEST(TokenRingBidirectional, StartsWithAProcessInside) {
  expect_start_with_each_process_inside<TokenRingBidirectional>({.size = 4}, false);
}

TEST(TokenRingBidirectional, AloneKeepsTheToken) {
  Conversation<TokenRingBidirectional> talk({.size = 1});
  talk.request(0);
  EXPECT_EQ(talk.inside().size(), 1U);
}

}  // namespace
}  // namespace baton::test
