// The processes of one run exchange small messages over a pair of sockets that no other process
// has. No call waits, so that a stopped process cannot block another one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "io/descriptor.h"

namespace baton::process {

struct Message {
  enum class Kind : std::int32_t {
    // From the foreground to the keeper.
    go,          // the command may start
    cancel,      // do not wait for the lock any longer
    understood,  // how it ended
    // From the foreground through the keeper to the reaper.
    signal,  // number: the signal that the foreground got; other: who sent it
    // From the keeper to the foreground.
    held,   // the lock is there
    say,    // text: for the user, now
    ended,  // number: exit code; other: signal that ended the command, or 0; text: for the user
    // From the keeper to the reaper.
    start,    // text: more environment, NAME=value each with a zero byte at its end
    stop_by,  // number: nanoseconds of CLOCK_BOOTTIME by which nothing may run any more, 0 for none
    // From the reaper to the keeper; `stopped` and `continued` also from there to the foreground.
    not_started,  // number: errno
    exited,       // number: status as of waitpid
    stopped,      // number: the signal
    continued,
    out_of_time  // stop_by has passed, everything is killed
  };
  Kind kind = Kind::say;
  std::int64_t number = 0;
  std::int64_t other = 0;
  std::string text;
};

class Channel {
 public:
  Channel() = default;
  explicit Channel(io::Descriptor socket) : socket_(std::move(socket)) {}

  // False if the message could not be sent: the other side is gone or does not read, or the message
  // is too long.
  bool send(const Message& message) const;
  // The next message, if there is one by now.
  std::optional<Message> receive();
  // The other side is gone and all that it said has been received.
  bool is_over() const { return over_; }
  int descriptor() const { return socket_.get(); }

 private:
  io::Descriptor socket_;
  bool over_ = false;
};

std::pair<Channel, Channel> make_channel();

}  // namespace baton::process
