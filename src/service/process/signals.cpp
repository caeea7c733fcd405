#include "service/process/signals.h"

#include <sys/signalfd.h>

#include <cerrno>
#include <initializer_list>
#include <system_error>

namespace baton::process {

InheritedSignals InheritedSignals::take() {
  InheritedSignals inherited;
  sigprocmask(SIG_SETMASK, nullptr, &inherited.mask);
  inherited.ignores_children = is_ignored(SIGCHLD);
  if (inherited.ignores_children) std::signal(SIGCHLD, SIG_DFL);
  return inherited;
}

void InheritedSignals::restore() const {
  if (ignores_children) std::signal(SIGCHLD, SIG_IGN);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
}

sigset_t signals_of_foreground() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGTERM, SIGCHLD,
                           SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH, SIGIO, SIGPWR}) {
    sigaddset(&signals, signal);
  }
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) sigaddset(&signals, signal);
  return signals;
}

sigset_t every_signal() {
  sigset_t signals;
  sigfillset(&signals);
  return signals;
}

void block(const sigset_t& signals) { sigprocmask(SIG_BLOCK, &signals, nullptr); }

io::Descriptor signal_descriptor(const sigset_t& signals) {
  io::Descriptor descriptor(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!descriptor) throw std::system_error(errno, std::generic_category(), "signalfd");
  return descriptor;
}

std::optional<Received> next_signal(const io::Descriptor& descriptor) {
  signalfd_siginfo info;
  if (read(descriptor.get(), &info, sizeof info) != sizeof info) return std::nullopt;
  const bool from_process = info.ssi_code == SI_USER || info.ssi_code == SI_QUEUE;
  return Received{static_cast<int>(info.ssi_signo),
                  from_process ? static_cast<pid_t>(info.ssi_pid) : 0};
}

bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

void stop_by(int signal) {
  if (signal == SIGSTOP || is_ignored(signal)) {
    raise(SIGSTOP);
    return;
  }
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  sigset_t before;
  raise(signal);
  sigprocmask(SIG_UNBLOCK, &only, &before);
  sigprocmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace baton::process
