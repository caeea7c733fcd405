// The processes below a process, as /proc shows them.
//
// The list can be out of date at once: a process that is just being started can be missing from it.
// A caller that must be sure that nothing is left looks again, and asks the kernel in the end (see
// takedown.h).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace baton::process {

struct Process {
  pid_t id = 0;
  pid_t parent = 0;
  std::uint64_t started = 0;  // in clock ticks since boot: tells it from a later one of that id
  char state = '?';           // as in proc(5)
  bool is_alive = false;      // not only waiting to be reaped
  std::string name;
};

std::optional<Process> look_up(pid_t id);

// All that can be read of it; nothing if it is not there.
std::string read_file(const std::string& path);

// All processes below `root`, children before their own children. Leaves out detached processes
// (detached.h) and the processes below them.
std::vector<Process> descendants_of(pid_t root);
// The same from the kernel's lists of children. These may miss a process while others end, but are
// read quickly: this catches processes that fork all the time best. Empty if the kernel has no such
// lists.
std::vector<Process> quick_descendants_of(pid_t root);

// Sends the signal to this very process and to no later one of the same id.
bool send_signal(const Process& process, int signal);

}  // namespace baton::process
