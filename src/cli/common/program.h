// What every program of Baton does with its command line: finds the command, runs it, and explains
// what was typed wrongly.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "baton/version.h"
#include "cli/common/command.h"

namespace baton::cli {

inline constexpr const char* version = "baton " BATON_VERSION_STRING;

struct Program {
  std::string description;
  std::vector<std::string> examples;
  std::function<void(Command& app, Action& action)> add_commands;
};

int run_program(int argc, char** argv, const Program& program);

// What followed "--" on the command line of a command that runs another one.
const std::vector<std::string>& words_after_dashes();

}  // namespace baton::cli
