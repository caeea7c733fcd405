#include "cli/text.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "core/nearest.h"
#include "service/utf8.h"
#include "view/text.h"

namespace baton::cli {

namespace {

std::size_t longest_word(std::string_view text) {
  std::size_t longest = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    longest = std::max(longest, view::columns(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return longest;
}

}  // namespace

Table::Table(std::vector<std::string> header, std::vector<Align> align)
    : rows_{std::move(header)}, align_(std::move(align)) {
  align_.resize(rows_.front().size(), Align::left);
}

void Table::add(std::vector<std::string> row) {
  row.resize(rows_.front().size());
  for (std::string& cell : row) cell = printable(cell);
  rows_.push_back(std::move(row));
}

std::vector<std::size_t> Table::column_widths(std::size_t width) const {
  const std::size_t columns = rows_.front().size();
  std::vector<std::size_t> widths(columns);
  std::vector<std::size_t> least(columns);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < columns; ++i) {
      const std::size_t needed = view::columns(row[i]);
      widths[i] = std::max(widths[i], needed);
      least[i] = std::max(least[i], align_[i] == Align::left ? longest_word(row[i]) : needed);
    }
  }
  std::size_t total = std::accumulate(widths.begin(), widths.end(), 2 * (columns - 1));
  while (total > width) {
    // The widest of those that can give way.
    std::size_t widest = columns;
    for (std::size_t i = 0; i < columns; ++i) {
      if (widths[i] > least[i] && (widest == columns || widths[i] > widths[widest])) widest = i;
    }
    if (widest == columns) break;
    --widths[widest];
    --total;
  }
  return widths;
}

std::string Table::str(std::size_t width) const {
  const std::vector<std::size_t> widths = column_widths(width);
  std::string text;
  const auto line = [&](const std::vector<std::string>& row) {
    std::string one;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - view::columns(row[i]), ' ');
      if (i > 0) one += "  ";
      one += align_[i] == Align::right ? padding + row[i] : row[i] + padding;
    }
    one.erase(one.find_last_not_of(' ') + 1);
    text += one + "\n";
  };
  const auto lines = [&](const std::vector<std::string>& row) {
    std::vector<std::vector<std::string>> broken;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::vector<std::string> parts = view::columns(row[i]) <= widths[i]
                                                 ? std::vector{row[i]}
                                                 : view::wrapped(row[i], widths[i]);
      if (parts.size() > broken.size()) {
        broken.resize(parts.size(), std::vector<std::string>(row.size()));
      }
      for (std::size_t part = 0; part < parts.size(); ++part) broken[part][i] = parts[part];
    }
    for (const auto& one : broken) line(one);
  };
  lines(rows_.front());
  std::vector<std::string> rule;
  rule.reserve(widths.size());
  for (const std::size_t w : widths) rule.emplace_back(w, '-');
  line(rule);
  for (std::size_t i = 1; i < rows_.size(); ++i) lines(rows_[i]);
  return text;
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
  return view::printable(plain, true);
}

namespace {

bool is_control(std::string_view letter) {
  const auto first = static_cast<unsigned char>(letter[0]);
  if (letter.size() == 1) return first < 0x20 || first == 0x7F;
  return first == 0xC2 && static_cast<unsigned char>(letter[1]) < 0xA0;
}

}  // namespace

std::string printable(std::string_view text) {
  const std::string whole = service::as_utf8(text);
  std::string result;
  result.reserve(whole.size());
  for (std::string_view left = whole; !left.empty();) {
    const std::string_view letter = left.substr(0, service::first_letter(left));
    if (letter == "\n" || letter == "\t") {
      result += ' ';
    } else if (is_control(letter)) {
      result += '?';
    } else {
      result += letter;
    }
    left.remove_prefix(letter.size());
  }
  return result;
}

std::string beginning_of(std::string_view text, std::size_t most_bytes) {
  std::size_t end = std::min(text.size(), most_bytes);
  const auto is_within_a_letter = [&] {
    return end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80;
  };
  while (is_within_a_letter()) --end;
  return std::string(text.substr(0, end));
}

std::string number(double value) {
  if (std::isnan(value)) return "-";
  std::string text = fmt::format("{:.4f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

std::string did_you_mean(std::string_view typed, const std::vector<std::string>& candidates) {
  const std::string best = nearest(typed, candidates);
  return best.empty() ? "" : "; did you mean '" + best + "'?";
}

}  // namespace baton::cli
