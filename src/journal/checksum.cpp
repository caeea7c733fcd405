#include "journal/checksum.h"

#include <array>
#include <boost/crc.hpp>

namespace baton::journal {

std::uint32_t checksum(std::uint64_t place, std::string_view bytes) {
  std::array<unsigned char, 8> digits{};
  for (unsigned char& digit : digits) {
    digit = static_cast<unsigned char>(place);
    place >>= 8;
  }
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  crc.process_bytes(digits.data(), digits.size());
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

}  // namespace baton::journal
