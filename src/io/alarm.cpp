#include "io/alarm.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

namespace baton::io {

namespace {

int new_timer() {
  const int timer = timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC);
  if (timer < 0) throw std::system_error(errno, std::generic_category(), "timerfd_create");
  return timer;
}

}  // namespace

Alarm::Alarm(boost::asio::io_context& io, std::function<void()> rung)
    : timer_(io, new_timer()), rung_(std::move(rung)) {
  wait();
}

void Alarm::set(std::int64_t at_us) {
  // Zero would mean never.
  at_us = std::max<std::int64_t>(at_us, 1);
  itimerspec when{};
  when.it_value.tv_sec = at_us / 1'000'000;
  when.it_value.tv_nsec = at_us % 1'000'000 * 1000;
  timerfd_settime(timer_.native_handle(), TFD_TIMER_ABSTIME, &when, nullptr);
}

void Alarm::stop() {
  boost::system::error_code ignored;
  timer_.close(ignored);
}

void Alarm::wait() {
  timer_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                    [this](const boost::system::error_code& error) {
                      if (error) return;
                      std::uint64_t times = 0;
                      if (read(timer_.native_handle(), &times, sizeof times) > 0) rung_();
                      if (timer_.is_open()) wait();
                    });
}

}  // namespace baton::io
