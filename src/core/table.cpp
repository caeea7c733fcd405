#include "core/table.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/text.h"

namespace baton::text {

namespace {

// A column that may be shortened keeps so much while others may still be left out.
constexpr std::size_t least_shortened = 12;
// What is left of a column of words when even words are broken.
constexpr std::size_t least_broken = 10;
constexpr std::size_t gap = 2;
constexpr const char* indent = "  ";

std::size_t longest_word(std::string_view text) {
  std::size_t longest = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    longest = std::max(longest, columns(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return longest;
}

bool has(const std::vector<std::size_t>& columns, std::size_t column) {
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

}  // namespace

Table::Table(std::vector<std::string> header, std::vector<Align> align)
    : rows_{std::move(header)}, align_(std::move(align)) {
  align_.resize(rows_.front().size(), Align::left);
}

std::size_t Table::column_of(std::string_view heading) const {
  const auto at = std::find(rows_.front().begin(), rows_.front().end(), heading);
  if (at == rows_.front().end()) throw std::logic_error("no column " + std::string(heading));
  return static_cast<std::size_t>(at - rows_.front().begin());
}

Table& Table::may_shorten(std::initializer_list<std::string_view> headings) {
  for (const std::string_view heading : headings) shortened_.push_back(column_of(heading));
  return *this;
}

Table& Table::may_drop(std::initializer_list<std::string_view> headings) {
  for (const std::string_view heading : headings) dropped_.push_back(column_of(heading));
  return *this;
}

Table& Table::may_fold_before(std::initializer_list<std::size_t> columns) {
  folds_.assign(columns.begin(), columns.end());
  return *this;
}

Table& Table::may_raise_first() {
  raises_first_ = true;
  return *this;
}

void Table::add(std::vector<std::string> row) {
  row.resize(rows_.front().size());
  for (std::string& cell : row) cell = printable(cell);
  rows_.push_back(std::move(row));
}

// --- How wide -----------------------------------------------------------------------------------

namespace {

template <class Layout>
std::size_t total(const Layout& layout) {
  std::size_t sum = layout.empty() ? 0 : gap * (layout.size() - 1);
  for (const auto& column : layout) sum += column.width;
  return sum;
}

}  // namespace

std::vector<std::size_t> Table::all_columns() const {
  std::vector<std::size_t> all(rows_.front().size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return all;
}

Table::Layout Table::natural(const std::vector<std::size_t>& of) const {
  Layout layout;
  for (const std::size_t index : of) {
    std::size_t width = 0;
    for (const auto& row : rows_) width = std::max(width, columns(row[index]));
    layout.push_back({index, width});
  }
  return layout;
}

bool Table::may_be_shortened(std::size_t column) const { return has(shortened_, column); }

std::size_t Table::least_width(std::size_t column, bool breaks_words) const {
  std::size_t least = longest_word(rows_.front()[column]);
  for (std::size_t i = 1; i < rows_.size(); ++i) {
    const std::string& cell = rows_[i][column];
    std::size_t needed = align_[column] == Align::left ? longest_word(cell) : columns(cell);
    if (may_be_shortened(column)) {
      needed = std::min(columns(cell), breaks_words ? least_broken : least_shortened);
    } else if (breaks_words && align_[column] == Align::left) {
      needed = std::min(needed, least_broken);
    }
    least = std::max(least, needed);
  }
  return least;
}

// Takes from the widest column that can give, until it fits or none can.
bool Table::fits(Layout& layout, std::size_t width, bool breaks_words) const {
  std::vector<std::size_t> least;
  for (const Column& column : layout) least.push_back(least_width(column.index, breaks_words));
  for (std::size_t needed = total(layout); needed > width; --needed) {
    Column* widest = nullptr;
    for (std::size_t i = 0; i < layout.size(); ++i) {
      if (layout[i].width <= least[i]) continue;
      if (widest == nullptr || layout[i].width > widest->width) widest = &layout[i];
    }
    if (widest == nullptr) return false;
    --widest->width;
  }
  return true;
}

// --- In which form ------------------------------------------------------------------------------

std::string Table::str(std::size_t width) const {
  const Layout whole = natural(all_columns());
  if (total(whole) <= width) return drawn(whole);
  return folds_.empty() ? narrowed(all_columns(), width) : folded(width);
}

std::string Table::folded(std::size_t width) const {
  std::string text;
  std::vector<std::size_t> keys = all_columns();
  keys.resize(folds_.front());
  std::vector<std::size_t> part = keys;
  const auto finish = [&] {
    text += (text.empty() ? "" : "\n") + narrowed(part, width);
    part = keys;
  };
  for (std::size_t i = 0; i < folds_.size(); ++i) {
    const std::size_t end = i + 1 < folds_.size() ? folds_[i + 1] : rows_.front().size();
    std::vector<std::size_t> longer = part;
    for (std::size_t column = folds_[i]; column < end; ++column) longer.push_back(column);
    if (part.size() > keys.size() && total(natural(longer)) > width) {
      finish();
      for (std::size_t column = folds_[i]; column < end; ++column) part.push_back(column);
    } else {
      part = std::move(longer);
    }
  }
  finish();
  return text;
}

std::string Table::narrowed(const std::vector<std::size_t>& columns, std::size_t width) const {
  std::vector<std::size_t> left = columns;
  Layout layout = natural(left);
  if (fits(layout, width)) return drawn(layout);
  for (const std::size_t column : dropped_) {
    std::erase(left, column);
    layout = natural(left);
    if (fits(layout, width)) return drawn(layout);
  }
  if (raises_first_) return raised(width);
  layout = natural(left);
  fits(layout, width, true);
  return drawn(layout);
}

std::string Table::raised(std::size_t width) const {
  std::vector<std::size_t> rest = all_columns();
  rest.erase(rest.begin());
  Layout layout = natural(rest);
  const std::size_t left = width - std::min(width, gap);
  if (!fits(layout, left)) fits(layout, left, true);
  const auto indented = [](const std::string& text) {
    std::string all;
    for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
      end = text.find('\n', begin);
      all += indent + text.substr(begin, end - begin) + "\n";
    }
    return all;
  };
  std::string text = rows_.front().front() + "\n" + indented(lines(0, layout) + rule(layout));
  for (std::size_t i = 1; i < rows_.size(); ++i) {
    if (!rows_[i].front().empty()) text += shortened(rows_[i].front(), width, "…") + "\n";
    text += indented(lines(i, layout));
  }
  return text;
}

// --- Drawing ------------------------------------------------------------------------------------

std::string Table::drawn(const Layout& layout) const {
  std::string text = lines(0, layout) + rule(layout);
  for (std::size_t i = 1; i < rows_.size(); ++i) text += lines(i, layout);
  return text;
}

std::string Table::rule(const Layout& layout) {
  std::string text;
  for (const Column& column : layout) {
    text += std::string(text.empty() ? 0 : gap, ' ') + std::string(column.width, '-');
  }
  return text + "\n";
}

std::vector<std::string> Table::cell_lines(const std::string& cell, const Column& column,
                                           bool is_heading) const {
  if (columns(cell) <= column.width) return {cell};
  if (may_be_shortened(column.index) && !is_heading) return {shortened(cell, column.width, "…")};
  return wrapped(cell, column.width);
}

// One line, or more where cells are broken; headings stand above the rule.
std::string Table::lines(std::size_t row, const Layout& layout) const {
  const bool is_heading = row == 0;
  std::vector<std::vector<std::string>> cells;
  std::size_t height = 1;
  for (const Column& column : layout) {
    cells.push_back(cell_lines(rows_[row][column.index], column, is_heading));
    height = std::max(height, cells.back().size());
  }
  std::string text;
  for (std::size_t line = 0; line < height; ++line) {
    std::string one;
    for (std::size_t i = 0; i < layout.size(); ++i) {
      const std::size_t above = is_heading ? height - cells[i].size() : 0;
      const bool is_there = line >= above && line - above < cells[i].size();
      const std::string& part = is_there ? cells[i][line - above] : std::string();
      const std::size_t used = std::min(columns(part), layout[i].width);
      const std::string padding(layout[i].width - used, ' ');
      if (i > 0) one += std::string(gap, ' ');
      one += align_[layout[i].index] == Align::right ? padding + part : part + padding;
    }
    one.erase(one.find_last_not_of(' ') + 1);
    text += one + "\n";
  }
  return text;
}

}  // namespace baton::text
