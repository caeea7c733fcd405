// The lock that a run holds while its command runs, as the keeper sees it (tests use other
// holders).
//
// The keeper calls all functions from one thread, and begin() first. Baton forks the keeper after
// it has made the holder, so a holder makes its threads, sockets and eventfds in begin(), not in
// its constructor. It must start processes with start_detached(); otherwise the keeper takes them
// for a part of the command and stops them with it.
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

  // Begins to acquire the lock, without waiting. If it throws, the run fails (exit code 125).
  virtual void begin() = 0;
  // Readable when the state may have changed; state() makes it unreadable again.
  virtual int descriptor() const = 0;
  virtual State state() = 0;

  // After the grant: environment variables for the command.
  virtual Environment environment() = 0;
  // After a failure or a loss: the reason, for the user.
  virtual std::string message() = 0;
  virtual int failure_code() { return exit_code::failed; }

  // The time, by CLOCK_BOOTTIME, at which no process of the command may run any more unless the
  // lease is renewed before. The reaper kills all of them then, even if the keeper hangs or is
  // stopped. The holder must report `lost` earlier, by Options::kill_after and a little more, so
  // that the command can end in an orderly way. descriptor() becomes readable when the time
  // changes. Empty: no limit.
  virtual std::optional<std::chrono::nanoseconds> stop_by() { return std::nullopt; }

  // Releases the lock, or cancels the wait. Returns within seconds, even if no server answers. The
  // keeper calls it only when no process of the command is left. If one could not be stopped, the
  // keeper ends without calling it, and the lock stays closed until the lease expires.
  virtual void release() = 0;
  // After a loss: no process of the command is left, so the holder can tell the server, which may
  // be waiting for that.
  virtual void stopped() {}
};

}  // namespace baton::process
