// A fault in a file of one JSON object per line, with its line.
#pragma once

#include <cstddef>
#include <string>

namespace baton::view {

struct LineError {
  std::size_t line = 0;  // counted from 1
  std::string what;

  std::string message() const { return "line " + std::to_string(line) + ": " + what; }
};

}  // namespace baton::view
