// What a test of the checker needs of the options that an algorithm names for `baton check`.
#pragma once

#include <cstdint>
#include <optional>
#include <sstream>
#include <string>

#include "core/info.h"

namespace baton::test {

// The number that follows `option`: 4 after "-n" in "-n 4 --requests 1".
inline std::optional<std::uint32_t> number_after(const std::string& option,
                                                 const CheckedInstance& instance) {
  std::istringstream words{std::string(instance.options)};
  for (std::string word; words >> word;) {
    std::uint32_t number = 0;
    if (word == option && words >> number) return number;
  }
  return std::nullopt;
}

}  // namespace baton::test
