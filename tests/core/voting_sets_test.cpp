#include "core/voting_sets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "core/difference_sets.h"

namespace baton::test {
namespace {

using Sets = std::vector<std::vector<std::uint32_t>>;

Sets all_sets(const VotingSets& voting, std::uint32_t size) {
  Sets sets(size);
  for (std::uint32_t i = 0; i < size; ++i) {
    for (const NodeId voter : voting.of({i})) sets[i].push_back(voter.value);
  }
  return sets;
}

// Everything that Maekawa asks of voting sets, in the order of Cardellini's list.
void expect_sound(const VotingSets& voting, std::uint32_t size) {
  SCOPED_TRACE("N=" + std::to_string(size) + ", " + voting.describe());
  const Sets sets = all_sets(voting, size);
  std::vector<std::uint32_t> load(size);
  for (std::uint32_t i = 0; i < size; ++i) {
    ASSERT_EQ(sets[i].size(), voting.set_size());
    std::uint32_t previous = 0;
    for (std::uint32_t place = 0; place < sets[i].size(); ++place) {
      const std::uint32_t voter = sets[i][place];
      ASSERT_LT(voter, size);
      if (place > 0) {
        ASSERT_LT(previous, voter) << "ascending";
      }
      ASSERT_EQ(voting.place({i}, {voter}), place);
      previous = voter;
      ++load[voter];
    }
    ASSERT_TRUE(voting.contains({i}, {i})) << "self-membership";
    for (std::uint32_t j = 0; j < i; ++j) {
      const bool meet = std::any_of(sets[j].begin(), sets[j].end(), [&](std::uint32_t voter) {
        return voting.contains({i}, {voter});
      });
      ASSERT_TRUE(meet) << "sets of " << i << " and " << j << " do not intersect";
    }
  }
  for (std::uint32_t i = 0; i < size; ++i) ASSERT_EQ(load[i], voting.set_size()) << "equal load";
}

// `contains` must also be false where it should be; checked on sizes for which this is cheap.
void expect_exact_membership(const VotingSets& voting, std::uint32_t size) {
  const Sets sets = all_sets(voting, size);
  for (std::uint32_t i = 0; i < size; ++i) {
    for (std::uint32_t j = 0; j < size; ++j) {
      ASSERT_EQ(voting.contains({i}, {j}), std::binary_search(sets[i].begin(), sets[i].end(), j))
          << voting.describe() << ": is " << j << " in the set of " << i;
    }
  }
}

// Whether the processes of one family can be renamed so that it has the sets of the other.
bool isomorphic(const Sets& ours, const Sets& theirs) {
  std::vector<std::uint32_t> name(ours.size());
  std::iota(name.begin(), name.end(), 0);
  Sets wanted = theirs;
  std::sort(wanted.begin(), wanted.end());
  do {
    Sets renamed = ours;
    for (auto& set : renamed) {
      for (auto& voter : set) voter = name[voter];
      std::sort(set.begin(), set.end());
    }
    std::sort(renamed.begin(), renamed.end());
    if (renamed == wanted) return true;
  } while (std::next_permutation(name.begin(), name.end()));
  return false;
}

TEST(VotingSets, EveryConstructionIsSoundForEveryNumberOfProcesses) {
  for (std::uint32_t size = 1; size <= 400; ++size) {
    expect_sound(*cyclic_voting_sets(size), size);
    for (const auto& voting : {grid_voting_sets(size), plane_voting_sets(size)}) {
      if (voting != nullptr) expect_sound(*voting, size);
      if (voting != nullptr && size <= 73) expect_exact_membership(*voting, size);
    }
    if (size <= 73) expect_exact_membership(*cyclic_voting_sets(size), size);
    if (HasFatalFailure()) return;
  }
}

TEST(VotingSets, PlanesExistExactlyForPrimePowersAndTheTriangle) {
  std::vector<std::uint32_t> orders;
  for (std::uint32_t size = 0; size <= 1100; ++size) {
    const auto voting = plane_voting_sets(size);
    if (voting == nullptr) continue;
    const std::uint32_t order = voting->set_size() - 1;
    EXPECT_EQ(order * order + order + 1, size);
    orders.push_back(order);
  }
  EXPECT_EQ(orders, (std::vector<std::uint32_t>{1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25,
                                                27, 29, 31, 32}));
}

TEST(VotingSets, TwoLinesOfAPlaneMeetInExactlyOnePoint) {
  for (const std::uint32_t order : {1U, 2U, 3U, 4U, 5U, 8U, 9U, 16U, 25U, 27U, 31U}) {
    const std::uint32_t size = order * order + order + 1;
    const Residues base = singer_difference_set(order);
    std::vector<std::uint32_t> pairs(size);
    for (const std::uint32_t a : base) {
      for (const std::uint32_t b : base) ++pairs[(a + size - b) % size];
    }
    EXPECT_EQ(std::count(pairs.begin() + 1, pairs.end(), 1U), size - 1) << "order " << order;
  }
}

TEST(VotingSets, AreThoseOfTheLecturesUpToNames) {
  const Sets triangle{{0, 1}, {1, 2}, {0, 2}};
  EXPECT_TRUE(isomorphic(all_sets(*plane_voting_sets(3), 3), triangle));
  const Sets fano{{0, 1, 2}, {1, 3, 5}, {2, 4, 5}, {0, 3, 4}, {1, 4, 6}, {0, 5, 6}, {2, 3, 6}};
  EXPECT_TRUE(isomorphic(all_sets(*plane_voting_sets(7), 7), fano));
  EXPECT_TRUE(isomorphic(all_sets(*cyclic_voting_sets(7), 7), fano));
  // Cardellini's example of a deadlock needs no renaming: V1={1,2}, V2={2,3}, V3={3,1}.
  EXPECT_EQ(all_sets(*best_voting_sets(3), 3), (Sets{{0, 1}, {1, 2}, {0, 2}}));
  // The four processes of the Chubby Slides, in a square.
  EXPECT_EQ(all_sets(*grid_voting_sets(4), 4), (Sets{{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}}));
}

TEST(VotingSets, AGridTakesTwiceTheSideLessOne) {
  for (std::uint32_t side = 1; side <= 20; ++side) {
    ASSERT_EQ(grid_voting_sets(side * side)->set_size(), 2 * side - 1);
    EXPECT_EQ(grid_voting_sets(side * side + 1), nullptr);
  }
  EXPECT_EQ(grid_voting_sets(0), nullptr);
}

TEST(VotingSets, TheBestAreCloseToTheSquareRoot) {
  double worst = 0;
  std::uint32_t worst_at = 0;
  for (std::uint32_t size = 4; size <= 1000; ++size) {
    const std::uint32_t k = best_voting_sets(size)->set_size();
    ASSERT_GE(k * (k - 1) + 1, size) << "no sets can be that small";
    if (const double ratio = k / std::sqrt(size); ratio > worst) {
      worst = ratio;
      worst_at = size;
    }
  }
  RecordProperty("worst_ratio", std::to_string(worst));
  EXPECT_EQ(worst_at, 4U);
  EXPECT_DOUBLE_EQ(worst, 1.5);
  for (const std::uint32_t size : {50U, 100U, 500U, 1'000U, 100'000U, 1'000'000U}) {
    EXPECT_LT(best_voting_sets(size)->set_size(), 1.31 * std::sqrt(size)) << "N=" << size;
  }
}

// Sizes of minimal difference covers, for those up to 36 found by exhaustive search.
TEST(VotingSets, SmallCoversAreMinimal) {
  std::vector<std::uint32_t> sizes;
  for (std::uint32_t size = 1; size <= 36; ++size) {
    sizes.push_back(cyclic_voting_sets(size)->set_size());
  }
  EXPECT_EQ(sizes,
            (std::vector<std::uint32_t>{1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 5,
                                        5, 6, 5, 6, 6, 6, 6, 6, 6, 6, 7, 7, 6, 7, 7, 7, 7, 7}));
}

// Cardellini says that 3√N < 2(N−1) for N > 4, so that Maekawa costs less than Ricart–Agrawala. The
// inequality is true. With sets that exist, and the own vote free, Maekawa costs 3(K−1): dearer for
// two processes, the same for four, and cheaper for three and from five on.
TEST(VotingSets, CostLessThanAskingEveryoneFromFiveProcessesOn) {
  const auto cheaper = [](const VotingSets& voting, std::uint32_t size) {
    return 3 * (voting.set_size() - 1) < 2 * (size - 1);
  };
  std::vector<std::uint32_t> not_cheaper;
  for (std::uint32_t size = 2; size <= 1000; ++size) {
    if (!cheaper(*best_voting_sets(size), size)) not_cheaper.push_back(size);
  }
  EXPECT_EQ(not_cheaper, (std::vector<std::uint32_t>{2, 4}));
  EXPECT_FALSE(cheaper(*grid_voting_sets(4), 4));
  EXPECT_TRUE(cheaper(*grid_voting_sets(9), 9));
  for (std::uint32_t size = 2; size <= 1000; ++size) {
    EXPECT_EQ(3 * std::sqrt(size) < 2.0 * (size - 1), size > 4) << "N=" << size;
  }
}

TEST(VotingSets, AMillionProcessesOnAGridTakeNoMemoryAndLittleTime) {
  const auto voting = grid_voting_sets(1'000'000);
  EXPECT_EQ(voting->set_size(), 1'999U);
  const std::vector<NodeId> voters = voting->of({123'456});
  EXPECT_EQ(voters.size(), 1'999U);
  EXPECT_EQ(voters.front(), NodeId{456});
  EXPECT_EQ(voters.back(), NodeId{999'456});
  EXPECT_EQ(voting->place({123'456}, {999'456}), 1'998U);
  EXPECT_FALSE(voting->contains({123'456}, {999'457}));
}

TEST(VotingSets, AreMadeAtOnce) {
  const auto start = std::chrono::steady_clock::now();
  for (const std::uint32_t size : {60U, 993U, 1'000U}) ASSERT_NE(best_voting_sets(size), nullptr);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

TEST(VotingSets, HintAtTheNearestSizeThatExists) {
  EXPECT_EQ(nearest_grid_size(0), 1U);
  EXPECT_EQ(nearest_grid_size(10), 9U);
  EXPECT_EQ(nearest_grid_size(15), 16U);
  EXPECT_EQ(nearest_grid_size(16), 16U);
  EXPECT_EQ(nearest_plane_size(0), 3U);
  EXPECT_EQ(nearest_plane_size(10), 7U);
  EXPECT_EQ(nearest_plane_size(11), 13U);
  EXPECT_EQ(nearest_plane_size(43), 31U) << "there is no plane of order 6";
}

}  // namespace
}  // namespace baton::test
