// The time, in microseconds.
#pragma once

#include <cstdint>
#include <ctime>

namespace baton::io {

inline std::int64_t read_clock_us(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
}
// For leases: nobody can set it back, and it goes on while the machine sleeps.
inline std::int64_t boottime_us() { return read_clock_us(CLOCK_BOOTTIME); }
// The date.
inline std::int64_t wall_time_us() { return read_clock_us(CLOCK_REALTIME); }

}  // namespace baton::io
