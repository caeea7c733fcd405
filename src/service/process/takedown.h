// How everything below this process is stopped, and how one can be sure that it is.
//
// This process must be a subreaper (prctl): whatever loses its parent below it becomes its child,
// also a daemon that forks twice and has a session of its own. So, when the kernel says that this
// process has no children, nothing is left below it; there is no race in that, as there is in any
// look at /proc.
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

  // Kills what is below until nothing is left, or for as long as `patience`: what another user owns
  // (sudo) cannot be killed except by its cgroup, and what waits for a device not at once. Returns
  // what is left.
  std::vector<Process> kill_all(std::chrono::milliseconds patience) const;

  // Asks all to end (SIGTERM, and SIGCONT for those that are stopped) and returns when they have,
  // or when `grace` is over. What starts meanwhile is asked too. Calls `meanwhile` every now and
  // then. `reaper` is not asked, only what is below it.
  void ask_all_to_end(std::chrono::milliseconds grace, pid_t reaper,
                      const std::function<void()>& meanwhile) const;

  // What of the command runs at the moment, out of what is below this process.
  std::vector<Process> without_spared(const std::vector<Process>& below) const;
};

// "1234 (name), 1235 (other)"
std::string describe(const std::vector<Process>& processes);

}  // namespace baton::process
