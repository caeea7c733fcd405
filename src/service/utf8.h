// Texts from outside that go into messages, records and onto terminals, where only UTF-8 may.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace baton::service {

// How many bytes the first letter has; 0 if they are none of UTF-8, or there are none.
std::size_t first_letter(std::string_view text);

// Each byte that is not UTF-8 as '?'.
std::string as_utf8(std::string_view text);

}  // namespace baton::service
