// Finds the name that a user who mistyped one may have meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace baton {

// Empty if no name is near.
std::string nearest(std::string_view typed, const std::vector<std::string>& candidates);

}  // namespace baton
