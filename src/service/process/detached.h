// A detached process outlives the process that starts it, and Baton does not stop it when it stops
// a command with all its processes. The local server is one: the first use of Baton starts it,
// perhaps from within a command that holds a lock.
//
// A detached process has BATON_DETACHED with its own process id in its environment, so that its
// children do not inherit the mark. Any program can set the variable and so escape, just as it can
// ask another service to start a process for it: fencing tokens protect against that.
#pragma once

#include <sys/types.h>

#include "service/process/command.h"

namespace baton::process {

// Starts the command in its own session, with no living ancestor and outside the cgroup of a
// supervised command, so that it is not stopped with them. Only its standard streams are open, on
// /dev/null. Returns 0, or the errno that kept it from running. The caller may have any number of
// threads.
int start_detached(const Command& command);

bool is_detached(pid_t id);

}  // namespace baton::process
