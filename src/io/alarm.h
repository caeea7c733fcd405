// A timer by the clock of leases (boottime_us()), which goes on while the machine sleeps: it rings
// as soon as the machine wakes up.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>

#include "io/clock.h"

namespace baton::io {

class Alarm {
 public:
  // `rung` is called on the context's thread.
  Alarm(boost::asio::io_context& io, std::function<void()> rung);

  // Any thread may call this. It replaces the time that was set before.
  void set(std::int64_t at_us);
  void stop();

 private:
  void wait();

  boost::asio::posix::stream_descriptor timer_;
  std::function<void()> rung_;
};

}  // namespace baton::io
