// The reaper of a run: the parent of the command. See supervise.h.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "service/process/cgroup.h"
#include "service/process/channel.h"
#include "service/process/handle.h"
#include "service/process/signals.h"
#include "service/process/supervise.h"
#include "service/process/takedown.h"
#include "service/process/witness.h"

namespace baton::process {

class Reaper {
 public:
  // `keeper_process` is the pidfd of the keeper, whose child this process is.
  Reaper(const Options& options, const InheritedSignals& inherited,
         const std::optional<Cgroup>& cgroup, Channel keeper, Handle keeper_process);

  [[noreturn]] void run();

 private:
  void wait_for_something() const;
  void take_messages();
  void take(const Message& message);
  void take_signal_of_foreground(int signal, pid_t sender);
  static void hand_over_terminal(pid_t group);
  void take_signals();
  void reap();
  void take_status(int status);
  void start(const std::string& environment);
  void close_what_is_the_commands() const;
  void take_start_report();
  void pass_on(int signal) const;
  void set_stop_by(std::int64_t nanoseconds) const;
  void take_time();
  bool keeper_is_gone() const;
  [[noreturn]] void end();

  const Options& options_;
  const InheritedSignals& inherited_;
  Takedown takedown_;
  Channel keeper_;
  Handle keeper_process_;
  io::Descriptor signals_;
  io::Descriptor timer_;
  io::Descriptor start_report_;  // the command's end closes when its program runs
  Witness witness_;
  pid_t command_ = 0;
  bool has_started_ = false;
  bool out_of_time_ = false;
};

}  // namespace baton::process
