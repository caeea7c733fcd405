// The commands that run the laboratory's algorithms between real processes.
#pragma once

#include "cli/common/command.h"

namespace baton::cli {

void add_peer(Command& app, Action& action);

}  // namespace baton::cli
