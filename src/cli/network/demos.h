// The stories that are told by processes with one of the laboratory's algorithms between them.
#pragma once

#include "cli/common/command.h"

namespace baton::cli {

// Below the command `demo`, which is there already.
void add_network_demos(Command& app, Action& action);

void add_demo_counter(Command& demo, Action& action);
void add_demo_bank(Command& demo, Action& action);

}  // namespace baton::cli
