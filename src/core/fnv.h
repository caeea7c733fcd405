// FNV-1a, 64 bits (Fowler, Noll, Vo). It detects torn or mixed-up data; it does not stop an
// attacker.
#pragma once

#include <cstdint>
#include <string_view>

namespace baton {

// `from` is the sum of the bytes before these.
constexpr std::uint64_t fnv1a(std::string_view bytes, std::uint64_t from = 0xCBF29CE484222325) {
  for (const char byte : bytes) from = (from ^ static_cast<unsigned char>(byte)) * 0x100000001B3;
  return from;
}

}  // namespace baton
