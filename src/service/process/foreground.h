// The foreground of a run: the process that the shell started and waits for. See supervise.h.
#pragma once

#include <optional>

#include "service/process/channel.h"
#include "service/process/handle.h"
#include "service/process/signals.h"
#include "service/process/supervise.h"
#include "service/process/takedown.h"

namespace baton::process {

class Foreground {
 public:
  // `keeper_process` is the pidfd of the keeper.
  Foreground(Channel keeper, pid_t keeper_id, Handle keeper_process, const Takedown& takedown);

  Outcome run();

 private:
  void wait_for_something() const;
  void take_messages();
  void take_signals();
  void take_while_waiting(int signal);
  void take_keepers_death();

  Channel keeper_;
  pid_t keeper_id_;
  Handle keeper_process_;
  const Takedown& takedown_;
  io::Descriptor signals_;
  bool started_ = false;
  int cancelled_by_ = 0;  // the signal that ended the wait for the lock
  std::optional<Outcome> outcome_;
};

}  // namespace baton::process
