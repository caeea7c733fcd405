#include "service/journal/checksum.h"

#include <gtest/gtest.h>

#include <string>

namespace baton::journal {
namespace {

// Bit by bit, as it is defined.
std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78 : 0);
  }
  return ~crc;
}

TEST(Checksum, IsCrc32cOfThePlaceAndTheBytes) {
  ASSERT_EQ(crc32c("123456789"), 0xE3069283);
  std::string bytes;
  for (int length = 0; length < 100; ++length) {
    const std::string place("\x08\x07\x06\x05\x04\x03\x02\x81", 8);
    EXPECT_EQ(checksum(0x8102030405060708, bytes), crc32c(place + bytes)) << length;
    bytes.push_back(static_cast<char>(length * 37));
  }
}

}  // namespace
}  // namespace baton::journal
