#include <boost/json.hpp>

#include "cli/lab/baton.h"

namespace baton::test {
namespace {

namespace json = boost::json;

TEST(SimObservation, TellsOfTheCut) {
  const Outcome outcome = baton("sim chandy-lamport -n 4");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "12 Marker, 3 Piece")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "= 400")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "✓ consistency kept")) << outcome.out;
}

TEST(SimObservation, IsAnObjectForPrograms) {
  const json::object all =
      json::parse(baton("sim chandy-lamport -n 4 --workload everyone --json").out).as_object();
  ASSERT_EQ(all.at("cuts").as_array().size(), 4U);
  const json::object cut = all.at("cuts").at(0).as_object();
  EXPECT_EQ(cut.at("in_states").to_number<int>() + cut.at("in_channels").to_number<int>(), 400);
  EXPECT_EQ(all.at("messages_to_observe").to_number<int>(), 4 * (12 + 3));
}

TEST(SimObservation, DrawsTheCut) {
  const Outcome outcome = baton("sim chandy-lamport -n 3 --first 0 --trace");
  EXPECT_TRUE(has(outcome.out, "▣")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "0 records its state for snapshot 0.1")) << outcome.out;
  const Folder folder;
  const std::string file = (folder / "cut.svg").string();
  EXPECT_EQ(baton("sim chandy-lamport -n 3 --first 0 --svg " + file).code, 0);
  const std::string picture = contents(file);
  EXPECT_TRUE(has(picture, "the cut of snapshot 0.1")) << picture;
}

TEST(SimObservation, BreaksWithoutFifoAndShowsHow) {
  const std::string line = "sim chandy-lamport -n 4 --delay exponential --reorder --seeds 1000";
  expect_refused(line, "--allow reordering");
  const Outcome outcome = baton(line + " --allow reordering");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(has(outcome.out, "✗ consistency broken")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "How it came about, in the shortest run found")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "records its state for snapshot")) << outcome.out;
}

TEST(SimObservation, TellsOfTermination) {
  const Outcome right = baton("sim dijkstra-scholten -n 4");
  EXPECT_EQ(right.code, 0);
  EXPECT_TRUE(has(right.out, "says process 0")) << right.out;
  const Outcome wrong = baton("sim wrong-termination-asks-only -n 4 --seeds 1000");
  EXPECT_EQ(wrong.code, 1);
  EXPECT_TRUE(has(wrong.out, "announces termination, but")) << wrong.out;
}

TEST(SimObservation, TheClocksOfTheArticle) {
  EXPECT_TRUE(
      has(baton("sim deferral-lamport -n 3 --first 1 --trace").out, "1 enters, having waited 7.0"));
  EXPECT_TRUE(
      has(baton("sim deferral-vector -n 3 --first 1 --trace").out, "1 enters, having waited 2.0"));
}

TEST(SimObservation, RefusesWhatItCannotDo) {
  expect_refused("sim chandy-lamport --workload poisson --at 3", "--at needs");
  expect_refused("compare chandy-lamport", "observes");
}

}  // namespace
}  // namespace baton::test
