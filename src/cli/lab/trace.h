// `baton trace`: traces in files.
#pragma once

#include "cli/common/command.h"

namespace baton::cli {

void add_trace(Command& app, Action& action);

}  // namespace baton::cli
