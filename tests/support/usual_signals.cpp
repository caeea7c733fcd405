// Whoever runs the tests may ignore signals, as shells do for jobs in the background. What is
// started here is to meet them as a command that somebody typed does.
#include <csignal>

namespace {

[[maybe_unused]] const bool treated_as_usual = [] {
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGTSTP, SIGTTIN, SIGTTOU}) {
    std::signal(signal, SIG_DFL);
  }
  return true;
}();

}  // namespace
