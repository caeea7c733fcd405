// Runs a command while a lock is held. If the lock is lost, or one of Baton's processes is killed,
// it stops the command and all processes that the command started.
//
// Three processes share the work. Each survives the death of the others and then ends the command:
//
//   shell ── foreground ── keeper ── reaper ── command ── …
//
// - The foreground is the process that called run_supervised(). The shell waits for it. It passes
//   on signals, stops when the command stops, and ends as the command ended.
// - The keeper has a session of its own, so that no key of the terminal, no stopped job and no
//   hangup reaches it. The holder (the client of the service, with its threads) lives in it and
//   nowhere else: it renews the lock while the job is stopped. Only the keeper stops a command in
//   an orderly way.
// - The reaper is the command's parent. It has the foreground's session and process group, and so
//   has the command: the terminal, its keys, pipelines and the shell's job control treat the
//   command as they would without Baton, with nothing to be handed over. The reaper blocks all
//   signals.
//
// Signals. What is sent to the whole process group (Ctrl-C, Ctrl-Z, `kill %1`, `fg`) reaches the
// command by itself; the reaper is in that group to notice this. What is sent to the foreground
// alone is passed on to the command, and to the command only; so is everything if the command has
// left that group, as an interactive shell does, and it gets the terminal back with `fg`. The
// foreground does not act on signals while the command runs. When the command stops, for whatever
// reason, the foreground stops by the same signal.
//
// If one of the processes is killed (SIGKILL):
// - foreground: the keeper ends the command (TERM, after `kill_after` KILL) and releases.
// - keeper: reaper and foreground both kill everything at once; nobody releases the lock, and the
//   lease expires.
// - reaper: the command dies with it; the keeper ends the rest (TERM, KILL) and releases.
// - foreground and keeper: the reaper kills everything. Keeper and reaper: the foreground does.
//   Foreground and reaper (as by a signal to the process group): the keeper does.
// - all three in the same moment: the command itself dies; the processes that it started go on.
// All three are subreapers, so that a process that loses its parent stays below one of them; see
// takedown.h.
//
// Baton cannot stop:
// - a process that another service starts for the command (systemd-run, at, cron, docker, ssh):
//   Baton does not see it;
// - a process of another user (sudo, setuid), if there is no cgroup and Baton does not run as root,
//   and a process that hangs in the kernel: Baton reports its id and does not release the lock; the
//   lease expires;
// - without a cgroup, processes that fork faster than Baton finds them: it reports them likewise;
// - processes with the mark of detached.h, and processes that run while all three are killed.
// Baton finds and stops a daemon that forks twice and has its own session. But when the command
// ends by itself, its remaining processes go on (Leftovers::leave).
#pragma once

#include <chrono>
#include <csignal>
#include <string>

#include "service/process/command.h"
#include "service/process/holder.h"

namespace baton::process {

enum class OnLost {
  stop,    // everything, before the lock may be somebody else's
  signal,  // tell the command, which is then on its own
  ignore
};

// What Baton does with processes that the command started and that outlive it.
enum class Leftovers {
  leave,  // they go on, as without Baton, and are not covered by the lock any more
  stop
};

struct Options {
  Command command;
  std::chrono::milliseconds kill_after{2000};
  OnLost on_lost = OnLost::stop;
  int lost_signal = SIGTERM;
  Leftovers leftovers = Leftovers::leave;
  bool use_cgroup = true;  // where one can be had
};

struct Outcome {
  int exit_code = 0;
  int signal = 0;       // that ended the command; exit_code is then 128 more
  std::string message;  // for the user, when Baton has something to say
};

// Returns in the foreground, when everything is over. The caller must have no other threads. Its
// standard input and output belong to the command from then on: they are /dev/null afterwards. If
// the lock is lost and the command goes on, the foreground says so on standard error at once.
Outcome run_supervised(const Options& options, Holder& holder);

// Ends this process as the command ended: by the same signal, so that whoever waits for it sees the
// truth, or with its exit code.
[[noreturn]] void end_like(const Outcome& outcome);

}  // namespace baton::process
