// What holds for every picture.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace baton::test {

inline std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// Every tag is closed in its turn, and no attribute or text holds what would end it early.
inline void expect_well_formed(const std::string& picture) {
  std::vector<std::string> open;
  for (std::size_t at = picture.find('<'); at != picture.npos; at = picture.find('<', at + 1)) {
    const std::size_t end = picture.find('>', at);
    ASSERT_NE(end, picture.npos);
    const std::string tag = picture.substr(at + 1, end - at - 1);
    ASSERT_EQ(tag.find('<'), tag.npos) << tag;
    EXPECT_EQ(count(tag, "\"") % 2, 0U) << tag;
    if (tag.ends_with('/')) continue;
    if (tag.front() != '/') {
      open.push_back(tag.substr(0, tag.find(' ')));
      continue;
    }
    ASSERT_FALSE(open.empty()) << tag;
    EXPECT_EQ(tag.substr(1), open.back());
    open.pop_back();
  }
  EXPECT_TRUE(open.empty());
}

}  // namespace baton::test
