// A command to run: a program with its arguments, and variables to add to its environment.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace baton::process {

using Environment = std::vector<std::pair<std::string, std::string>>;

struct Command {
  std::vector<std::string> words;  // the first is looked for in PATH
  Environment environment;         // in addition to the caller's; replaces what has the same name

  // A line for $SHELL, or for /bin/sh where that is not set.
  static Command shell(const std::string& line);
};

// Replaces this process by the command; returns the error if that cannot be done.
int execute(const Command& command);

}  // namespace baton::process
