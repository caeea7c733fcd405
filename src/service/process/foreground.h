// The foreground of a run: the process that the shell started and waits for. supervise.h tells its part.
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
  // `lease_keeper_process` is the pidfd of the lease_keeper.
  Foreground(Channel lease_keeper, pid_t lease_keeper_id, Handle lease_keeper_process,
             const Takedown& takedown);

  Outcome run();

 private:
  void wait_for_something() const;
  void take_messages();
  void take_signals();
  void take_while_waiting(int signal);
  void take_lease_keepers_death();

  Channel lease_keeper_;
  pid_t lease_keeper_id_;
  Handle lease_keeper_process_;
  const Takedown& takedown_;
  io::Descriptor signals_;
  bool started_ = false;
  int cancelled_by_ = 0;  // the signal that ended the wait for the lock
  std::optional<Outcome> outcome_;
};

}  // namespace baton::process
