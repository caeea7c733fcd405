// What a message costs between processes of this machine when there is nothing but the message: the
// measure of everything that Baton sends.
#pragma once

#include <chrono>
#include <cstdint>

namespace baton::cli {

struct RawSockets {
  std::uint32_t processes = 2;
  std::uint32_t under_way = 1;  // messages at any time
  std::chrono::milliseconds length{100};
};

// Messages are passed around a ring of processes by TCP on loopback; how long it takes until the
// next one has arrived. Throws ProcessGroupError.
double message_time_us(const RawSockets& options);

// What a message takes between so many processes: at least, with as many under way, which keeps all
// processors busy; at most, with one at a time, which wakes one process after the other.
struct RawTimes {
  double least_us = 0;
  double most_us = 0;
};
RawTimes raw_times(std::uint32_t processes);

}  // namespace baton::cli
