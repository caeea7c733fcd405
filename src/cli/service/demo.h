// The command `demo`, to which a program may add stories of its own.
#pragma once

#include <string>

#include "cli/common/command.h"

namespace baton::cli {

Command& add_story(Command& demo, const std::string& name, const std::string& description);

}  // namespace baton::cli
