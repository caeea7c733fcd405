// The keeper of a run: the process that acquires and renews the lock. See supervise.h.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "service/process/cgroup.h"
#include "service/process/channel.h"
#include "service/process/handle.h"
#include "service/process/signals.h"
#include "service/process/supervise.h"
#include "service/process/takedown.h"

namespace baton::process {

class LeaseKeeper {
 public:
  // `foreground_process` is the pidfd of the foreground, whose child this process is.
  LeaseKeeper(const Options& options, const InheritedSignals& inherited,
              const std::optional<Cgroup>& cgroup, Holder& holder, Channel foreground,
              Handle foreground_process);

  [[noreturn]] void run();

 private:
  enum class Phase {
    waiting,  // for the lock
    offered,  // the foreground has been told and has not said go
    running
  };

  void start_reaper();
  void leave_terminal();
  void wait_for_something() const;
  void take_from_foreground();
  void take_from_reaper();
  void take_from_holder();
  void take_ending(int status);
  void take_loss();
  void start_command();
  void note_continued();
  void wake_foreground();
  void relay_stop_by();

  // Both release the lock if `release`, and tell the foreground the outcome. stop_and_end() first
  // stops the command and its processes.
  [[noreturn]] void stop_and_end(Outcome outcome, bool release);
  [[noreturn]] void end(Outcome outcome, bool release);
  [[noreturn]] void tell_and_exit(const Outcome& outcome);

  const Options& options_;
  const InheritedSignals& inherited_;
  const std::optional<Cgroup>& cgroup_;
  Holder& holder_;
  Channel foreground_;
  Handle foreground_process_;
  pid_t foreground_id_;
  Channel reaper_;
  Handle reaper_process_;
  pid_t reaper_id_ = 0;
  Takedown takedown_;
  Phase phase_ = Phase::waiting;
  bool lost_ = false;
  bool is_all_stopped_ = true;  // as far as it was tried
  std::int64_t told_stop_by_ = 0;
  std::optional<std::chrono::steady_clock::time_point> watch_foreground_until_;
};

}  // namespace baton::process
