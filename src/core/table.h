// The one table printer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace baton::text {

// A header, rows, columns as wide as they need, two blanks apart.
class Table {
 public:
  enum class Align : std::uint8_t { left, right };

  explicit Table(std::vector<std::string> header, std::vector<Align> align = {});
  // Cells are made printable.
  void add(std::vector<std::string> row);
  bool empty() const { return rows_.size() == 1; }
  // Where the table would be wider than this, cells of left-aligned columns are broken between
  // words; words themselves never are, so that very narrow is not possible.
  std::string str(std::size_t width = unlimited) const;

  static constexpr std::size_t unlimited = static_cast<std::size_t>(-1);

 private:
  std::vector<std::size_t> column_widths(std::size_t width) const;

  std::vector<std::vector<std::string>> rows_;
  std::vector<Align> align_;
};

}  // namespace baton::text
