// The processes below a process, as /proc shows them.
//
// The list is a picture of something that moves: a process that is just being started can be
// missing from it. Whoever must be sure that nothing is left looks again, and asks the kernel in
// the end (see takedown.h).
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

// All that are below `root`, children before their own children. Without those that are to outlive
// it (detached.h), and what is below them.
std::vector<Process> descendants_of(pid_t root);
// The same from the kernel's lists of children, which may miss some while others end, but are read
// in a moment: what forks all the time is best caught so. Nothing where there are no such lists.
std::vector<Process> quick_descendants_of(pid_t root);

// Sends the signal to this very process and to no later one of the same id.
bool send_signal(const Process& process, int signal);

}  // namespace baton::process
