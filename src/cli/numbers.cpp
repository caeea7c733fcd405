#include "cli/numbers.h"

#include <charconv>
#include <cmath>
#include <string>

namespace baton::cli {

CLI::Validator whole_number(std::uint64_t at_least, std::uint64_t at_most) {
  const auto check = [at_least, at_most](const std::string& typed) -> std::string {
    std::uint64_t value = 0;
    const char* last = typed.data() + typed.size();
    const auto [end, error] = std::from_chars(typed.data(), last, value);
    const bool overflows = error == std::errc::result_out_of_range;
    if (!overflows && (error != std::errc{} || end != last)) {
      return "'" + typed + "' is not a whole number";
    }
    if (overflows || value > at_most)
      return typed + " is too large, more than " + std::to_string(at_most);
    return value >= at_least ? "" : typed + " is too small, less than " + std::to_string(at_least);
  };
  return {check, ""};
}

CLI::Validator finite_number() {
  const auto check = [](const std::string& typed) -> std::string {
    double value = 0;
    const char* last = typed.data() + typed.size();
    const auto [end, error] = std::from_chars(typed.data(), last, value);
    const bool is_number = error == std::errc{} && end == last && std::isfinite(value);
    return is_number ? "" : "'" + typed + "' is not a number";
  };
  return {check, ""};
}

}  // namespace baton::cli
