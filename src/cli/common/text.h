// Words and tables for people, as all commands write them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/table.h"
#include "core/text.h"

namespace baton::cli {

using text::beginning_of;
using text::grouped;
using text::in_characters;
using text::number;
using text::printable;
using text::Table;

// "one, two, three"; with a last separator " or ": "one, two or three".
std::string listed(const std::vector<std::string>& words, std::string_view last = ", ");

// "; did you mean 'x'?" or "".
std::string did_you_mean(std::string_view typed, const std::vector<std::string>& candidates);

}  // namespace baton::cli
