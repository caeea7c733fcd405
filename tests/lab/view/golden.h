// Comparison with a text kept in tests/lab/view/golden. BATON_UPDATE_GOLDEN=1 writes these texts
// anew; look at the difference before it is committed.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace baton::test {

inline void expect_golden(const std::string& name, const std::string& text) {
  const auto path = std::filesystem::path(SOURCE_FOLDER "/tests/lab/view/golden") / name;
  if (std::getenv("BATON_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
  std::ifstream file(path);
  ASSERT_TRUE(file) << path << " is missing; BATON_UPDATE_GOLDEN=1 writes it";
  std::ostringstream golden;
  golden << file.rdbuf();
  EXPECT_EQ(text, golden.str()) << "differs from " << path;
}

}  // namespace baton::test
