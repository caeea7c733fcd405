// What no algorithm on this machine can go below: a message to another process and back.
#pragma once

#include <chrono>
#include <cstddef>

namespace baton::cli {

// A round trip of so many bytes over TCP on loopback, between two processes on two cores (on one,
// if there is only one), in microseconds: the best of five medians, so that a moment in which
// others use the machine does not count. Half of it is a message time.
double echo_us(std::size_t bytes, std::chrono::milliseconds time);

}  // namespace baton::cli
