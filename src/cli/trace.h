// `baton trace`: traces in files.
#pragma once

#include "cli/command.h"

namespace baton::cli {

void add_trace(CLI::App& app, Action& action);

}  // namespace baton::cli
