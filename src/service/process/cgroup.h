// A cgroup (version 2) for one command. Every process that the command starts is in it, whatever
// its parent or session is. The kernel kills all of them at once, faster than any of them can fork.
//
// Root can make a cgroup, and so can a user whose cgroup has been delegated to it (systemd does so
// for the services of a user, not for login sessions). Elsewhere Baton has no cgroup, and finds the
// command's processes by their ancestry.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace baton::process {

class Cgroup {
 public:
  // Makes a cgroup below that of this process; its name contains the process's id. Empty if that is
  // not possible, or if the kernel (before 5.14) cannot kill a cgroup as a whole.
  static std::optional<Cgroup> make();

  // Puts this process into it.
  bool enter() const;
  void kill_all() const;
  bool is_empty() const;
  // Moves the remaining processes to the cgroup above, where they go on.
  void let_go() const;
  // Removes it and the cgroups below it, as far as they are empty.
  void remove() const;

  const std::string& path() const { return path_; }

 private:
  explicit Cgroup(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

// Leaves the cgroup of a supervised command, if this process is in one.
void leave_cgroup_of_run();

}  // namespace baton::process
