// What no algorithm on this machine can go below: a message to another process and back.
#pragma once

#include <chrono>
#include <cstddef>

namespace baton::cli {

// The median of many round trips of so many bytes over TCP on loopback, between two processes on
// two cores (on one, if there is only one), in microseconds. Half of it is a message time.
double echo_us(std::size_t bytes, std::chrono::milliseconds time);

}  // namespace baton::cli
