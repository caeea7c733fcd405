// What a run holds while its command runs, as the keeper sees it: a lock of the service, or in
// tests anything at all.
//
// All of it is called in the keeper, by one thread, and begin() before the rest. The keeper is
// forked off after the holder has been made: a holder makes its threads, sockets and eventfds in
// begin(), not in its constructor. What it starts as a process of its own must be started by
// start_detached(), or it is taken for a part of the command and stopped with it.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "service/process/command.h"
#include "service/process/exit_codes.h"

namespace baton::process {

class Holder {
 public:
  enum class State { waiting, held, failed, lost };

  virtual ~Holder() = default;

  // Begins to ask for it, without waiting. What it throws is a failure (exit code 125).
  virtual void begin() = 0;
  // Readable whenever there may be something new; state() makes it unreadable again.
  virtual int descriptor() const = 0;
  virtual State state() = 0;

  // Once it is held: what the command is to know of it.
  virtual Environment environment() = 0;
  // Once it has failed or is lost.
  virtual std::string message() = 0;
  virtual int failure_code() { return exit_code::failed; }

  // The time, by CLOCK_BOOTTIME, by which nothing of the command may run any more unless it is
  // renewed before. The reaper kills everything then, even if the keeper hangs or is stopped. It
  // must leave room for the grace of a loss: `lost` is to be said Options::kill_after and a little
  // more before. descriptor() becomes readable when it changes. Nothing: no such limit.
  virtual std::optional<std::chrono::nanoseconds> stop_by() { return std::nullopt; }

  // Gives back what is held, or what is waited for. Returns within seconds, also when nobody
  // answers. Called only when nothing of the command is left; if something could not be stopped,
  // the keeper ends without, and the lock is closed until the lease is over.
  virtual void release() = 0;
  // What was lost is not worked on any more: whoever is waiting for that can be told. Only called
  // when nothing of the command is left.
  virtual void stopped() {}
};

}  // namespace baton::process
