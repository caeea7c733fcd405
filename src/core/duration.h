// Lengths of time as people write them: 500ms, 10s, 1.5m, 1h30m, 2d; a bare number is of seconds.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace baton {

// No value if the text is no duration, or more than ten years.
std::optional<std::chrono::microseconds> parse_duration(std::string_view text);

}  // namespace baton
