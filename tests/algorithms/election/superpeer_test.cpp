#include "algorithms/election/superpeer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "algorithms/election/repulsion.h"
#include "lab/sim/catalog.h"
#include "lab/sim/superpeer_measures.h"
#include "support/seeded_chooser.h"

namespace baton::test {
namespace {

using sim::Plan;
using sim::Report;
using sim::SuperpeerMeasures;
using sim::Workload;

const sim::Entry& superpeer() { return *sim::find("superpeer"); }

Report run(const Plan& plan) {
  EXPECT_EQ(sim::objection(plan, superpeer().info()), std::nullopt);
  return superpeer().run(plan, nullptr);
}

std::uint64_t count_of(const Report& report, std::string_view type) {
  for (const sim::MessageType& one : report.by_type) {
    if (one.name == type) return one.count;
  }
  return 0;
}

std::vector<Place> random_places(std::uint32_t size, Chooser& chooser) {
  std::vector<Place> places(size);
  for (Place& place : places) {
    place.x = static_cast<std::int32_t>(chooser.choose(plane_side + 1));
    place.y = static_cast<std::int32_t>(chooser.choose(plane_side + 1));
  }
  return places;
}

// The processes at which tokens begin are those nearest to one corner.
void begin_in_a_corner(std::vector<Place>& places) {
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return squared_distance(a, {0, 0}) < squared_distance(b, {0, 0});
  });
}

TEST(Repulsion, EveryMoveLowersTheEnergyOfAllAndNoTokenLandsOnAnother) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SeededChooser chooser(seed);
    baton::Setup setup = default_setup(2 + chooser.choose(60));
    setup.places = random_places(setup.size, chooser);
    // In some worlds several processes are at the same place.
    if (seed % 3 == 0) {
      std::fill_n(setup.places.begin(), std::min<std::size_t>(setup.size, 6), Place{4000, 7000});
    }
    std::vector<NodeId> tokens;
    for (std::uint32_t i = 0; i <= chooser.choose(setup.size); ++i) tokens.push_back({i});
    const auto energy = [&] {
      // Each pair once, each edge once.
      std::int64_t sum = 0;
      for (std::size_t i = 0; i < tokens.size(); ++i) {
        std::vector<Place> later;
        for (std::size_t j = i + 1; j < tokens.size(); ++j) {
          later.push_back(setup.place(tokens[j]));
        }
        sum += repulsion_energy(setup.place(tokens[i]), later);
      }
      return sum;
    };
    std::size_t stays = 0;
    std::size_t moves = 0;
    for (std::size_t turn = 0; stays < tokens.size(); ++turn) {
      const std::size_t token = turn % tokens.size();
      const NodeId to = pushed_to(setup, tokens, token);
      stays = to == tokens[token] ? stays + 1 : 0;
      if (stays > 0) continue;
      const std::int64_t before = energy();
      tokens[token] = to;
      ASSERT_LT(energy(), before) << "seed " << seed;
      ASSERT_EQ(std::set<NodeId>(tokens.begin(), tokens.end()).size(), tokens.size());
      ASSERT_LT(++moves, 10'000U) << "seed " << seed;
    }
  }
}

TEST(Repulsion, OneTokenGoesToTheMiddle) {
  baton::Setup setup = default_setup(121);
  const NodeId to = pushed_to(setup, {{0}}, 0);
  EXPECT_NE(to, NodeId{0});
  Plan plan;
  plan.setup = setup;
  plan.setup.choose(Superpeer::superpeers, 1);
  const Report report = run(plan);
  const Place place = setup.place(report.superpeers->superpeers.front());
  EXPECT_LT(squared_distance(place, {plane_side / 2, plane_side / 2}), 1500 * 1500);
}

// A square and a rhombus are both at rest; which one it is depends on where the tokens began.
TEST(Repulsion, FourTokensEndFarApartAndShareTheLoad) {
  for (const std::uint32_t side : {10U, 15U, 20U, 30U}) {
    Plan plan;
    plan.setup = default_setup(side * side);
    plan.setup.choose(Superpeer::superpeers, 4);
    const Report report = run(plan);
    EXPECT_GT(report.superpeers->least_separation, 0.3 * plane_side) << side;
    EXPECT_LT(report.superpeers->max_distance, 0.55 * plane_side) << side;
    EXPECT_LT(report.superpeers->most_served, plan.setup.size * 2 / 5) << side;
  }
}

