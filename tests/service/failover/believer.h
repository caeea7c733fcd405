// Somebody who holds a lock and keeps looking, by its own clock, whether it still does.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "baton/lock.h"
#include "service/failover/fleet.h"
#include "service/failover/history.h"

namespace baton::test {

class Believer {
 public:
  Believer(Lock lock, std::size_t number)
      : lock_(std::move(lock)),
        belief_{lock_.names().front(), number, lock_.fence(), io::boottime_us(), 0},
        thread_([this] { watch(); }) {}
  ~Believer() {
    is_over_ = true;
    thread_.join();
  }
  Believer(const Believer&) = delete;
  Believer& operator=(const Believer&) = delete;

  bool believes() const { return believes_; }
  Lock& lock() { return lock_; }
  // Once it does not believe any more.
  const Belief& belief() const { return belief_; }

 private:
  void watch() {
    while (!is_over_) {
      const std::int64_t at_us = io::boottime_us();
      if (!lock_.is_held()) break;
      belief_.until_us = at_us;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    believes_ = false;
  }

  Lock lock_;
  Belief belief_;
  std::atomic<bool> is_over_{false};
  std::atomic<bool> believes_{true};
  std::thread thread_;
};

}  // namespace baton::test
