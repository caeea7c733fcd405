// Words and tables for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace baton::cli {

// The one table printer: a header, rows, columns as wide as they need, two blanks apart.
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

// The text as it is, or in 7-bit characters: "Ricart-Agrawala", "3sqrt N".
std::string in_characters(std::string_view text, bool ascii);

// What others have written, for a terminal: control characters and what is not UTF-8 as '?', ends
// of lines as blanks.
std::string printable(std::string_view text);
// So many bytes of it at most, and only whole letters.
std::string beginning_of(std::string_view text, std::size_t most_bytes);

// 3, 3.25, 0.6667: up to four decimals, none that say nothing.
std::string number(double value);
// 1,234,567
std::string grouped(std::uint64_t value);

// "; did you mean 'x'?" or "".
std::string did_you_mean(std::string_view typed, const std::vector<std::string>& candidates);

}  // namespace baton::cli
