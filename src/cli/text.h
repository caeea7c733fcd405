// Words and tables for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace baton::cli {

// Columns on a terminal that a UTF-8 text takes; everything that Baton prints is narrow.
std::size_t display_width(std::string_view text);

// The one table printer: a header, rows, columns as wide as they need, two blanks apart.
class Table {
 public:
  enum class Align : std::uint8_t { left, right };

  explicit Table(std::vector<std::string> header, std::vector<Align> align = {});
  void add(std::vector<std::string> row);
  bool empty() const { return rows_.size() == 1; }
  std::string str() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::vector<Align> align_;
};

// 3, 3.25, 0.6667: up to four decimals, none that say nothing.
std::string number(double value);
// 1,234,567
std::string grouped(std::uint64_t value);

// The candidate that is fewest edits away from what was typed; "" if none is near.
std::string nearest(std::string_view typed, const std::vector<std::string>& candidates);
// " Did you mean 'x'?" or "".
std::string did_you_mean(std::string_view typed, const std::vector<std::string>& candidates);

}  // namespace baton::cli
