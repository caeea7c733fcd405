#include "cli/service/interrupt.h"

#include <csignal>
#include <ctime>

#include "service/process/supervise.h"

namespace baton::cli {

namespace {

bool is_ignored(int signal) {
  struct sigaction now {};
  return sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

// One that is ignored must not be waited for: it would come all the same.
sigset_t interrupts() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (!is_ignored(signal)) sigaddset(&set, signal);
  }
  return set;
}

// Wakes the thread that waits for interrupts.
constexpr int wake_up = SIGURG;

}  // namespace

void take_interrupts() {
  const sigset_t set = interrupts();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

std::optional<int> interrupted_within(std::chrono::milliseconds time) {
  const sigset_t set = interrupts();
  const timespec wait{time.count() / 1000, (time.count() % 1000) * 1'000'000};
  const int signal = sigtimedwait(&set, nullptr, &wait);
  return signal > 0 ? std::optional(signal) : std::nullopt;
}

Interruption::Interruption() {
  take_interrupts();
  sigset_t own;
  sigemptyset(&own);
  sigaddset(&own, wake_up);
  pthread_sigmask(SIG_BLOCK, &own, nullptr);
  waiter_ = std::thread([this] { wait(); });
}

Interruption::~Interruption() {
  is_over_ = true;
  pthread_kill(waiter_.native_handle(), wake_up);
  waiter_.join();
}

std::stop_token Interruption::begin() {
  has_begun_ = true;
  return give_up_.get_token();
}

void Interruption::wait() {
  sigset_t set = interrupts();
  sigaddset(&set, wake_up);
  while (!is_over_) {
    int signal = 0;
    if (sigwait(&set, &signal) != 0 || signal == wake_up) continue;
    const bool is_first = signal_.exchange(signal) == 0;
    if (!has_begun_ || !is_first) end_process();
    give_up_.request_stop();
  }
}

void Interruption::end_process() const { end_by(signal_); }

void end_by(int signal) { process::end_like({.exit_code = 128 + signal, .signal = signal}); }

}  // namespace baton::cli
