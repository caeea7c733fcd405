// Decides whether a server that has nothing to do stays awake for a moment.
//
// Sleeping and waking up costs as much processor time as several requests. A single client that
// sends its next request as soon as it is answered is back before that: a server that stays awake
// answers it in half the time. The server does so only for a conversation with one client, only
// where it has paid off, and never for long. If several clients talk, or the answer comes from the
// disk, it leaves the processor to others.
#pragma once

#include <chrono>

namespace baton::io {

class BusyPoll {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // One client has sent bytes, and no other has.
  void heard_one(const void* who) {
    in_a_row_ = who == last_ ? in_a_row_ + 1 : 0;
    last_ = who;
    was_heard_ = true;
  }
  void heard_several() {
    in_a_row_ = 0;
    last_ = nullptr;
    was_heard_ = true;
  }

  // There is nothing to do now. False: sleep.
  bool stays(Time now) {
    if (was_heard_) {
      was_heard_ = false;
      if (is_awake_) missed_ = 0;
      is_awake_ = in_a_row_ >= conversation && in_a_row_ % (missed_ + 1) == 0;
      until_ = now + patience;
    }
    if (!is_awake_ || now < until_) return is_awake_;
    is_awake_ = false;
    missed_ = missed_ < most_missed ? 2 * missed_ + 1 : most_missed;
    return false;
  }

 private:
  static constexpr int conversation = 8;  // requests of one client with nobody else's in between
  static constexpr int most_missed = 63;  // one in 64 is tried although it has not paid
  static constexpr std::chrono::microseconds patience{100};

  const void* last_ = nullptr;
  int in_a_row_ = 0;
  int missed_ = 0;
  bool was_heard_ = false;
  bool is_awake_ = false;
  Time until_;
};

}  // namespace baton::io
