// Numbers on the command line, checked where they are typed: CLI11 alone would take -1 for a large
// number without a sign.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>

namespace baton::cli {

CLI::Validator whole_number(std::uint64_t at_least = 0,
                            std::uint64_t at_most = std::numeric_limits<std::uint64_t>::max());
CLI::Validator finite_number();

}  // namespace baton::cli
