#include "cli/service/interrupt.h"

#include <csignal>
#include <ctime>

namespace baton::cli {

namespace {

sigset_t interrupts() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
  return set;
}

}  // namespace

void take_interrupts() {
  const sigset_t set = interrupts();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

bool interrupted_within(std::chrono::milliseconds time) {
  const sigset_t set = interrupts();
  const timespec wait{time.count() / 1000, (time.count() % 1000) * 1'000'000};
  return sigtimedwait(&set, nullptr, &wait) > 0;
}

}  // namespace baton::cli
