// Text for people: UTF-8 counted in terminal columns, made safe for terminals and JSON, and numbers
// as people write them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.h"

namespace baton::text {

// RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
bool is_utf8(std::string_view text);
// Replaces each byte that is not UTF-8 by '?'.
std::string as_utf8(std::string_view text);
// The first bytes of the text, at most so many, and only whole characters.
std::string beginning_of(std::string_view text, std::size_t most_bytes);

// Terminal columns that a UTF-8 text takes.
std::size_t columns(std::string_view text);

// Makes a text from outside fit for one line of a terminal: line ends and tabs become blanks;
// control characters, marks that reverse the direction of writing, and malformed UTF-8 become '?'.
// With `ascii`, every character beyond 7 bits becomes '?' too.
std::string printable(std::string_view text, bool ascii = false);
// The text as it is, or spelled in 7-bit characters: "Ricart-Agrawala", "3sqrt N".
std::string in_characters(std::string_view text, bool ascii);

// The text cut to at most `width` columns; it then ends in an ellipsis.
std::string shortened(std::string_view text, std::size_t width, std::string_view ellipsis);

// The text broken between words into lines of at most `width` columns; a longer word is broken too.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

// A JSON string with its quotes. Malformed UTF-8 becomes U+FFFD.
std::string json_quoted(std::string_view text);

// A duration as a decimal number of `unit`s, rounded to `digits` places.
std::string decimal(Ticks time, Ticks unit, int digits);
// 3, 3.25, 0.6667: up to four decimals without trailing zeros; "-" for not-a-number.
std::string number(double value);
// 1,234,567
std::string grouped(std::uint64_t value);

}  // namespace baton::text
