#include "lab/view/plot.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <sstream>
#include <string>

#include "lab/view/plot_axis.h"
#include "lab/view/well_formed.h"

namespace baton::test {
namespace {

using view::Axis;
using view::Plot;
using view::PlotSeries;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

PlotSeries linear(const std::string& name, double factor) {
  PlotSeries series{name, "cN", {}, {}};
  for (const double n : {2.0, 5.0, 10.0, 50.0}) {
    series.theory.push_back({n, factor * n, factor * n});
    series.measured.push_back({n, factor * n});
  }
  return series;
}

std::string drawn(const Plot& plot) {
  std::ostringstream out;
  view::write_plot(plot, out);
  return out.str();
}

std::string drawn(std::vector<PlotSeries> series) {
  return drawn({"Messages", "as measured", "N", "messages", std::move(series)});
}

TEST(Plot, HasACurveAMarkPerMeasurementAndANamePerSeries) {
  const std::string picture = drawn({linear("central", 1), linear("lamport", 3)});
  expect_well_formed(picture);
  EXPECT_EQ(count(picture, "<path d=\"M"), 2U);
  // Four measured, and one beside the name.
  EXPECT_EQ(count(picture, "<path class=\"h\""), 2U * (4 + 1));
  EXPECT_EQ(count(picture, ">central</text>"), 1U);
  EXPECT_EQ(count(picture, ">lamport</text>"), 1U);
  EXPECT_EQ(count(picture, ">cN</text>"), 2U);
  EXPECT_EQ(count(picture, "lamport at 10: 30<"), 1U);
  EXPECT_EQ(count(picture, "(logarithmic)"), 2U);
  EXPECT_EQ(count(picture, "prefers-color-scheme:dark"), 1U);
}

TEST(Plot, NamesStandInTheOrderOfTheCurvesEnds) {
  const std::string picture = drawn({linear("low", 1), linear("high", 9), linear("middle", 3)});
  EXPECT_LT(picture.find(">high</text>"), picture.find(">middle</text>"));
  EXPECT_LT(picture.find(">middle</text>"), picture.find(">low</text>"));
}

TEST(Plot, OfSeriesOnTheSameSpotsAllAreSeen) {
  const std::string picture = drawn({linear("one", 2), linear("other", 2)});
  EXPECT_EQ(count(picture, "<path class=\"again\""), 1U);          // a dashed curve on the other
  EXPECT_EQ(count(picture, "<path class=\"h\""), 4U + 1 + 0 + 1);  // and hollow marks around
}

// What a mark looks like, wherever it is: how many corners, and whether the second of them is below
// the first, level with it or above.
std::string shape_of(const std::string& path) {
  if (path.find('a') != path.npos) return "circle";
  std::istringstream numbers(path);
  char letter = 0;
  double x = 0;
  double first = 0;
  double second = 0;
  numbers >> letter >> x >> first >> letter >> x >> second;
  return std::to_string(count(path, "L")) + (second > first    ? "below"
                                             : second == first ? "level"
                                                               : "above");
}

TEST(Plot, SeriesDifferInColourOrShape) {
  std::vector<PlotSeries> many;
  for (int i = 0; i < 30; ++i) many.push_back({std::to_string(i), "", {}, {{1, 30.0 - i}}});
  const std::string picture = drawn(many);
  expect_well_formed(picture);
  std::set<std::string> looks;
  const std::string group = "<g class=\"m ";
  const std::string mark = "<path class=\"h\" d=\"";
  for (auto at = picture.find(group); at != picture.npos; at = picture.find(group, at + 1)) {
    const auto path = picture.find(mark, at) + mark.size();
    looks.insert(picture.substr(at + group.size(), 2) + " " +
                 shape_of(picture.substr(path, picture.find('"', path) - path)));
  }
  EXPECT_EQ(looks.size(), 30U);
}

TEST(Plot, WhatDiffersFromTheoryIsCrossedOut) {
  PlotSeries series = linear("lamport", 3);
  EXPECT_EQ(count(drawn({series}), "class=\"x\""), 0U);
  series.measured[1] = {5, 16, false};
  const std::string picture = drawn({series});
  EXPECT_EQ(count(picture, "class=\"x\""), 1U);
  EXPECT_EQ(count(picture, "lamport at 5: 16, which differs from theory"), 1U);
}

TEST(Plot, ARangeIsShaded) {
  PlotSeries series{"bakery", "at least N", {{2, 2, 4}, {9, 9, infinity}}, {}};
  const std::string picture = drawn({series});
  expect_well_formed(picture);
  EXPECT_EQ(count(picture, "fill-opacity=\".12\""), 1U);
  EXPECT_EQ(count(picture, "inf"), 0U);
}

TEST(Plot, LeavesOutWhatIsNoNumber) {
  PlotSeries series = linear("lamport", 3);
  series.measured[0].y = nothing;
  series.theory[0].low = nothing;
  const std::string picture = drawn({series, {"unmeasured", "", {}, {{2, nothing}}}});
  EXPECT_EQ(count(picture, "nan"), 0U);
  EXPECT_EQ(count(picture, "unmeasured"), 0U);
  EXPECT_EQ(count(picture, "<path class=\"h\""), 3U + 1);
  EXPECT_EQ(drawn({{"unmeasured", "", {}, {{2, nothing}}}}), "");
  EXPECT_EQ(drawn(std::vector<PlotSeries>{}), "");
}

TEST(Plot, NamesCannotEndTheText) {
  PlotSeries series = linear("<a & \"b\">", 1);
  expect_well_formed(drawn({"<t>", "&", "<x>", "\"y\"", {series}}));
}

TEST(Axis, IsLogarithmicWhereValuesArePositiveAndSpanMuch) {
  EXPECT_TRUE(Axis({2, 50}, Axis::Zero::wanted).is_logarithmic());
  EXPECT_FALSE(Axis({0, 50}, Axis::Zero::wanted).is_logarithmic());
  EXPECT_FALSE(Axis({10, 50}, Axis::Zero::wanted).is_logarithmic());
}

TEST(Axis, RoundValuesAsFarApartAsAsked) {
  Axis logarithmic({1, 100}, Axis::Zero::wanted);
  logarithmic.place(0, 500);
  EXPECT_EQ(logarithmic.ticks(40), (std::vector<double>{1, 2, 5, 10, 20, 50, 100}));
  EXPECT_EQ(logarithmic.ticks(100), (std::vector<double>{1, 10, 100}));
  Axis linear({20, 50}, Axis::Zero::wanted);
  linear.place(300, 0);
  EXPECT_EQ(linear.ticks(40), (std::vector<double>{0, 10, 20, 30, 40, 50}));
  Axis sizes({2, 4}, Axis::Zero::not_needed);
  sizes.place(0, 500);
  EXPECT_EQ(sizes.ticks(40), (std::vector<double>{2, 3, 4}));
}

TEST(Axis, ValuesGrowTowardsTheSecondEnd) {
  for (const std::vector<double>& values : {std::vector<double>{1, 1000}, {0, 3}, {-2, 5}, {7}}) {
    Axis axis(values, Axis::Zero::wanted);
    axis.place(300, 20);
    EXPECT_LE(axis.at(values.back()), axis.at(values.front()));
    EXPECT_EQ(axis.at(infinity), 20);
    EXPECT_EQ(axis.at(-infinity), 300);
  }
}

TEST(Axis, LabelsSayNoMoreThanTheyMust) {
  EXPECT_EQ(Axis::label(2), "2");
  EXPECT_EQ(Axis::label(0.1 + 0.2), "0.3");
  EXPECT_EQ(Axis::label(5'000'000), "5000000");
  EXPECT_EQ(Axis::label(-0.0), "0");
}

}  // namespace
}  // namespace baton::test
