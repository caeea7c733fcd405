#include "core/duration.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace baton {

namespace {

using namespace std::chrono_literals;
using Micros = std::chrono::microseconds;

constexpr std::array<std::pair<std::string_view, Micros>, 6> units{
    {{"us", 1us}, {"ms", 1ms}, {"s", 1s}, {"m", 1min}, {"h", 1h}, {"d", 24h}}};
constexpr Micros longest = 10 * 365 * 24h;

std::optional<Micros> unit_named(std::string_view name) {
  for (const auto& [unit, length] : units) {
    if (unit == name) return length;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Micros> parse_duration(std::string_view text) {
  if (text.empty()) return std::nullopt;
  double total = 0;
  bool is_first = true;
  while (!text.empty()) {
    if (text.front() < '0' || text.front() > '9') return std::nullopt;
    double number = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    const std::string_view name = text.substr(0, text.find_first_of("0123456789."));
    text.remove_prefix(name.size());
    const bool is_bare = name.empty() && is_first && text.empty();
    const auto unit = is_bare ? std::optional<Micros>(1s) : unit_named(name);
    if (!unit) return std::nullopt;
    total += number * static_cast<double>(unit->count());
    is_first = false;
  }
  if (total > static_cast<double>(longest.count())) return std::nullopt;
  return Micros(std::llround(total));
}

}  // namespace baton
