#include "peers/net/link_bytes.h"

namespace baton::net {

void append_varint(std::string& out, std::uint64_t number) {
  while (number >= 0x80) {
    out.push_back(static_cast<char>(number | 0x80));
    number >>= 7;
  }
  out.push_back(static_cast<char>(number));
}

void append_text(std::string& out, std::string_view text) {
  append_varint(out, text.size());
  out.append(text);
}

std::uint64_t ByteReader::fail() {
  is_good_ = false;
  rest_ = {};
  return 0;
}

std::uint64_t ByteReader::varint() {
  std::uint64_t number = 0;
  for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    number |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if ((byte & 0x80) != 0) continue;
    // One way to write a number: no zeros at its end, no more than 64 bits.
    if ((byte == 0 && shift > 0) || (shift == 63 && byte > 1)) break;
    return number;
  }
  return fail();
}

std::string_view ByteReader::bytes(std::uint64_t count) {
  if (count > rest_.size()) fail();
  if (!is_good_) return {};
  const std::string_view found = rest_.substr(0, static_cast<std::size_t>(count));
  rest_.remove_prefix(found.size());
  return found;
}

std::string ByteReader::text(std::size_t longest) {
  const std::uint64_t length = varint();
  if (length > longest) fail();
  return std::string(bytes(is_good_ ? length : 0));
}

}  // namespace baton::net
