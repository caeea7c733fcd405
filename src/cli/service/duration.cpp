#include "cli/service/duration.h"

#include <fmt/format.h>

#include <utility>

#include "cli/common/arguments.h"

namespace baton::cli {

namespace {

using namespace std::chrono_literals;

Option& add(Command& command, const std::string& name, const std::string& description,
            std::function<void(Micros)> take) {
  const auto parse = [name, take = std::move(take)](const std::string& typed) {
    const auto parsed = parse_duration(typed);
    if (!parsed) {
      throw ArgumentError(
          ArgumentError::Kind::value,
          name + " takes a length of time such as 500ms, 10s or 1h30m, not '" + typed + "'");
    }
    take(*parsed);
  };
  return command.add_option(name, parse, description).type_name("TIME");
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

Option& add_duration(Command& command, const std::string& name, Micros& value,
                     const std::string& description) {
  return add(command, name, description, [&value](Micros given) { value = given; })
      .show_default(typed(value));
}

Option& add_duration(Command& command, const std::string& name, std::optional<Micros>& value,
                     const std::string& description) {
  return add(command, name, description, [&value](Micros given) { value = given; });
}

}  // namespace baton::cli
