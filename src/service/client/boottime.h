// Time for leases: CLOCK_BOOTTIME, which no one can set and which goes on while the machine sleeps.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cstdint>
#include <functional>

namespace baton::client {

// Since some moment, in microseconds.
using Micros = std::int64_t;

Micros boottime_us();

// Rings by the same clock, so that it rings as soon as the machine wakes up.
class Alarm {
 public:
  // `rung` is called on the context's thread.
  Alarm(boost::asio::io_context& io, std::function<void()> rung);

  // From any thread; replaces what was set before.
  void set(Micros at);
  void stop();

 private:
  void wait();

  boost::asio::posix::stream_descriptor timer_;
  std::function<void()> rung_;
};

}  // namespace baton::client
