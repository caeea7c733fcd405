// Percent-encoding in addresses, and base64 for values that are not text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace baton::http {

// "a%20b+c" is "a b c" in a query. Nothing, if a percent sign is not followed by two digits.
std::optional<std::string> percent_decoded(std::string_view text);

// Of "/v1/locks?name=a&prefix=": the path, and the parameters decoded. Nothing, if a percent sign
// is wrong or something is not UTF-8.
struct Target {
  std::string path;
  std::vector<std::pair<std::string, std::string>> query;
};
std::optional<Target> parse_target(std::string_view target);

std::string base64(std::string_view bytes);
std::optional<std::string> base64_decoded(std::string_view text);

std::string hex(std::string_view bytes);
std::optional<std::string> hex_decoded(std::string_view text);

}  // namespace baton::http
