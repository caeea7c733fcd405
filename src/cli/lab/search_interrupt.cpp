#include "cli/lab/search_interrupt.h"

#include <csignal>

namespace baton::cli {

namespace {

std::atomic<bool> interrupted{false};

void note(int) { interrupted = true; }

bool is_ignored() {
  struct sigaction now {};
  return sigaction(SIGINT, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace

SearchInterrupt::SearchInterrupt() {
  if (is_ignored()) return;
  struct sigaction once {};
  once.sa_handler = note;
  once.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &once, nullptr);
}

SearchInterrupt::~SearchInterrupt() {
  if (!is_ignored()) std::signal(SIGINT, SIG_DFL);
}

const std::atomic<bool>* SearchInterrupt::flag() { return &interrupted; }

}  // namespace baton::cli