TEST(Superpeer, TheWantedNumberServesEveryoneWithinTheCapInRandomWorlds) {
  std::uint64_t refused = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    SeededChooser chooser(seed);
    Plan plan;
    plan.seed = seed;
    plan.setup = default_setup(2 + chooser.choose(40));
    const std::uint32_t size = plan.setup.size;
    plan.setup.choose(Superpeer::superpeers,
                      1 + chooser.choose(chooser.choose(4) == 0 ? size : (size + 3) / 4));
    if (chooser.choose(3) > 0) plan.setup.places = random_places(size, chooser);
    const std::int64_t wanted = plan.setup.value(Superpeer::superpeers);
    const std::int64_t normal = size - wanted;
    // Often so tight that every superpeer must be full.
    const std::int64_t least = (normal + wanted - 1) / wanted;
    plan.setup.choose(Superpeer::cap, chooser.choose(4) == 0 ? 0 : least + chooser.choose(3));
    plan.delay.kind = static_cast<sim::Delay::Kind>(chooser.choose(4));
    plan.faults.reordering = chooser.choose(2) == 0;
    if (chooser.choose(2) == 0) plan.faults.duplication = 0.3;
    plan.workload = {.kind =
                         chooser.choose(2) == 0 ? Workload::Kind::everyone : Workload::Kind::one};
    const Report report = run(plan);
    ASSERT_TRUE(report.violations.empty())
        << "seed " << seed << ": " << report.violations.front().what;
    const SuperpeerMeasures& measures = *report.superpeers;
    ASSERT_EQ(static_cast<std::int64_t>(measures.superpeers.size()), wanted) << "seed " << seed;
    ASSERT_EQ(measures.portion, static_cast<double>(wanted) / size);
    if (plan.setup.value(Superpeer::cap) > 0) {
      ASSERT_LE(measures.most_served, plan.setup.value(Superpeer::cap)) << "seed " << seed;
    }
    for (const NodeId leader : report.leaders) ASSERT_NE(leader, nobody) << "seed " << seed;
    refused += count_of(report, "Full");
  }
  EXPECT_GT(refused, 1000U) << "the caps were hardly felt";
}

TEST(Superpeer, WithoutACapEveryoneIsServedByTheNearest) {
  SeededChooser chooser(5);
  Plan plan;
  plan.setup = default_setup(80);
  plan.setup.choose(Superpeer::superpeers, 9);
  plan.setup.places = random_places(80, chooser);
  const Report report = run(plan);
  EXPECT_EQ(report.superpeers->mean_to_own, report.superpeers->mean_distance);
  EXPECT_EQ(count_of(report, "Full"), 0U);
  EXPECT_EQ(count_of(report, "Join"), 71U);
  EXPECT_EQ(count_of(report, "Welcome"), 71U);
  EXPECT_EQ(count_of(report, "Here") % 79, 0U) << "a turn is told to everyone";
  EXPECT_LT(count_of(report, "Token"), count_of(report, "Here") / 79);
}

TEST(Superpeer, HoweverManyStartTheElectionItIsHeldOnce) {
  Plan plan;
  plan.setup = default_setup(50);
  plan.setup.choose(Superpeer::superpeers,
                    1);  // it moves in its first turn, while others still ask for a beginning
  plan.workload = {.kind = Workload::Kind::one, .first = {0}};
  const Report one = run(plan);
  plan.workload = {.kind = Workload::Kind::everyone};
  const Report all = run(plan);
  EXPECT_EQ(count_of(all, "Begin"), 49U);
  EXPECT_GT(count_of(all, "Token"), 0U);
  for (const char* type : {"Token", "Here", "Join", "Welcome"}) {
    EXPECT_EQ(count_of(all, type), count_of(one, type)) << type;
  }
  EXPECT_EQ(all.leaders, one.leaders);
}

TEST(Superpeer, TokensThatBeginTogetherSpreadOut) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SeededChooser chooser(seed);
    Plan plan;
    plan.seed = seed;
    plan.setup = default_setup(60 + chooser.choose(100));
    plan.setup.choose(Superpeer::superpeers, 4 + chooser.choose(8));
    plan.setup.places = random_places(plan.setup.size, chooser);
    begin_in_a_corner(plan.setup.places);
    const Report report = run(plan);
    const SuperpeerMeasures& before = *report.superpeers_before;
    const SuperpeerMeasures& after = *report.superpeers;
    ASSERT_LT(2 * after.mean_distance, before.mean_distance) << "seed " << seed;
    ASSERT_LT(after.max_distance, before.max_distance) << "seed " << seed;
    ASSERT_GT(after.least_separation, 2 * before.least_separation) << "seed " << seed;
    ASSERT_LT(after.variance_of_served, before.variance_of_served) << "seed " << seed;
  }
}

