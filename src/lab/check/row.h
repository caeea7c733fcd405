// Rows of numbers as bytes. Each number is written as groups of seven bits, the lowest first; all
// but the last have the eighth bit set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "lab/check/interning.h"

namespace baton::check {

// The most bytes that encoding a row may write. It writes whole words, so some lie beyond the end.
constexpr std::size_t most_bytes_of_row(std::size_t length) { return 5 * length + 8; }

inline std::size_t encode_row(const Id* row, std::uint32_t length, std::uint8_t* bytes) {
  std::uint8_t* at = bytes;
  std::uint64_t word = 0;
  unsigned filled = 0;
  const auto flush = [&] {
    std::memcpy(at, &word, sizeof(word));
    at += filled / 8;
    word = 0;
    filled = 0;
  };
  for (std::uint32_t i = 0; i < length; ++i) {
    Id id = row[i];
    if (id >= 0x4000) {
      flush();
      for (; id >= 0x4000; id >>= 7) *at++ = static_cast<std::uint8_t>(id | 0x80);
    }
    // Writes seven bits or fourteen without a branch, because the processor cannot predict it.
    const unsigned is_long = id >= 0x80 ? 1 : 0;
    word |= std::uint64_t{id + (id & 0x3F80) + (is_long << 7)} << filled;
    filled += 8 + 8 * is_long;
    if (i % 4 == 3) flush();
  }
  flush();
  return static_cast<std::size_t>(at - bytes);
}

inline const std::uint8_t* decode_number(const std::uint8_t* bytes, Id& id) {
  id = *bytes & 0x7F;
  for (unsigned shift = 7; (*bytes++ & 0x80) != 0; shift += 7) {
    id |= static_cast<Id>(*bytes & 0x7F) << shift;
  }
  return bytes;
}

inline void decode_row(const std::uint8_t* bytes, Id* row, std::uint32_t length) {
  const std::uint32_t last = length - 1;
  for (std::uint32_t i = 0; i < last; ++i) {
    // Another number follows, so there are two bytes.
    const Id goes_on = bytes[0] >> 7;
    if (goes_on != 0 && bytes[1] >= 0x80) {
      bytes = decode_number(bytes, row[i]);
    } else {
      row[i] = (bytes[0] & 0x7F) | (goes_on * bytes[1]) << 7;
      bytes += 1 + goes_on;
    }
  }
  decode_number(bytes, row[last]);
}

}  // namespace baton::check
