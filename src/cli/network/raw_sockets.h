// What a message costs between processes of this machine when there is nothing but the message: the
// measure of everything that Baton sends.
#pragma once

#include <chrono>
#include <cstdint>

namespace baton::cli {

struct RawSockets {
  std::uint32_t processes = 2;
  std::uint32_t under_way = 1;  // messages at any time
  std::chrono::milliseconds length{150};
};

// Messages are passed around a ring of processes by TCP on loopback; how long it takes until the
// next one has arrived. Throws CrewError.
double message_time_us(const RawSockets& options);

}  // namespace baton::cli
