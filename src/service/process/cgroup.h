// A cgroup (version 2) of its own for a command: whatever the command starts is in it, whoever its
// parent is and whatever session it is in, and all of it is killed at one stroke, faster than
// anything can fork.
//
// One can be made by root, and where the cgroup that this process is in has been delegated to its
// user (systemd does so for the services of a user, not for login sessions). Elsewhere there is
// none, and the processes are found by their ancestry.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace baton::process {

class Cgroup {
 public:
  // Below the cgroup of this process; its name tells whose it is. Nothing where that is not
  // possible, or where the kernel (before 5.14) cannot kill a cgroup as a whole.
  static std::optional<Cgroup> make();

  // Puts this process into it.
  bool enter() const;
  void kill_all() const;
  bool is_empty() const;
  // Lets what is still in it go on in the cgroup above.
  void let_go() const;
  // It, and what was made below it; only what is empty goes.
  void remove() const;

  const std::string& path() const { return path_; }

 private:
  explicit Cgroup(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

// Leaves the cgroup of a supervised command, if this process is in one.
void leave_cgroup_of_run();

}  // namespace baton::process
