// Lengths of time on the command line (core/duration.h has the words for them).
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "core/duration.h"

namespace baton::cli {

class Command;
class Option;

using Micros = std::chrono::microseconds;

// For people: "250 ms", "12 s", "3 min 20 s", "2 h 5 min", "3 d 4 h".
std::string spoken(Micros time);
// As it would be typed: "2s", "2.5s", "250ms".
std::string typed(Micros time);

// Adds an option that takes such a length; what it is not is wrong usage.
Option& add_duration(Command& command, const std::string& name, Micros& value,
                     const std::string& description);
Option& add_duration(Command& command, const std::string& name, std::optional<Micros>& value,
                     const std::string& description);

}  // namespace baton::cli
