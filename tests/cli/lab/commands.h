// All commands of a program, as its help lists them.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "cli/lab/baton.h"

namespace baton::test {

using Words = std::vector<std::string>;

inline std::string line_of(const Words& words) {
  std::string line;
  for (const std::string& word : words) line += word + " ";
  return line;
}

inline std::string help_of(const Words& command) { return baton(line_of(command) + "--help").out; }

// "lock", "demo", "demo zombie": what the help lists under the headings of commands, and that of
// each.
inline std::vector<Words> commands_within(const Words& command = {}) {
  std::vector<Words> found;
  std::istringstream lines(help_of(command));
  bool are_commands = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with(':') && !line.starts_with(' ')) {
      are_commands = line == "Service:" || line == "Laboratory:" || line == "Stories:";
    }
    if (!are_commands || !line.starts_with("  ") || line.starts_with("   ")) continue;
    Words one = command;
    one.push_back(line.substr(2, line.find(' ', 2) - 2));
    found.push_back(one);
    for (Words& within : commands_within(one)) found.push_back(std::move(within));
  }
  // These are not worth a line.
  if (command.empty()) found.insert(found.end(), {{"help"}, {"version"}});
  return found;
}

// The command lines that the help shows.
inline Words examples_of(const std::string& help) {
  Words all;
  std::istringstream lines(help);
  bool are_examples = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  ") && are_examples) all.push_back(line.substr(2));
    are_examples =
        line == "Example:" || line == "Examples:" || (are_examples && line.starts_with("  "));
  }
  return all;
}

}  // namespace baton::test
