// A counting semaphore for threads.
//
// E. W. Dijkstra, "Cooperating sequential processes", 1965.
//
// Idea: an integer that only wait and signal touch. wait takes one from it, and waits as long as
// there is none to take; signal adds one. Started at S it lets at most S threads in at a time; at
// 1 it is a lock, except that another thread than the one that waited may signal.
//
// Assumes: nothing.
// Promises: the value never falls below 0, and no signal is lost. Which of several waiting threads
// goes first is open, so one can starve.
//
// Textbooks write wait as a loop that tests over and over; here the thread sleeps until a signal.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace baton {

class CountingSemaphore {
 public:
  explicit CountingSemaphore(std::uint32_t value) : value_(value) {}

  // Also known as P or down.
  void wait();
  // Takes one if there is one, and does not wait.
  bool try_wait();
  // Also known as V or up.
  void signal();

  // The value at some moment of the call; good for reports, not for decisions.
  std::uint32_t value() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable positive_;
  std::uint32_t value_;
};

}  // namespace baton
