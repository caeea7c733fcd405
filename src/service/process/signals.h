// Signals as the processes of a run treat them: blocked, and read from a descriptor.
#pragma once

#include <csignal>
#include <optional>

#include "io/descriptor.h"

namespace baton::process {

// The caller's signal settings, which the command gets back.
struct InheritedSignals {
  sigset_t mask;
  bool ignores_children = false;

  // Notes it, and makes sure that children can be waited for.
  static InheritedSignals take();
  void restore() const;
};

// The signals that the foreground passes on, and SIGCHLD; not those of its own crashes (SIGSEGV).
// The signals that stop a process are among them: the foreground stops only when the command has.
sigset_t signals_of_foreground();
sigset_t every_signal();

void block(const sigset_t& signals);
// To read the blocked signals from.
io::Descriptor signal_descriptor(const sigset_t& signals);

struct Received {
  int signal = 0;
  pid_t sender = 0;  // 0: the kernel, as for keys of the terminal
};
std::optional<Received> next_signal(const io::Descriptor& descriptor);

bool is_ignored(int signal);

// Stops this process as by this signal.
void stop_by(int signal);

}  // namespace baton::process
