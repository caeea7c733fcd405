// A monitor: data that can be touched by one thread at a time, and only through the monitor.
//
// C. A. R. Hoare, "Monitors: an operating system structuring concept", Communications of the ACM
// 17(10), 1974; P. Brinch Hansen, "Operating System Principles", 1973.
//
// Idea: the lock and the data are one object, so nobody can forget the lock. A thread that needs
// the data in a certain condition passes the condition to `wait_until`, and gets the data when it
// holds.
//
// Assumes: the functions handed in neither keep a reference to the data nor call the same monitor.
// Promises: one thread at a time; a thread in wait_until goes on only where its condition holds.
// Which of several waiting threads goes first is open.
//
// Differences from Hoare's: conditions are predicates over the data instead of named queues, and
// every change wakes all that wait, to test theirs. There is no signal to forget, at the price of
// wakings in vain.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <type_traits>
#include <utility>

namespace baton {

template <class T>
class Monitor {
 public:
  Monitor() = default;
  explicit Monitor(T data) : data_(std::move(data)) {}

  // Runs function(data) alone and returns its result.
  template <class Function>
  auto with(Function&& function) {
    return wait_until([](const T&) { return true; }, std::forward<Function>(function));
  }

  // Waits until condition(data) holds, then runs function(data) before it can change again.
  template <class Condition, class Function>
  auto wait_until(Condition condition, Function&& function) {
    using Result = std::invoke_result_t<Function, T&>;
    static_assert(!std::is_reference_v<Result>, "a reference to the data must not leave");
    std::unique_lock guard(mutex_);
    changed_.wait(guard, [&] { return condition(std::as_const(data_)); });
    const Announcement announcement{changed_};
    return std::invoke(std::forward<Function>(function), data_);
  }

 private:
  // Wakes the others after a change however the function ends, even by an exception.
  struct Announcement {
    std::condition_variable& changed;
    ~Announcement() { changed.notify_all(); }
  };

  std::mutex mutex_;
  std::condition_variable changed_;
  T data_{};
};

}  // namespace baton
