#include "core/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <utility>

namespace baton::text {

namespace {

struct Rune {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

Rune rune_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(at);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || at + length > text.size()) return {};
  std::uint32_t code = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0U) != 0x80) return {};
    code = code << 6 | (byte(at + i) & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 5> smallest{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < smallest[length] || code > 0x10FFFF || surrogate) return {};
  return {code, length, true};
}

// The scripts that terminals draw two columns wide, and marks that take none.
std::size_t columns_of(std::uint32_t code) {
  struct Range {
    std::uint32_t first, last;
  };
  static constexpr std::array<Range, 4> marks{
      {{0x0300, 0x036F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}}};
  static constexpr std::array<Range, 7> wide{{{0x1100, 0x115F},
                                              {0x2E80, 0xA4CF},
                                              {0xAC00, 0xD7A3},
                                              {0xF900, 0xFAFF},
                                              {0xFE30, 0xFE6F},
                                              {0xFF00, 0xFF60},
                                              {0x1F300, 0x3FFFD}}};
  const auto holds = [&](const Range& range) { return range.first <= code && code <= range.last; };
  if (std::any_of(marks.begin(), marks.end(), holds)) return 0;
  return std::any_of(wide.begin(), wide.end(), holds) ? 2 : 1;
}

// Calls `visit(rune, its bytes)` for each character.
template <class Visit>
void for_each_rune(std::string_view text, Visit visit) {
  for (std::size_t at = 0; at < text.size();) {
    const Rune rune = rune_at(text, at);
    visit(rune, text.substr(at, rune.bytes));
    at += rune.bytes;
  }
}

bool is_control(const Rune& rune) {
  // Besides C0 and C1, these marks reverse the direction of the text after them.
  return rune.code < 0x20 || (rune.code >= 0x7F && rune.code < 0xA0) ||
         (rune.code >= 0x202A && rune.code <= 0x202E) ||
         (rune.code >= 0x2066 && rune.code <= 0x2069);
}

}  // namespace

bool is_utf8(std::string_view text) {
  // Most texts are ASCII, which a quick look finds.
  unsigned all = 0;
  for (const char letter : text) all |= static_cast<unsigned char>(letter);
  if (all < 0x80) return true;
  for (std::size_t at = 0; at < text.size();) {
    const Rune rune = rune_at(text, at);
    if (!rune.valid) return false;
    at += rune.bytes;
  }
  return true;
}

std::string as_utf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for_each_rune(text, [&](const Rune& rune, std::string_view bytes) {
    result += rune.valid ? bytes : std::string_view("?");
  });
  return result;
}

std::string beginning_of(std::string_view text, std::size_t most_bytes) {
  std::size_t end = std::min(text.size(), most_bytes);
  const auto is_within_a_character = [&] {
    return end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80;
  };
  while (is_within_a_character()) --end;
  return std::string(text.substr(0, end));
}

std::size_t columns(std::string_view text) {
  std::size_t sum = 0;
  for_each_rune(text, [&](const Rune& rune, std::string_view) {
    sum += rune.valid ? columns_of(rune.code) : 1;
  });
  return sum;
}

std::string printable(std::string_view text, bool ascii) {
  std::string clean;
  for_each_rune(text, [&](const Rune& rune, std::string_view bytes) {
    if (rune.code == '\n' || rune.code == '\t') {
      clean += ' ';
    } else if (!rune.valid || is_control(rune) || (ascii && rune.code >= 0x80)) {
      clean += '?';
    } else {
      clean += bytes;
    }
  });
  return clean;
}

std::string in_characters(std::string_view text, bool ascii) {
  std::string plain(text);
  if (!ascii) return plain;
  using Pair = std::pair<std::string_view, std::string_view>;
  for (const auto& [sign, letters] :
       {Pair{"–", "-"}, Pair{"−", "-"}, Pair{"√", "sqrt "}, Pair{"²", "^2"}, Pair{"Σ", "sum"},
        Pair{"·", "*"}, Pair{"≥", ">="}, Pair{"λ", "rate"}}) {
    for (auto at = plain.find(sign); at != plain.npos; at = plain.find(sign, at)) {
      plain.replace(at, sign.size(), letters);
    }
  }
  return printable(plain, true);
}

