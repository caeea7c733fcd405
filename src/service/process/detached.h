// Processes that are to outlive whoever starts them, and to be spared when a command and all that
// it started is stopped: the local server that a first use of Baton starts, perhaps from within a
// command that holds a lock.
//
// They carry a mark in their environment, BATON_DETACHED with their own process id, so that it
// cannot be inherited. Any program can set it and so evade being stopped, just as it can ask
// another service to start something for it: the fence is for that.
#pragma once

#include <sys/types.h>

#include "service/process/command.h"

namespace baton::process {

// Starts the command in a session of its own, below no living ancestor that it could be taken down
// with, outside of the cgroup of a supervised command, with nothing but its standard streams open:
// these are /dev/null. Returns 0, or the errno that kept it from running. For a process with any
// number of threads.
int start_detached(const Command& command);

bool is_detached(pid_t id);

}  // namespace baton::process
