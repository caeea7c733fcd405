// For commands that go on until somebody has seen enough.
#pragma once

#include <chrono>

namespace baton::cli {

// From then on SIGINT, SIGTERM and SIGHUP are waited for instead of ending the process; for this
// thread and those that it starts.
void take_interrupts();
// Returns true when one has come, false when the time is over.
bool interrupted_within(std::chrono::milliseconds time);

}  // namespace baton::cli
