#include "cli/service/duration.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <utility>

namespace baton::cli {

namespace {

using namespace std::chrono_literals;

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
