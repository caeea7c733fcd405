#include "algorithms/resource/wait_for_graph.h"

#include <gtest/gtest.h>

namespace baton {
namespace {

constexpr ResourceId a{0};
constexpr ResourceId b{1};
constexpr ResourceId c{2};

TEST(ResourceId, IsCalledByLetters) {
  EXPECT_EQ(a.text(), "A");
  EXPECT_EQ(ResourceId{25}.text(), "Z");
  EXPECT_EQ(ResourceId{26}.text(), "AA");
  EXPECT_EQ(ResourceId{27}.text(), "AB");
  EXPECT_EQ(ResourceId{26 + 26 * 26}.text(), "AAA");
  EXPECT_EQ(gate.text(), "gate");
}

TEST(WaitForGraph, NamesTheDeadlyEmbrace) {
  WaitForGraph graph;
  graph.holds({0}, a);
  graph.holds({1}, b);
  graph.waits({0}, b);
  EXPECT_EQ(graph.find_cycle(), std::nullopt);
  graph.waits({1}, a);
  ASSERT_TRUE(graph.find_cycle());
  EXPECT_EQ(in_words(*graph.find_cycle()),
            "0 holds A and waits for B, held by 1, which waits for A");
  // Whoever is asked about, the story is told from the smallest process.
  EXPECT_EQ(graph.cycle_through({1}), graph.cycle_through({0}));
}

TEST(WaitForGraph, NamesALongerCycle) {
  WaitForGraph graph;
  for (std::uint32_t i = 0; i < 3; ++i) {
    graph.holds({i}, {i});
    graph.waits({i}, {(i + 1) % 3});
  }
  EXPECT_EQ(in_words(*graph.find_cycle()),
            "0 holds A and waits for B, held by 1, which waits for C, held by 2, "
            "which waits for A");
}

TEST(WaitForGraph, WhoWaitsForACycleIsNotPartOfIt) {
  WaitForGraph graph;
  graph.waits({0}, b);
  graph.holds({1}, b);
  graph.waits({1}, c);
  graph.holds({2}, c);
  graph.waits({2}, b);
  EXPECT_EQ(graph.cycle_through({0}), std::nullopt);
  EXPECT_EQ(in_words(*graph.find_cycle()),
            "1 holds B and waits for C, held by 2, which waits for B");
}

TEST(WaitForGraph, ACycleEndsWithAnyOfItsEdges) {
  const auto embrace = [] {
    WaitForGraph graph;
    graph.holds({0}, a);
    graph.waits({0}, b);
    graph.holds({1}, b);
    graph.waits({1}, a);
    return graph;
  };
  WaitForGraph let_go = embrace();
  let_go.lets_go({0}, a);
  EXPECT_EQ(let_go.find_cycle(), std::nullopt);
  WaitForGraph got_it = embrace();
  got_it.lets_go({1}, b);
  got_it.holds({0}, b);
  EXPECT_EQ(got_it.find_cycle(), std::nullopt);
  WaitForGraph gone = embrace();
  gone.forget({1});
  EXPECT_EQ(gone.find_cycle(), std::nullopt);
  EXPECT_TRUE(gone.holders(b).empty());
  EXPECT_TRUE(gone.held_by({0}).contains(a));
}

// Who waits for several at once, as behind a gate, is stuck if any of them leads back to it; and of
// two cycles the shorter is told.
TEST(WaitForGraph, LooksAlongEveryResourceThatAProcessWaitsFor) {
  WaitForGraph graph;
  graph.holds({0}, a);
  graph.waits({0}, b);
  graph.waits({0}, c);
  graph.holds({1}, b);
  graph.waits({1}, c);
  graph.holds({2}, c);
  graph.waits({2}, a);
  EXPECT_EQ(in_words(*graph.cycle_through({0})),
            "0 holds A and waits for C, held by 2, which waits for A");
  EXPECT_EQ(graph.cycle_through({1})->size(), 3U);
}

}  // namespace
}  // namespace baton
