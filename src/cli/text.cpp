#include "cli/text.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace baton::cli {

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;  // not a continuation byte
  }));
}

Table::Table(std::vector<std::string> header, std::vector<Align> align)
    : rows_{std::move(header)}, align_(std::move(align)) {
  align_.resize(rows_.front().size(), Align::left);
}

void Table::add(std::vector<std::string> row) {
  row.resize(rows_.front().size());
  rows_.push_back(std::move(row));
}

std::string Table::str() const {
  std::vector<std::size_t> width(rows_.front().size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      width[i] = std::max(width[i], display_width(row[i]));
    }
  }
  std::string text;
  const auto line = [&](const std::vector<std::string>& row) {
    std::string one;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(width[i] - display_width(row[i]), ' ');
      if (i > 0) one += "  ";
      one += align_[i] == Align::right ? padding + row[i] : row[i] + padding;
    }
    one.erase(one.find_last_not_of(' ') + 1);
    text += one + "\n";
  };
  line(rows_.front());
  std::vector<std::string> rule;
  for (const std::size_t w : width) rule.emplace_back(w, '-');
  line(rule);
  for (std::size_t i = 1; i < rows_.size(); ++i) line(rows_[i]);
  return text;
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

namespace {

std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(std::string_view typed, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t fewest = std::max<std::size_t>(3, typed.size() / 2) + 1;
  for (const std::string& candidate : candidates) {
    // Part of a name, "agrawala", is as good a hint as a misspelt one.
    const bool part = typed.size() >= 3 && candidate.find(typed) != candidate.npos;
    const std::size_t distance = part ? 1 : edits(typed, candidate);
    if (distance < fewest) {
      fewest = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view typed, const std::vector<std::string>& candidates) {
  const std::string best = nearest(typed, candidates);
  return best.empty() ? "" : " Did you mean '" + best + "'?";
}

}  // namespace baton::cli
