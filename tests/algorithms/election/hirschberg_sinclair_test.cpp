#include "algorithms/election/hirschberg_sinclair.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "support/election_conversation.h"

namespace baton::test {
namespace {

using Talk = ElectionConversation<HirschbergSinclair>;

TEST(HirschbergSinclair, TwoProcesses) {
  Talk talk({.size = 2});
  talk.elect(1);
  talk.deliver_all();
  EXPECT_EQ(talk.take_log(),
            "1 holds an election\n"
            "1 -> 0 Probe(1 0 0 1)\n"
            "1 -> 0 Probe(1 1 0 1)\n"
            "0 -> 1 Reply(1 0 0)\n"
            "0 -> 1 Reply(1 1 0)\n"
            "1 -> 0 Probe(1 0 1 1)\n"
            "1 -> 0 Probe(1 1 1 1)\n"
            "0 -> 1 Probe(1 0 1 2)\n"
            "0 -> 1 Probe(1 1 1 2)\n"
            "1 -> 0 Leader(1)\n"
            "1 takes 1 for the leader\n"
            "0 -> 1 Leader(1)\n"
            "0 takes 1 for the leader\n");
}

// Probes and replies when all start, over all arrangements of the identities, the winner's two
// probes all the way round included and the announcement not.
TEST(HirschbergSinclair, MostOverAllArrangements) {
  constexpr std::array<std::size_t, 8> most_for{0, 0, 10, 23, 32, 55, 68, 78};
  for (std::uint32_t size = 2; size <= 7; ++size) {
    std::vector<std::uint32_t> identities(size);
    std::iota(identities.begin(), identities.end(), 0U);
    std::size_t most = 0;
    do {
      Talk talk({.size = size, .identities = identities});
      for (std::uint32_t node = 0; node < size; ++node) talk.elect(node);
      talk.deliver_all();
      most = std::max(most, talk.messages_sent() - size);
      const auto highest = std::max_element(identities.begin(), identities.end());
      const NodeId leader{static_cast<std::uint32_t>(highest - identities.begin())};
      ASSERT_EQ(talk.leaders(), std::vector<NodeId>(size, leader));
    } while (std::next_permutation(identities.begin(), identities.end()));
    EXPECT_EQ(most, most_for[size]) << size;
  }
}

class NoChoice : public Chooser {
 public:
  std::uint32_t choose(std::uint32_t) override { return 0; }
};

TEST(HirschbergSinclair, CopiesOfAReplyStandForNoOther) {
  using Way = HirschbergSinclair::Way;
  const baton::Setup setup{.size = 8};
  NoChoice chooser;
  HirschbergSinclair::Out out(chooser);
  HirschbergSinclair highest(NodeId{7}, setup);
  highest.elect(out);
  const HirschbergSinclair::Reply from_front{{7}, Way::forward, 0};
  const HirschbergSinclair::Reply from_behind{{7}, Way::backward, 0};
  highest.receive({0}, from_front, out);
  highest.receive({0}, from_front, out);
  EXPECT_EQ(highest.state().phase, 0U);
  highest.receive({6}, from_behind, out);
  EXPECT_EQ(highest.state().phase, 1U);
  highest.receive({0}, from_front, out);
  highest.receive({6}, from_behind, out);
  EXPECT_EQ(highest.state().phase, 1U);
}

TEST(HirschbergSinclair, AnyOneMayStart) {
  for (std::uint32_t size = 2; size <= 20; ++size) {
    for (std::uint32_t first = 0; first < size; ++first) {
      Talk talk({.size = size});
      talk.elect(first);
      talk.deliver_all();
      EXPECT_EQ(talk.leaders(), std::vector<NodeId>(size, NodeId{size - 1}));
    }
  }
}

}  // namespace
}  // namespace baton::test
