// The one table printer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace baton::text {

// A header, rows, columns as wide as they need, two blanks apart.
//
// A table that is wider than the terminal gives way, in this order:
// 1. It folds, if it may: parts of its columns stand below each other, each with the columns before
//    the first place to fold.
// 2. Headings and left-aligned cells are broken between words. Columns that may be shortened end in
//    "…".
// 3. Columns are left out that may be, one after the other.
// 4. The first column, if it may, becomes a line of its own above the rows that it names.
// 5. Words are broken, too.
class Table {
 public:
  enum class Align : std::uint8_t { left, right };

  explicit Table(std::vector<std::string> header, std::vector<Align> align = {});

  // How it may give way. Columns are named by their headings, or by their places, from 0.
  Table& may_shorten(std::initializer_list<std::string_view> headings);
  Table& may_drop(std::initializer_list<std::string_view> headings);  // the first one first
  Table& may_fold_before(std::initializer_list<std::size_t> columns);
  Table& may_raise_first();

  // Cells are made printable.
  void add(std::vector<std::string> row);
  bool empty() const { return rows_.size() == 1; }
  std::string str(std::size_t width = unlimited) const;

  static constexpr std::size_t unlimited = static_cast<std::size_t>(-1);

 private:
  struct Column {
    std::size_t index = 0;
    std::size_t width = 0;
  };
  using Layout = std::vector<Column>;

  std::size_t column_of(std::string_view heading) const;
  bool may_be_shortened(std::size_t column) const;
  Layout natural(const std::vector<std::size_t>& columns) const;
  std::size_t least_width(std::size_t column, bool breaks_words) const;
  bool fits(Layout& layout, std::size_t width, bool breaks_words = false) const;
  std::vector<std::size_t> all_columns() const;

  std::string folded(std::size_t width) const;
  std::string narrowed(const std::vector<std::size_t>& columns, std::size_t width) const;
  std::string raised(std::size_t width) const;
  std::string drawn(const Layout& layout) const;
  std::vector<std::string> cell_lines(const std::string& cell, const Column& column,
                                      bool is_heading) const;
  std::string lines(std::size_t row, const Layout& layout) const;
  static std::string rule(const Layout& layout);

  std::vector<std::vector<std::string>> rows_;
  std::vector<Align> align_;
  std::vector<std::size_t> shortened_;
  std::vector<std::size_t> dropped_;
  std::vector<std::size_t> folds_;
  bool raises_first_ = false;
};

}  // namespace baton::text