std::string shortened(std::string_view text, std::size_t width, std::string_view ellipsis) {
  if (columns(text) <= width) return std::string(text);
  const std::size_t reserved = std::min(width, columns(ellipsis));
  std::string kept;
  std::size_t used = 0;
  bool full = false;
  for_each_rune(text, [&](const Rune& rune, std::string_view bytes) {
    const std::size_t more = rune.valid ? columns_of(rune.code) : 1;
    full = full || used + more > width - reserved;
    if (full) return;
    used += more;
    kept += bytes;
  });
  if (reserved == columns(ellipsis)) kept += ellipsis;
  return kept;
}

namespace {

// Returns how many of the first bytes take at most `width` columns.
std::size_t bytes_within(std::string_view text, std::size_t width) {
  std::size_t at = 0;
  for (std::size_t used = 0; at < text.size();) {
    const Rune rune = rune_at(text, at);
    used += rune.valid ? columns_of(rune.code) : 1;
    if (used > width) break;
    at += rune.bytes;
  }
  return at;
}

// Of a word that is too long, so much as fits on a line: up to a mark after which one would break it,
// unless that leaves less than half of a line.
std::string_view beginning_of_word(std::string_view word, std::size_t width) {
  const std::string_view most = word.substr(0, bytes_within(word, width));
  std::size_t end = 0;
  for (const std::string_view mark : {",", "/", "|", "·"}) {
    const auto at = most.rfind(mark);
    if (at != most.npos && at > 0) end = std::max(end, at + mark.size());
  }
  const std::string_view up_to_mark = most.substr(0, end);
  return 2 * columns(up_to_mark) >= width ? up_to_mark : most;
}

}  // namespace

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  const auto finish_line = [&] {
    lines.push_back(line);
    line.clear();
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    std::size_t left = columns(word);
    if (!line.empty() && columns(line) + 1 + left > width) finish_line();
    while (left > width) {
      const std::string_view head = beginning_of_word(word, width);
      if (head.empty()) break;
      lines.emplace_back(head);
      left -= columns(head);
      word.remove_prefix(head.size());
    }
    if (!line.empty()) line += ' ';
    line += word;
  }
  if (!line.empty()) finish_line();
  return lines;
}

std::string json_quoted(std::string_view text) {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string quoted = "\"";
  for_each_rune(text, [&](const Rune& rune, std::string_view bytes) {
    if (!rune.valid) {
      quoted += "\xEF\xBF\xBD";
    } else if (rune.code == '"' || rune.code == '\\') {
      quoted += '\\';
      quoted += bytes;
    } else if (rune.code == '\n') {
      quoted += "\\n";
    } else if (rune.code < 0x20) {
      quoted += "\\u00";
      quoted += digits[rune.code >> 4];
      quoted += digits[rune.code & 15];
    } else {
      quoted += bytes;
    }
  });
  return quoted + '"';
}

std::string decimal(Ticks time, Ticks unit, int digits) {
  std::int64_t scale = 1;
  for (int i = 0; i < digits; ++i) scale *= 10;
  const bool negative = time.value < 0;
  const auto ticks = negative ? ~static_cast<std::uint64_t>(time.value) + 1
                              : static_cast<std::uint64_t>(time.value);
  const auto per_unit = static_cast<std::uint64_t>(unit.value);
  std::uint64_t whole = ticks / per_unit;
  std::uint64_t part =
      ((ticks % per_unit) * static_cast<std::uint64_t>(scale) + per_unit / 2) / per_unit;
  if (part == static_cast<std::uint64_t>(scale)) {
    ++whole;
    part = 0;
  }
  std::string text(negative ? 1 : 0, '-');
  text += std::to_string(whole);
  if (digits == 0) return text;
  const std::string fraction = std::to_string(part);
  return text + '.' + std::string(static_cast<std::size_t>(digits) - fraction.size(), '0') +
         fraction;
}

std::string number(double value) {
  if (std::isnan(value)) return "-";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::array<char, 400> digits{};
  std::snprintf(digits.data(), digits.size(), "%.4f", value);
  std::string text = digits.data();
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

}  // namespace baton::text
