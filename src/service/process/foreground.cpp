#include "service/process/foreground.h"

#include <poll.h>
#include <sys/wait.h>

#include <iterator>

namespace baton::process {

namespace {

constexpr std::chrono::seconds foreground_kill_patience{10};

bool does_nothing_by_default(int signal) {
  return signal == SIGCHLD || signal == SIGCONT || signal == SIGURG || signal == SIGWINCH;
}

void say(const std::string& text) {
  const std::string line = "baton: " + text + "\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace

Foreground::Foreground(Channel keeper, pid_t keeper_id, Handle keeper_process,
                       const Takedown& takedown)
    : keeper_(std::move(keeper)),
      keeper_id_(keeper_id),
      keeper_process_(std::move(keeper_process)),
      takedown_(takedown),
      signals_(signal_descriptor(signals_of_foreground())) {}

Outcome Foreground::run() {
  while (!outcome_) {
    wait_for_something();
    take_keepers_death();
    take_messages();
    take_signals();
  }
  waitpid(keeper_id_, nullptr, 0);
  if (cancelled_by_ != 0) return {128 + cancelled_by_, cancelled_by_, {}};
  return *outcome_;
}

void Foreground::wait_for_something() const {
  pollfd ready[] = {{keeper_.descriptor(), POLLIN, 0},
                    {keeper_process_.descriptor(), POLLIN, 0},
                    {signals_.get(), POLLIN, 0}};
  poll(ready, std::size(ready), -1);
}

void Foreground::take_messages() {
  int stop_signal = 0;
  while (const auto message = keeper_.receive()) {
    const int number = static_cast<int>(message->number);
    switch (message->kind) {
      case Message::Kind::held:
        // A foreground that is stopped does not come here: the command starts when the job goes on.
        if (cancelled_by_ == 0) started_ = keeper_.send({Message::Kind::go});
        break;
      case Message::Kind::stopped:
        stop_signal = number;
        break;
      case Message::Kind::continued:
        stop_signal = 0;
        break;
      case Message::Kind::say:
        say(message->text);
        break;
      case Message::Kind::ended:
        outcome_ = {number, static_cast<int>(message->other), message->text};
        keeper_.send({Message::Kind::understood});
        break;
      default:
        break;
    }
  }
  if (stop_signal != 0 && !outcome_) stop_by(stop_signal);
}

void Foreground::take_signals() {
  while (const auto received = next_signal(signals_)) {
    if (received->signal == SIGCHLD) continue;
    if (started_) {
      keeper_.send({Message::Kind::signal, received->signal, received->sender});
    } else {
      take_while_waiting(received->signal);
    }
  }
}

// No command runs yet that could handle the signal, so the foreground cancels the wait for the lock
// and then ends by the signal. A second signal kills the keeper, so that the foreground need not
// wait for it.
void Foreground::take_while_waiting(int signal) {
  if (is_ignored(signal) || does_nothing_by_default(signal)) return;
  if (signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU) return stop_by(signal);
  if (cancelled_by_ != 0) kill(keeper_id_, SIGKILL);
  cancelled_by_ = signal;
  keeper_.send({Message::Kind::cancel});
}

// The keeper has ended. First reads its last messages. If they do not contain the outcome, the
// keeper was killed; the reaper and the command are now children of the foreground.
void Foreground::take_keepers_death() {
  if (!keeper_process_.has_ended()) return;
  take_messages();
  if (outcome_) return;
  const std::vector<Process> left = takedown_.kill_all(foreground_kill_patience);
  if (takedown_.cgroup != nullptr) takedown_.cgroup->remove();
  outcome_ = {started_ ? exit_code::lost : exit_code::failed, 0,
              "the keeper of the lock was killed"};
  if (!left.empty()) outcome_->message += "; could not be stopped: " + describe(left);
}

}  // namespace baton::process
