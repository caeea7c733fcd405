#include <string>

#include "cli/lab/baton.h"

namespace baton::test {
namespace {

TEST(CompareSvg, DrawsWhatWasComparedInsteadOfTables) {
  const Folder folder;
  const std::string file = (folder / "messages.svg").string();
  const Outcome outcome = baton("compare lamport raymond -n 2..9 --svg " + file);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out, "\nEvery measured value agrees with theory.\n");
  const std::string picture = contents(file);
  EXPECT_TRUE(picture.starts_with("<svg "));
  EXPECT_TRUE(picture.ends_with("</svg>\n"));
  EXPECT_TRUE(has(picture, ">lamport</text>"));
  EXPECT_TRUE(has(picture, ">3(N-1)</text>"));
  EXPECT_TRUE(has(picture, "lamport at 9: 24<"));
  EXPECT_TRUE(has(picture, "raymond at 9: 4<"));
  EXPECT_FALSE(has(picture, ">central</text>"));
}

TEST(CompareSvg, SizesInAnyOrderGiveTheSamePicture) {
  const Folder folder;
  const std::string one = (folder / "one.svg").string();
  const std::string other = (folder / "other.svg").string();
  baton("compare lamport -n 3 -n 5 -n 9 --svg " + one);
  baton("compare lamport -n 9 -n 3 -n 5 --svg " + other);
  EXPECT_FALSE(contents(one).empty());
  EXPECT_EQ(contents(one), contents(other));
}

TEST(CompareSvg, WithoutSizesTakesSeveral) {
  const Folder folder;
  const std::string file = (folder / "messages.svg").string();
  EXPECT_EQ(baton("compare lamport --svg " + file).code, 0);
  EXPECT_TRUE(has(contents(file), "lamport at 4: 9<"));
  EXPECT_TRUE(has(contents(file), "lamport at 50: 147<"));
}

TEST(CompareSvg, GoesWithTheArrayForPrograms) {
  const Folder folder;
  const std::string file = (folder / "messages.svg").string();
  const std::string command = "compare lamport -n 2..4 --json";
  EXPECT_EQ(baton(command + " --svg " + file).out, baton(command).out);
  EXPECT_TRUE(has(contents(file), "</svg>"));
}

TEST(CompareSvg, RefusesWhatCannotBeDrawn) {
  const Folder folder;
  const std::string file = (folder / "messages.svg").string();
  expect_refused("compare -n 10 --svg " + file, "several sizes: -n 2..50");
  expect_refused("compare -n 10 -n 10 --svg " + file, "several sizes");
  expect_refused("compare --svg ''", "--svg needs the name of a file");
  expect_refused("compare --svg " + (folder / "missing/messages.svg").string(), "cannot write to");
  EXPECT_TRUE(folder.empty());
  const Outcome full = baton("compare lamport -n 2..3 --svg /dev/full");
  EXPECT_EQ(full.code, 2);
  EXPECT_TRUE(has(full.err, "writing to '/dev/full' failed")) << full.err;
}

}  // namespace
}  // namespace baton::test
