#include "io/json_text.h"

#include <boost/json.hpp>
#include <charconv>
#include <cmath>

namespace baton::io {

namespace {

namespace json = boost::json;

// Beyond these an exponent is easier to read than the zeros; JavaScript draws the same lines.
constexpr double least_without_exponent = 1e-6;
constexpr double first_with_exponent = 1e21;

void append(std::string& text, double number) {
  if (!std::isfinite(number)) {
    text += "null";
    return;
  }
  if (number == 0) number = 0;  // -0, too
  const double size = std::abs(number);
  const bool has_exponent =
      size != 0 && (size < least_without_exponent || size >= first_with_exponent);
  char digits[64];
  const auto end =
      std::to_chars(digits, digits + sizeof digits, number,
                    has_exponent ? std::chars_format::scientific : std::chars_format::fixed)
          .ptr;
  text.append(digits, end);
}

void append(std::string& text, const json::value& value) {
  if (const auto* object = value.if_object()) {
    text += '{';
    for (const auto& [key, inner] : *object) {
      if (text.back() != '{') text += ',';
      text += json::serialize(key) + ":";
      append(text, inner);
    }
    text += '}';
  } else if (const auto* array = value.if_array()) {
    text += '[';
    for (const json::value& inner : *array) {
      if (text.back() != '[') text += ',';
      append(text, inner);
    }
    text += ']';
  } else if (const auto* number = value.if_double()) {
    append(text, *number);
  } else {
    text += json::serialize(value);
  }
}

}  // namespace

std::string json_text(const boost::json::value& value) {
  std::string text;
  append(text, value);
  return text;
}

}  // namespace baton::io
