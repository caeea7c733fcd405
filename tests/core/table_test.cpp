#include "core/table.h"

#include <gtest/gtest.h>

#include <sstream>

#include "core/text.h"

namespace baton::text {
namespace {

using enum Table::Align;

Table holders() {
  Table table({"name", "fence", "label"}, {left, right, left});
  table.add({"nightly-backup", "1794816000000003", "copy all files to the other house"});
  table.add({"printer", "7", "print"});
  return table;
}

TEST(Table, IsAsWideAsItNeedsToBe) {
  EXPECT_EQ(holders().str(),
            "name                       fence  label\n"
            "--------------  ----------------  ---------------------------------\n"
            "nightly-backup  1794816000000003  copy all files to the other house\n"
            "printer                        7  print\n");
}

TEST(Table, BreaksCellsBetweenWords) {
  EXPECT_EQ(holders().str(50),
            "name                       fence  label\n"
            "--------------  ----------------  ----------------\n"
            "nightly-backup  1794816000000003  copy all files\n"
            "                                  to the other\n"
            "                                  house\n"
            "printer                        7  print\n");
}

TEST(Table, BreaksHeadings) {
  Table table({"algorithm", "mean in sequence"}, {left, right});
  table.add({"central", "2.7"});
  EXPECT_EQ(table.str(20),
            "             mean in\n"
            "algorithm   sequence\n"
            "---------  ---------\n"
            "central          2.7\n");
}

TEST(Table, ShortensWhatMayBeShortened) {
  EXPECT_EQ(holders().may_shorten({"label"}).str(50),
            "name                       fence  label\n"
            "--------------  ----------------  ----------------\n"
            "nightly-backup  1794816000000003  copy all files …\n"
            "printer                        7  print\n");
}

TEST(Table, LeavesOutWhatMayBeLeftOut) {
  EXPECT_EQ(holders().may_shorten({"label"}).may_drop({"fence"}).str(40),
            "name            label\n"
            "--------------  ------------------------\n"
            "nightly-backup  copy all files to the o…\n"
            "printer         print\n");
}

TEST(Table, FoldsWithItsFirstColumns) {
  Table table({"algorithm", "N", "enter", "theory", "exit", "theory"},
              {left, right, left, right, left, right});
  table.may_fold_before({2, 4});
  table.add({"central", "9", "2", "2", "1", "1"});
  table.add({"lamport", "9", "2(N-1)", "16", "N-1", "8"});
  EXPECT_EQ(table.str(35),
            "algorithm  N  enter   theory\n"
            "---------  -  ------  ------\n"
            "central    9  2            2\n"
            "lamport    9  2(N-1)      16\n"
            "\n"
            "algorithm  N  exit  theory\n"
            "---------  -  ----  ------\n"
            "central    9  1          1\n"
            "lamport    9  N-1        8\n");
  EXPECT_EQ(table.str(80), table.str());
}

TEST(Table, RaisesItsFirstColumn) {
  Table table({"algorithm", "situation", "theory"}, {left, left, right});
  table.may_raise_first();
  table.add({"hirschberg-sinclair", "identities-in-random-order", "112"});
  table.add({"", "one starts", "7"});
  table.add({"bully", "one starts", "8"});
  EXPECT_EQ(table.str(40),
            "algorithm\n"
            "  situation                   theory\n"
            "  --------------------------  ------\n"
            "hirschberg-sinclair\n"
            "  identities-in-random-order     112\n"
            "  one starts                       7\n"
            "bully\n"
            "  one starts                       8\n");
}

TEST(Table, BreaksWordsWhenNothingElseHelps) {
  Table table({"formula", "theory"}, {left, right});
  table.add({"4·2^k·floor(N/(2^(k-1)+1))", "112"});
  const std::string text = table.str(24);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(columns(line), 24U) << text;
}

TEST(Table, MakesCellsPrintable) {
  Table table({"label"});
  table.add({"one\ntwo\033[31m"});
  EXPECT_EQ(table.str(), "label\n------------\none two?[31m\n");
}

}  // namespace
}  // namespace baton::text
