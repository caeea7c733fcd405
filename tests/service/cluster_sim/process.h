// A process with one thread: what concerns it is done in its turn, one thing after the other.
//
// While it is paused nothing is done, but its clock goes on and everything that comes to it is
// kept; afterwards all of that is done at once. Its clock has a speed of its own.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <utility>

#include "service/cluster_sim/timeline.h"

namespace baton::cluster_sim {

struct ProcessClock {
  std::int64_t origin_us = 0;
  std::int64_t fast_by_ppm = 0;  // how much faster than time itself
};

class Process {
 public:
  Process(Timeline& timeline, const ProcessClock& clock) : timeline_(timeline), clock_(clock) {}
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  std::int64_t now_us() const { return timeline_.now_us(); }
  std::int64_t local_us() const {
    return clock_.origin_us + now_us() + now_us() / 1000 * clock_.fast_by_ppm / 1000;
  }

  void run(std::function<void()> what) {
    queue_.push_back(std::move(what));
    drain();
  }
  // By its own clock; not if it has died meanwhile.
  void later(std::int64_t us, std::function<void()> what) {
    const std::int64_t true_us = us - us / 1000 * clock_.fast_by_ppm / 1000;
    timeline_.in(true_us, [this, life = std::weak_ptr<bool>(life_), what = std::move(what)] {
      if (!life.expired()) run(what);
    });
  }

  bool is_paused() const { return is_paused_; }
  void pause() { is_paused_ = true; }
  void resume() {
    is_paused_ = false;
    drain();
  }
  // What it still had to do is never done.
  void forget_everything() {
    life_ = std::make_shared<bool>(true);
    queue_.clear();
    is_paused_ = false;
  }

 private:
  void drain() {
    if (is_busy_) return;
    is_busy_ = true;
    while (!is_paused_ && !queue_.empty()) {
      const std::function<void()> what = std::move(queue_.front());
      queue_.pop_front();
      what();
    }
    is_busy_ = false;
  }

  Timeline& timeline_;
  ProcessClock clock_;
  std::deque<std::function<void()>> queue_;
  std::shared_ptr<bool> life_ = std::make_shared<bool>(true);
  bool is_paused_ = false;
  bool is_busy_ = false;
};

}  // namespace baton::cluster_sim
