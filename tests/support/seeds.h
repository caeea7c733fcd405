// `make soak` says how many seeds there are (BATON_SEEDS), and where they begin (BATON_FIRST_SEED).
#pragma once

#include <cstdint>
#include <cstdlib>

namespace baton::test {

inline std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

}  // namespace baton::test
