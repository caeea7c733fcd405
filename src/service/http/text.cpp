#include "service/http/text.h"

#include <cstdint>

#include "core/text.h"

namespace baton::http {

namespace {

constexpr std::string_view letters64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view digits16 = "0123456789abcdef";

std::optional<unsigned> digit(char letter) {
  if (letter >= '0' && letter <= '9') return static_cast<unsigned>(letter - '0');
  if (letter >= 'a' && letter <= 'f') return static_cast<unsigned>(letter - 'a' + 10);
  if (letter >= 'A' && letter <= 'F') return static_cast<unsigned>(letter - 'A' + 10);
  return std::nullopt;
}

std::optional<char> byte_of(std::string_view two) {
  if (two.size() < 2) return std::nullopt;
  const auto high = digit(two[0]);
  const auto low = digit(two[1]);
  if (!high || !low) return std::nullopt;
  return static_cast<char>(*high << 4 | *low);
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      result += ' ';
    } else if (text[i] != '%') {
      result += text[i];
    } else {
      const auto byte = byte_of(text.substr(i + 1, 2));
      if (!byte) return std::nullopt;
      result += *byte;
      i += 2;
    }
  }
  return result;
}

std::optional<Target> parse_target(std::string_view target) {
  Target result;
  const std::size_t mark = target.find('?');
  result.path = target.substr(0, mark);
  if (!text::is_utf8(result.path)) return std::nullopt;
  if (mark == std::string_view::npos) return result;
  std::string_view rest = target.substr(mark + 1);
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    if (one.empty()) continue;
    const std::size_t equals = one.find('=');
    const auto name = percent_decoded(one.substr(0, equals));
    const auto value =
        percent_decoded(equals == std::string_view::npos ? "" : one.substr(equals + 1));
    if (!name || !value) return std::nullopt;
    if (!text::is_utf8(*name) || !text::is_utf8(*value)) return std::nullopt;
    result.query.emplace_back(*name, *value);
  }
  return result;
}

std::string base64(std::string_view bytes) {
  std::string result;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8 | (j < count ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      result += j > count ? '=' : letters64[group >> (18 - 6 * j) & 63U];
    }
  }
  return result;
}

std::optional<std::string> base64_decoded(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string result;
  for (std::size_t i = 0; i < text.size(); i += 4) {
    const bool is_last = i + 4 == text.size();
    std::size_t count = 4;
    if (is_last && text[i + 3] == '=') count = text[i + 2] == '=' ? 2 : 3;
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 4; ++j) {
      const std::size_t at = j < count ? letters64.find(text[i + j]) : 0;
      if (at == std::string_view::npos) return std::nullopt;
      group = group << 6 | static_cast<std::uint32_t>(at);
    }
    for (std::size_t j = 0; j + 1 < count; ++j) {
      result += static_cast<char>(group >> (16 - 8 * j) & 255U);
    }
  }
  return result;
}

std::string hex(std::string_view bytes) {
  std::string result;
  for (const char one : bytes) {
    const auto byte = static_cast<unsigned char>(one);
    result += digits16[byte >> 4];
    result += digits16[byte & 15U];
  }
  return result;
}

std::optional<std::string> hex_decoded(std::string_view text) {
  std::string result;
  for (; !text.empty(); text.remove_prefix(2)) {
    const auto byte = byte_of(text.substr(0, 2));
    if (!byte) return std::nullopt;
    result += *byte;
  }
  return result;
}

}  // namespace baton::http
