// Stops every process below this one, and makes sure that none is left.
//
// This process must be a subreaper (prctl): when a process below it loses its parent, it becomes a
// child of this one, even a daemon that forks twice and has its own session. So when the kernel
// says that this process has no children, no process is left below it. That answer has no race,
// unlike any look at /proc.
#pragma once

#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "service/process/cgroup.h"
#include "service/process/descendants.h"

namespace baton::process {

struct Takedown {
  const Cgroup* cgroup = nullptr;  // of the command, if it has one
  std::set<pid_t> spared;          // and what is below them: not of the command

  // Kills all processes below until none is left, or until `patience` is over: a process of another
  // user (sudo) can be killed only by its cgroup, and a process that waits for a device ends later.
  // Returns the processes that are left.
  std::vector<Process> kill_all(std::chrono::milliseconds patience) const;

  // Asks all to end (SIGTERM, and SIGCONT for those that are stopped) and returns when they have,
  // or when `grace` is over. What starts meanwhile is asked too. Calls `meanwhile` every now and
  // then. `reaper` is not asked, only what is below it.
  void ask_all_to_end(std::chrono::milliseconds grace, pid_t reaper,
                      const std::function<void()>& meanwhile) const;

  // The processes of the command among those below this process.
  std::vector<Process> without_spared(const std::vector<Process>& below) const;
};

// "1234 (name), 1235 (other)"
std::string describe(const std::vector<Process>& processes);

}  // namespace baton::process
