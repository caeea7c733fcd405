#include "core/graph.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "core/setup.h"

namespace baton::test {
namespace {

class Dice : public Chooser {
 public:
  explicit Dice(std::uint32_t seed) : random_(seed) {}
  std::uint32_t choose(std::uint32_t bound) override {
    return static_cast<std::uint32_t>(random_() % bound);
  }

 private:
  std::mt19937 random_;
};

void expect_sound(const Graph& graph) {
  std::uint64_t ends = 0;
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    const auto& near = graph.neighbours({i});
    ends += near.size();
    EXPECT_EQ(std::set<NodeId>(near.begin(), near.end()).size(), near.size());
    for (const NodeId other : near) {
      EXPECT_NE(other, NodeId{i});
      const auto& back = graph.neighbours(other);
      EXPECT_EQ(std::count(back.begin(), back.end(), NodeId{i}), 1);
    }
  }
  EXPECT_EQ(ends, 2 * graph.edges());
  EXPECT_TRUE(graph.is_connected());
}

TEST(Graph, ShapesHaveTheirEdges) {
  for (std::uint32_t size = 2; size <= 40; ++size) {
    expect_sound(*ring_graph(size));
    expect_sound(*grid_graph(size));
    expect_sound(*complete_graph(size));
    EXPECT_EQ(ring_graph(size)->edges(), size == 2 ? 1 : size);
    EXPECT_EQ(complete_graph(size)->edges(), most_edges(size));
  }
  // Three rows of three, and of a fourth row one.
  EXPECT_EQ(grid_graph(9)->edges(), 12U);
  EXPECT_EQ(grid_graph(9)->neighbours({4}), (std::vector<NodeId>{{1}, {3}, {5}, {7}}));
  EXPECT_EQ(grid_graph(7)->neighbours({6}), (std::vector<NodeId>{{3}}));
}

TEST(Graph, RandomOnesAreConnectedWithAnyPossibleNumberOfEdges) {
  for (std::uint32_t size = 2; size <= 9; ++size) {
    for (std::uint64_t edges = fewest_edges(size); edges <= most_edges(size); ++edges) {
      for (std::uint32_t seed = 0; seed < 10; ++seed) {
        Dice dice(seed);
        const auto graph = random_graph(size, edges, dice);
        EXPECT_EQ(graph->edges(), edges);
        expect_sound(*graph);
      }
    }
  }
}

TEST(Graph, ReadsAListOfEdges) {
  const ParsedGraph parsed = parse_graph("0-1,2-1,1-2,3-0", 4);
  ASSERT_NE(parsed.graph, nullptr) << parsed.objection;
  EXPECT_EQ(parsed.graph->edges(), 3U);
  EXPECT_EQ(parsed.graph->neighbours({1}), (std::vector<NodeId>{{0}, {2}}));
  expect_sound(*parsed.graph);
}

TEST(Graph, SaysWhatIsWrongWithAList) {
  EXPECT_EQ(parse_graph("0-1", 3).objection,
            "the graph is not connected: there is no way from process 0 to process 2");
  EXPECT_EQ(parse_graph("0-1,1-1,1-2", 3).objection, "process 1 cannot be its own neighbour");
  EXPECT_EQ(parse_graph("0-1,1-3", 3).objection, "there is no process 3; the processes are 0 to 2");
  for (const char* typed : {"", "0", "0-", "-1", "0-1,", "0-1,,1-2", "0-1-2", "a-b", "0-1 ,1-2"}) {
    EXPECT_EQ(parse_graph(typed, 3).graph, nullptr) << typed;
    EXPECT_NE(parse_graph(typed, 3).objection, "") << typed;
  }
}

TEST(Graph, WithoutOneEverybodyIsInReach) {
  baton::Setup setup = default_setup(5);
  EXPECT_EQ(setup.edges(), 10U);
  EXPECT_EQ(setup.neighbours({2}), (std::vector<NodeId>{{0}, {1}, {3}, {4}}));
  setup.graph = ring_graph(5);
  EXPECT_EQ(setup.edges(), 5U);
  EXPECT_EQ(setup.neighbours({0}), (std::vector<NodeId>{{1}, {4}}));
}

TEST(Plane, RootsAreWhole) {
  for (std::int64_t root = 0; root < 3000; ++root) {
    EXPECT_EQ(whole_root(root * root), root);
    EXPECT_EQ(whole_root(root * root + root), root);
    if (root > 0) {
      EXPECT_EQ(whole_root(root * root - 1), root - 1);
    }
  }
  EXPECT_EQ(whole_root((std::int64_t{1} << 61) - 1), 1518500249);
}

TEST(Plane, ALatticeHasAPlaceForEachProcess) {
  for (const std::uint32_t size : {2U, 9U, 10U, 1000U}) {
    const baton::Setup setup = default_setup(size);
    std::set<Place> places;
    for (std::uint32_t i = 0; i < size; ++i) {
      const Place place = setup.place({i});
      places.insert(place);
      EXPECT_GE(std::min(place.x, place.y), 0);
      EXPECT_LE(std::max(place.x, place.y), plane_side);
    }
    EXPECT_EQ(places.size(), size);
  }
}

}  // namespace
}  // namespace baton::test
