// FNV-1a, 64 bits (Fowler, Noll, Vo): tells what was torn or mixed up from what is whole, not an
// attacker's work from another's.
#pragma once

#include <cstdint>
#include <string_view>

namespace baton {

// `from` is the sum of what comes before.
constexpr std::uint64_t fnv1a(std::string_view bytes, std::uint64_t from = 0xCBF29CE484222325) {
  for (const char byte : bytes) from = (from ^ static_cast<unsigned char>(byte)) * 0x100000001B3;
  return from;
}

}  // namespace baton
