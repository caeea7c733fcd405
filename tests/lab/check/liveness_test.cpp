// Fair runs for ever, on graphs small enough to see what is right.
#include "lab/check/liveness.h"

#include "lab/check/explore.h"
#include "lab/check/listed_model.h"

namespace baton::check {
namespace {

using test::ListedModel;
using Step = ListedModel::Step;

struct Explored {
  explicit Explored(const ListedModel& listed)
      : model(listed),
        explorer(model, {.threads = 1}),
        graph((explorer.run(), model), explorer, 1) {}

  ListedModel model;
  Explorer<ListedModel> explorer;
  StateGraph graph;
};

TEST(Liveness, ACycleInWhichSomethingIsAlwaysPendingIsFoundWithTheWayToIt) {
  // 0 → 1 → 2 → 1, and something is pending in 1 and 2.
  const Explored e({.steps = {{{1, 0}}, {{2, 0}}, {{1, 0}}}, .pending = {0, 1, 1}});
  const auto lasso = e.graph.for_ever(1);
  ASSERT_TRUE(lasso);
  EXPECT_EQ(lasso->way.size(), 2U);
  ASSERT_EQ(lasso->loop.size(), 2U);
  EXPECT_EQ(lasso->loop.back(), lasso->way.back());
  EXPECT_FALSE(e.graph.for_ever(2)) << "of that nothing is ever pending";
}

TEST(Liveness, ACycleThatPutsOffAPossibleStepForEverIsNotFair) {
  // A step of kind 1 is possible in both states of the cycle and leads out of it.
  const ListedModel unfair{.steps = {{{1, 0}, {2, 1}}, {{0, 0}, {2, 1}}, {}}, .pending = {1, 1, 0}};
  EXPECT_FALSE(Explored(unfair).graph.for_ever(1));
  // It is impossible in one of them: a fair scheduler may miss it.
  const ListedModel fair{.steps = {{{1, 0}, {2, 1}}, {{0, 0}}, {}}, .pending = {1, 1, 0}};
  EXPECT_TRUE(Explored(fair).graph.for_ever(1));
  // A step that nobody must take can be put off.
  const ListedModel optional{.steps = {{{1, 0}, {2, 255}}, {{0, 0}, {2, 255}}, {}},
                             .pending = {1, 1, 0}};
  EXPECT_TRUE(Explored(optional).graph.for_ever(1));
}

TEST(Liveness, TheLoopTakesEveryStepThatFairnessAsksFor) {
  // Two cycles through 0, of kinds 0 and 1, each possible in 0 only; and one within 1.
  const Explored e({.steps = {{{1, 0}, {2, 1}}, {{0, 0}}, {{0, 1}}}, .pending = {1, 1, 1}});
  const auto lasso = e.graph.for_ever(1);
  ASSERT_TRUE(lasso);
  EXPECT_EQ(lasso->loop.back(), lasso->way.back());
}

TEST(Liveness, RestWhileSomethingIsPendingNeedsNoCycle) {
  const Explored e({.steps = {{{1, 0}}, {{0, 255}}}, .pending = {0, 1}});
  const auto lasso = e.graph.for_ever(1);
  ASSERT_TRUE(lasso) << "in state 1 only a step that nobody must take is left";
  EXPECT_TRUE(lasso->loop.empty());
  EXPECT_EQ(lasso->way.size(), 2U);
}

TEST(Liveness, PendingAgainAndAgainIsMoreThanPendingForEver) {
  const Explored e({.steps = {{{1, 0}}, {{0, 0}}}, .pending = {0, 1}});
  EXPECT_FALSE(e.graph.for_ever(1));
  const auto lasso = e.graph.again_and_again(1);
  ASSERT_TRUE(lasso);
  EXPECT_EQ(lasso->loop.size(), 2U);
}

TEST(Liveness, AStateWithoutAWayOutIsTheNearestOne) {
  // From 1 one can enter; from 2 and 3 not any more.
  const ListedModel model{.steps = {{{1, 0}, {2, 0}}, {{0, 0, true}}, {{3, 0}}, {{2, 0}}},
                          .pending = {0, 1, 1, 1}};
  const Explored e(model);
  const auto lost = e.graph.without_way_out(1, false);
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->way.size(), 2U);
  EXPECT_FALSE(e.graph.without_way_out(2, false));
  // Where it is enough to come to rest, 0 is the way out that 2 and 3 do not have.
  EXPECT_TRUE(e.graph.without_way_out(1, true));
  ListedModel back = model;
  back.steps[3].push_back({0, 255});
  EXPECT_FALSE(Explored(back).graph.without_way_out(1, false));
}

TEST(Liveness, OutsideTheModelThereMayBeAWayOut) {
  ListedModel model{.steps = {{{1, 0}}, {{2, 0}}, {}}, .pending = {1, 1, 1}};
  EXPECT_TRUE(Explored(model).graph.without_way_out(1, false));
  model.limit = 2;
  EXPECT_FALSE(Explored(model).graph.without_way_out(1, false));
  EXPECT_FALSE(Explored(model).graph.for_ever(1)) << "the step out stays possible";
}

}  // namespace
}  // namespace baton::check
