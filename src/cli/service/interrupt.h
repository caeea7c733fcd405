// For commands that go on until somebody has seen enough, or has waited for long enough.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <stop_token>
#include <thread>

namespace baton::cli {

// From then on SIGINT, SIGTERM and SIGHUP are waited for instead of ending the process; for this
// thread and those that it starts. Those that are ignored stay so.
void take_interrupts();
// The one that has come; nothing when the time is over.
std::optional<int> interrupted_within(std::chrono::milliseconds time);

// For a command that must clear up before it ends: from begin() on, an interrupt asks it to give
// up. Before that, and when a second one comes, the process ends at once.
class Interruption {
 public:
  // To be made before other threads are.
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  std::stop_token begin();
  bool has_come() const { return give_up_.stop_requested(); }
  // As if it had not been taken.
  [[noreturn]] void end_process() const;

 private:
  void wait();

  std::stop_source give_up_;
  std::atomic<bool> has_begun_ = false;
  std::atomic<bool> is_over_ = false;
  std::atomic<int> signal_ = 0;
  std::thread waiter_;
};

// Ends this process as the signal would have, had it not been waited for.
[[noreturn]] void end_by(int signal);

}  // namespace baton::cli
