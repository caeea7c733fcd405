#include "core/table.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include "core/text.h"

namespace baton::text {

namespace {

std::size_t longest_word(std::string_view text) {
  std::size_t longest = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    longest = std::max(longest, columns(text.substr(0, end)));
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
  const std::size_t count = rows_.front().size();
  std::vector<std::size_t> widths(count);
  std::vector<std::size_t> least(count);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t needed = columns(row[i]);
      widths[i] = std::max(widths[i], needed);
      least[i] = std::max(least[i], align_[i] == Align::left ? longest_word(row[i]) : needed);
    }
  }
  std::size_t total = std::accumulate(widths.begin(), widths.end(), 2 * (count - 1));
  while (total > width) {
    // The widest of those that can give way.
    std::size_t widest = count;
    for (std::size_t i = 0; i < count; ++i) {
      if (widths[i] > least[i] && (widest == count || widths[i] > widths[widest])) widest = i;
    }
    if (widest == count) break;
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
      const std::string padding(widths[i] - columns(row[i]), ' ');
      if (i > 0) one += "  ";
      one += align_[i] == Align::right ? padding + row[i] : row[i] + padding;
    }
    one.erase(one.find_last_not_of(' ') + 1);
    text += one + "\n";
  };
  const auto lines = [&](const std::vector<std::string>& row) {
    std::vector<std::vector<std::string>> broken;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::vector<std::string> parts =
          columns(row[i]) <= widths[i] ? std::vector{row[i]} : wrapped(row[i], widths[i]);
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

}  // namespace baton::text
