// The front of a run: the process that the shell started and waits for. supervise.h tells its part.
#pragma once

#include <optional>

#include "process/channel.h"
#include "process/handle.h"
#include "process/signals.h"
#include "process/supervise.h"
#include "process/takedown.h"

namespace baton::process {

class Front {
 public:
  // `keeper_process` is the pidfd of the keeper.
  Front(Channel keeper, pid_t keeper_id, Handle keeper_process, const Takedown& takedown);

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
  Descriptor signals_;
  bool started_ = false;
  int cancelled_by_ = 0;  // the signal that ended the wait for the lock
  std::optional<Outcome> outcome_;
};

}  // namespace baton::process
