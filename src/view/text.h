// Text as terminals and JSON see it: columns instead of bytes, and nothing that could upset either.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.h"

namespace baton::view {

// Terminal columns that a UTF-8 text takes.
std::size_t columns(std::string_view text);

// The text without control characters and malformed UTF-8, so that a name from outside cannot move
// the cursor; in 7-bit characters if `ascii`.
std::string printable(std::string_view text, bool ascii);

// At most `width` columns of it, ending in the ellipsis where something was cut off.
std::string shortened(std::string_view text, std::size_t width, std::string_view ellipsis);

// Broken between words into lines of at most `width` columns; a longer word is broken too.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

// A JSON string with its quotes. Malformed UTF-8 becomes U+FFFD.
std::string json_quoted(std::string_view text);

// A duration as a decimal number of `unit`s, rounded to `digits` places.
std::string decimal(Ticks time, Ticks unit, int digits);

}  // namespace baton::view
