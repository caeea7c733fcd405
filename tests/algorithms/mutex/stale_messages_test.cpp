// Messages that cannot arrive where the assumptions hold, but do where a test, a fault or a layer
// above breaks them. A process must see by what they say that they do not concern it.
#include <gtest/gtest.h>

#include "algorithms/mutex/central.h"
#include "algorithms/mutex/maekawa_sanders.h"
#include "core/setup.h"

namespace baton::test {
namespace {

class Undecided : private Chooser {
 public:
  Chooser& chooser() { return *this; }

 private:
  std::uint32_t choose(std::uint32_t) override { return 0; }
};

TEST(StaleMessages, ACoordinatorHeedsTheReleaseOfTheHolderOnly) {
  Undecided undecided;
  Central::Out out(undecided.chooser());
  const baton::Setup setup = default_setup(3);
  Central coordinator({0}, setup, NodeId{1});
  coordinator.receive({2}, Central::Released{}, out);
  EXPECT_EQ(coordinator.state().coordination->holder, NodeId{1});
  coordinator.receive({1}, Central::Released{}, out);
  EXPECT_EQ(coordinator.state().coordination->holder, nobody);
}

class Voter : public testing::Test {
 protected:
  Undecided undecided;
  MaekawaSanders::Out out{undecided.chooser()};
  baton::Setup setup = default_setup(3);
  MaekawaSanders node{{0}, setup};
  Timestamp first{{1}, {1}};
  Timestamp second{{2}, {2}};
  Timestamp old{{0}, {1}};
};

TEST_F(Voter, TakesItsVoteBackOnlyFromTheRequestItVotedFor) {
  node.receive({1}, MaekawaSanders::Request{first}, out);
  node.receive({2}, MaekawaSanders::Request{second}, out);
  node.receive({1}, MaekawaSanders::Release{old}, out);
  EXPECT_EQ(node.state().voted_for, first);
  node.receive({1}, MaekawaSanders::Yield{old}, out);
  EXPECT_EQ(node.state().voted_for, first);
  node.receive({1}, MaekawaSanders::Release{first}, out);
  EXPECT_EQ(node.state().voted_for, second);
}

TEST_F(Voter, AVoteForAnEarlierRequestIsNoVoteForThisOne) {
  node.request(out);
  const Timestamp mine = node.state().mine;
  NodeId other = nobody;
  for (const NodeId voter : setup.voting->of({0})) {
    if (voter != NodeId{0}) other = voter;
  }
  node.receive(other, MaekawaSanders::Grant{{{0}, {0}}, {0}}, out);
  EXPECT_EQ(node.state().votes_granted, 0U);
  node.receive(other, MaekawaSanders::Grant{mine, {0}}, out);
  EXPECT_EQ(node.state().votes_granted, 1U);
}

}  // namespace
}  // namespace baton::test
