#include <string>

#include "cli/lab/baton.h"

namespace baton::test {
namespace {

TEST(SimSvg, WritesThePictureBesideTheReport) {
  const Folder folder;
  const std::string file = (folder / "run.svg").string();
  const Outcome outcome = baton("sim ricart-agrawala -n 3 --svg " + file);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out, baton("sim ricart-agrawala -n 3").out);
  const std::string picture = contents(file);
  EXPECT_TRUE(picture.starts_with("<svg "));
  EXPECT_TRUE(picture.ends_with("</svg>\n"));
  EXPECT_TRUE(has(picture, "ricart-agrawala, 3 processes, seed 1"));
  baton("sim ricart-agrawala -n 3 --svg " + file);
  EXPECT_EQ(contents(file), picture);
}

TEST(SimSvg, GoesWithEveryOtherOutput) {
  const Folder folder;
  const std::string file = (folder / "run.svg").string();
  const std::string trace = (folder / "trace").string();
  for (const std::string other : {"--json", "--trace", "--trace json", "--trace chrome"}) {
    const std::string command = "sim lamport -n 3 " + other;
    EXPECT_EQ(baton(command + " --svg " + file).out, baton(command).out) << other;
    EXPECT_TRUE(has(contents(file), "lamport, 3 processes")) << other;
    std::filesystem::remove(file);
  }
  baton("sim lamport -n 3 --trace json -o " + trace + " --svg " + file);
  EXPECT_TRUE(has(contents(trace), "\"baton\":\"trace\""));
  EXPECT_TRUE(has(contents(file), "</svg>"));
}

TEST(SimSvg, ShowsTheSeedThatBrokeAPromise) {
  const Folder folder;
  const std::string file = (folder / "run.svg").string();
  const Outcome outcome =
      baton("sim maekawa -n 3 --demand deadlock-freedom --names a,b,c --svg " + file);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(has(contents(file), "class=\"bad\""));
  EXPECT_TRUE(has(contents(file), ">c</text>"));
}

TEST(SimSvg, RefusesWhatItCannotDrawAndLeavesTheFileAlone) {
  const Folder folder;
  const std::string file = (folder / "run.svg").string();
  expect_refused("sim central -n 65 --svg " + file, "up to 64 processes");
  expect_refused("sim lamport -n 60 --svg " + file, "up to 5,000 events");
  expect_refused("sim lamport -n 60 --json --svg " + file, "up to 5,000 events");
  expect_refused("sim bakery -n 2 --svg " + file, "--svg cannot be used with bakery");
  expect_refused("sim lamport --trace json -o " + file + " --svg " + file, "both write to");
  expect_refused("sim lamport --svg ''", "--svg needs the name of a file");
  EXPECT_TRUE(folder.empty());
}

TEST(SimSvg, AFileThatCannotBeWrittenIsSaidBeforeTheRun) {
  const Folder folder;
  const std::string path = (folder / "missing/run.svg").string();
  const Outcome outcome = shell(
      "timeout 10 $BATON sim ricart-agrawala -n 10 --workload saturated --entries 50000000 --svg " +
      path);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(lines(outcome.err), 1U) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "cannot write to '" + path)) << outcome.err;
  EXPECT_TRUE(has(baton("sim lamport --svg /dev/full").err, "writing to '/dev/full' failed"));
}

}  // namespace
}  // namespace baton::test
