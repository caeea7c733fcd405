#include "cli/service/duration.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace baton::cli {

namespace {

using namespace std::chrono_literals;

constexpr std::array<std::pair<std::string_view, Micros>, 6> units{
    {{"us", 1us}, {"ms", 1ms}, {"s", 1s}, {"m", 1min}, {"h", 1h}, {"d", 24h}}};
constexpr Micros longest = 10 * 365 * 24h;

std::optional<Micros> unit_named(std::string_view name) {
  for (const auto& [unit, length] : units) {
    if (unit == name) return length;
  }
  return std::nullopt;
}

CLI::Option* add(CLI::App& command, const std::string& name, const std::string& description,
                 std::function<void(Micros)> take) {
  const std::function<bool(const CLI::results_t&)> callback = [name, take = std::move(take)](
                                                                  const CLI::results_t& results) {
    const auto parsed = parse_duration(results.front());
    if (!parsed) {
      throw CLI::ValidationError(name + " is a length of time such as 500ms, 10s or 1h30m, not '" +
                                 results.front() + "'");
    }
    take(*parsed);
    return true;
  };
  return command.add_option(name, callback, description)->type_name("TIME");
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

std::string spoken(Micros time) {
  const auto whole = [&](Micros unit) { return time / unit; };
  if (time < 1s) return fmt::format("{} ms", whole(1ms));
  if (time < 1min) return fmt::format("{} s", whole(1s));
  if (time < 1h) return fmt::format("{} min {} s", whole(1min), whole(1s) % 60);
  if (time < 24h) return fmt::format("{} h {} min", whole(1h), whole(1min) % 60);
  return fmt::format("{} d {} h", whole(24h), whole(1h) % 24);
}

std::string typed(Micros time) {
  if (time < 1s && time > 0s) return fmt::format("{}ms", static_cast<double>(time.count()) / 1e3);
  return fmt::format("{}s", static_cast<double>(time.count()) / 1e6);
}

CLI::Option* add_duration(CLI::App& command, const std::string& name, Micros& value,
                          const std::string& description) {
  return add(command, name, description, [&value](Micros given) { value = given; })
      ->default_str(typed(value));
}

CLI::Option* add_duration(CLI::App& command, const std::string& name, std::optional<Micros>& value,
                          const std::string& description) {
  return add(command, name, description, [&value](Micros given) { value = given; });
}

}  // namespace baton::cli