// A placement at random may happen to be good, so that only the mean over many can be better.
TEST(Superpeer, TokensThatBeginAnywhereSpreadOutOnAverage) {
  SuperpeerMeasures before;
  SuperpeerMeasures after;
  const auto add = [](SuperpeerMeasures& sum, const SuperpeerMeasures& one) {
    sum.mean_distance += one.mean_distance;
    sum.max_distance += one.max_distance;
    sum.least_separation += one.least_separation;
    sum.variance_of_served += one.variance_of_served;
  };
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SeededChooser chooser(seed);
    Plan plan;
    plan.seed = seed;
    plan.setup = default_setup(100);
    plan.setup.choose(Superpeer::superpeers, 8);
    plan.setup.places = random_places(100, chooser);
    const Report report = run(plan);
    add(before, *report.superpeers_before);
    add(after, *report.superpeers);
  }
  EXPECT_LT(after.mean_distance, 0.9 * before.mean_distance);
  EXPECT_LT(after.max_distance, 0.9 * before.max_distance);
  EXPECT_GT(after.least_separation, 2 * before.least_separation);
  EXPECT_LT(after.variance_of_served, 0.5 * before.variance_of_served);
}

TEST(Superpeer, EveryoneMayBeOne) {
  Plan plan;
  plan.setup = default_setup(7);
  plan.setup.choose(Superpeer::superpeers, 7);
  plan.setup.choose(Superpeer::cap, 1);
  const Report report = run(plan);
  EXPECT_TRUE(report.violations.empty());
  EXPECT_EQ(report.superpeers->superpeers.size(), 7U);
  EXPECT_EQ(report.superpeers->most_served, 0U);
}

TEST(Superpeer, WithACapThatIsTooSmallSomeoneIsNotServed) {
  Plan plan;
  plan.setup = default_setup(10);
  plan.setup.choose(Superpeer::superpeers, 2);
  plan.setup.choose(Superpeer::cap, 3);
  const Report report = run(plan);
  EXPECT_NE(report.violated(Promise::everyone_learns), nullptr);
  EXPECT_LE(count_of(report, "Join"), 8U * 2) << "nobody asks where it was refused";
}

// The judge of the set can say no.
TEST(SuperpeerMeasuresTest, FindsWhatIsWrongWithASet) {
  baton::Setup setup = default_setup(6);
  setup.choose(Superpeer::superpeers, 2);
  setup.choose(Superpeer::cap, 2);
  const auto fault = [&](std::vector<NodeId> serves) {
    return sim::superpeer_fault(setup, serves).value_or("");
  };
  EXPECT_EQ(fault({{0}, {0}, {0}, {5}, {5}, {5}}), "");
  EXPECT_EQ(fault({{0}, {0}, {0}, {0}, {5}, {5}}), "superpeer 0 serves more than 2");
  EXPECT_EQ(fault({{0}, {0}, {0}, {0}, {0}, {0}}), "there are 1 superpeers and not 2");
  EXPECT_EQ(fault({{0}, {0}, {1}, {5}, {5}, {5}}),
            "process 2 is served by process 1, which is no superpeer");
}

TEST(SuperpeerMeasuresTest, MeasuresDistancesSeparationAndLoad) {
  baton::Setup setup = default_setup(5);
  setup.places = {{0, 0}, {1000, 0}, {0, 30}, {0, 40}, {1000, 50}};
  const SuperpeerMeasures measures = sim::measure_superpeers(setup, {{0}, {1}}, {});
  EXPECT_DOUBLE_EQ(measures.mean_distance, 40);
  EXPECT_DOUBLE_EQ(measures.max_distance, 50);
  EXPECT_DOUBLE_EQ(measures.least_separation, 1000);
  EXPECT_EQ(measures.most_served, 2U);
  EXPECT_DOUBLE_EQ(measures.variance_of_served, 0.25);
  EXPECT_DOUBLE_EQ(measures.portion, 0.4);
  const SuperpeerMeasures served =
      sim::measure_superpeers(setup, {{0}, {1}}, {{0}, {1}, {0}, {0}, {0}});
  EXPECT_GT(served.mean_to_own, served.mean_distance);
  EXPECT_EQ(served.most_served, 3U);
}

}  // namespace
}  // namespace baton::test
