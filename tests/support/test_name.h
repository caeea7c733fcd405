// What tests with parameters are called: a word for the parameter, so that `ctest -N` and a failure
// tell what was tested. What gtest prints of a parameter is its PrintTo(), beside its type.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <type_traits>

namespace baton::test {

// A name may have letters, digits and underscores: ring-election is ring_election.
inline std::string test_word(std::string_view text) {
  std::string word(text);
  for (char& c : word) {
    const bool is_allowed =
        (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
    if (!is_allowed) c = '_';
  }
  return word;
}

// A name generator: the test is called as its parameter is printed.
inline constexpr auto as_printed = [](const auto& of) {
  if constexpr (std::is_convertible_v<decltype(of.param), std::string_view>) {
    return test_word(of.param);
  } else {
    return test_word(testing::PrintToString(of.param));
  }
};

// A name generator for numbers, which say little by themselves: numbered("seed_") makes seed_3.
constexpr auto numbered(const char* what) {
  return [what](const auto& of) { return what + std::to_string(of.param); };
}

}  // namespace baton::test
