#include "service/journal/checksum.h"

#include <array>
#include <boost/crc.hpp>
#include <cstring>

namespace baton::journal {

namespace {

using Bytes = std::array<unsigned char, 8>;

std::uint32_t by_table(const Bytes& place, std::string_view bytes) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  crc.process_bytes(place.data(), place.size());
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

#if defined(__x86_64__)

// The processor knows this one.
__attribute__((target("sse4.2"))) std::uint32_t by_processor(const Bytes& place,
                                                             std::string_view bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, place.data(), sizeof word);
  std::uint64_t crc = __builtin_ia32_crc32di(0xFFFFFFFF, word);
  for (; bytes.size() >= sizeof word; bytes.remove_prefix(sizeof word)) {
    std::memcpy(&word, bytes.data(), sizeof word);
    crc = __builtin_ia32_crc32di(crc, word);
  }
  auto rest = static_cast<std::uint32_t>(crc);
  for (const char byte : bytes) {
    rest = __builtin_ia32_crc32qi(rest, static_cast<unsigned char>(byte));
  }
  return ~rest;
}

bool is_known_to_processor() {
  static const bool is_known = __builtin_cpu_supports("sse4.2");
  return is_known;
}

#else

std::uint32_t by_processor(const Bytes& place, std::string_view bytes) {
  return by_table(place, bytes);
}
bool is_known_to_processor() { return false; }

#endif

}  // namespace

std::uint32_t checksum(std::uint64_t place, std::string_view bytes) {
  Bytes digits{};
  for (unsigned char& digit : digits) {
    digit = static_cast<unsigned char>(place);
    place >>= 8;
  }
  return is_known_to_processor() ? by_processor(digits, bytes) : by_table(digits, bytes);
}

}  // namespace baton::journal
