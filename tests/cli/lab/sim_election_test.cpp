#include <boost/json.hpp>

#include "cli/lab/baton.h"

namespace baton::test {
namespace {

namespace json = boost::json;

TEST(SimElection, WirelessShowsTheTree) {
  const Outcome outcome = baton(
      "sim wireless -n 5 --first 0 --graph 0-1,1-2,2-3,1-4 --capacities 4,7,1,9,3 --names "
      "a,b,c,d,e");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "4 Election, 4 Ack, 4 Leader")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "leader d")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "a: b; b: c, e; c: d")) << outcome.out;
}

TEST(SimElection, WirelessTellsProgramsTheTree) {
  const Outcome outcome = baton("sim wireless -n 3 --first 1 --graph 0-1,1-2 --json");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const json::object all = json::parse(outcome.out).as_object();
  EXPECT_EQ(json::serialize(all.at("parents")), "[1,null,1]");
  EXPECT_EQ(json::serialize(all.at("leaders")), "[2,2,2]");
}

TEST(SimElection, ARandomGraphComesFromTheSeed) {
  const std::string command = "sim wireless -n 12 --first 0 --graph random:20 --json --seed ";
  EXPECT_EQ(baton(command + "3").out, baton(command + "3").out);
  const auto tree = [&](const std::string& seed) {
    return json::serialize(json::parse(baton(command + seed).out).at("parents"));
  };
  EXPECT_NE(tree("3"), tree("4"));
}

TEST(SimElection, TheTwoDetectorsDifferOnOneSlowChannel) {
  const std::string command = "sim detector-leader -n 3 --slow 0:1@6 ";
  const Outcome perfect = baton(command);
  EXPECT_EQ(perfect.code, 0) << perfect.out << perfect.err;
  const Outcome strong = baton(command + "--detector eventually-strong");
  EXPECT_EQ(strong.code, 1) << strong.out << strong.err;
  EXPECT_TRUE(has(strong.out, "processes 0 and 1 can talk and both lead")) << strong.out;
}

TEST(SimElection, SuperpeersAreMeasuredAndDrawn) {
  const std::string command =
      "sim superpeer -n 60 --first 0 --superpeers 5 --cap 12 --places corner";
  const Outcome outcome = baton(command);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "least separation")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "the cap is 12")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "# a superpeer")) << outcome.out;
  const json::object all = json::parse(baton(command + " --json").out).as_object();
  const json::object& before = all.at("superpeers_before").as_object();
  const json::object& after = all.at("superpeers").as_object();
  EXPECT_EQ(after.at("superpeers").as_array().size(), 5U);
  EXPECT_LE(after.at("most_served").to_number<int>(), 12);
  EXPECT_LT(after.at("mean_distance").to_number<double>(),
            before.at("mean_distance").to_number<double>());
}

}  // namespace
}  // namespace baton::test
