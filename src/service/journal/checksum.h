// CRC-32C of a record together with its place, so that one record does not pass for another.
#pragma once

#include <cstdint>
#include <string_view>

namespace baton::journal {

std::uint32_t checksum(std::uint64_t place, std::string_view bytes);

}  // namespace baton::journal
