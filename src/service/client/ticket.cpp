// A session's ticket as one word: "baton1-SESSION-NONCE-REQUEST-EPOCH", the nonce in hexadecimal.
#include <array>
#include <charconv>
#include <string_view>

#include "baton/client.h"

namespace baton {
inline namespace v1 {

namespace {

constexpr std::string_view prefix = "baton1-";

std::string hex_of(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text.push_back(digits[static_cast<unsigned char>(byte) >> 4]);
    text.push_back(digits[static_cast<unsigned char>(byte) & 15]);
  }
  return text;
}

bool read_number(std::string_view text, std::uint64_t& number, int base = 10) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return error == std::errc() && end == text.data() + text.size();
}

bool read_bytes(std::string_view text, std::string& bytes) {
  if (text.empty() || text.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    std::uint64_t byte = 0;
    if (!read_number(text.substr(i, 2), byte, 16)) return false;
    bytes.push_back(static_cast<char>(byte));
  }
  return true;
}

}  // namespace

std::string SessionTicket::to_string() const {
  return std::string(prefix) + std::to_string(session) + "-" + hex_of(nonce) + "-" +
         std::to_string(next_request) + "-" + std::to_string(epoch);
}

Result<SessionTicket> SessionTicket::parse(const std::string& text) {
  const Failure failure{Error::bad_request, "this is not a ticket of a session: '" + text + "'"};
  std::string_view rest = text;
  if (!rest.starts_with(prefix)) return failure;
  rest.remove_prefix(prefix.size());
  std::array<std::string_view, 4> parts;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t dash = rest.find('-');
    if ((dash == std::string_view::npos) != (i + 1 == parts.size())) return failure;
    parts[i] = rest.substr(0, dash);
    if (dash != std::string_view::npos) rest.remove_prefix(dash + 1);
  }
  SessionTicket ticket;
  const bool is_good = read_number(parts[0], ticket.session) &&
                       read_bytes(parts[1], ticket.nonce) &&
                       read_number(parts[2], ticket.next_request) &&
                       read_number(parts[3], ticket.epoch) && ticket.session != 0;
  if (!is_good) return failure;
  return ticket;
}

}  // namespace v1
}  // namespace baton
