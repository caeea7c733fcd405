#include "core/text.h"

#include <gtest/gtest.h>

namespace baton::test {
namespace {

using namespace text;

TEST(Text, CountsColumnsNotBytes) {
  EXPECT_EQ(columns("abc"), 3U);
  EXPECT_EQ(columns("├──▶"), 4U);
  EXPECT_EQ(columns("東京"), 4U);
  EXPECT_EQ(columns("e\u0301"), 1U);  // a combining accent
  EXPECT_EQ(columns("\xff\xfe"), 2U);
}

TEST(Text, PrintableReplacesWhatWouldUpsetATerminal) {
  EXPECT_EQ(printable("a\x1b[31m\n", false), "a?[31m ");
  EXPECT_EQ(printable("\u202Eevil", false), "?evil");
  EXPECT_EQ(printable("Zoë", false), "Zoë");
  EXPECT_EQ(printable("Zoë", true), "Zo?");
  EXPECT_EQ(printable("\xc0\xaf \xed\xa0\x80", false), "?? ???");  // overlong, surrogate
}

TEST(Text, ShortensByColumns) {
  EXPECT_EQ(shortened("Request", 7, "…"), "Request");
  EXPECT_EQ(shortened("Request", 6, "…"), "Reque…");
  EXPECT_EQ(shortened("東京都", 4, "…"), "東…");
  EXPECT_EQ(shortened("Request", 2, "..."), "");
}

TEST(Text, WrapsBetweenWordsAndBreaksLongOnes) {
  EXPECT_EQ(wrapped("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrapped("abcdefgh", 3), (std::vector<std::string>{"abc", "def", "gh"}));
  EXPECT_TRUE(wrapped("", 3).empty());
}

TEST(Text, QuotesForJson) {
  EXPECT_EQ(json_quoted("a\"b\\c\n\x02"), R"("a\"b\\c\n\u0002")");
  EXPECT_EQ(json_quoted("\xff"), "\"\uFFFD\"");
}

TEST(Text, WritesTimesAsDecimals) {
  EXPECT_EQ(decimal({2'500'000}, message_time, 1), "2.5");
  EXPECT_EQ(decimal({1'999'999}, message_time, 2), "2.00");
  EXPECT_EQ(decimal({40'000}, message_time, 2), "0.04");
  EXPECT_EQ(decimal({-1'500'000}, message_time, 1), "-1.5");
  EXPECT_EQ(decimal({3'000'000}, message_time, 0), "3");
}

}  // namespace
}  // namespace baton::test
