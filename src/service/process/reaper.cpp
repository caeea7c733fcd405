#include "service/process/reaper.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <system_error>
#include <vector>

namespace baton::process {

namespace {

constexpr std::chrono::seconds reaper_kill_patience{10};
constexpr std::chrono::seconds keeper_patience{1};

Environment parse(const std::string& text) {
  Environment environment;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\0', at);
    const std::string entry = text.substr(at, end - at);
    const std::size_t equals = entry.find('=');
    environment.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
    at = end + 1;
  }
  return environment;
}

// In the new process: becomes the command.
[[noreturn]] void become(const Command& command, const InheritedSignals& inherited,
                         const Cgroup* cgroup, pid_t reaper, int report) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != reaper) _exit(exit_code::failed);
  if (cgroup != nullptr) cgroup->enter();
  inherited.restore();
  const int error = execute(command);
  [[maybe_unused]] const ssize_t written = write(report, &error, sizeof error);
  _exit(exit_code::not_found);
}

}  // namespace

Reaper::Reaper(const Options& options, const InheritedSignals& inherited,
               const std::optional<Cgroup>& cgroup, Channel keeper, Handle keeper_process)
    : options_(options),
      inherited_(inherited),
      takedown_{.cgroup = cgroup ? &*cgroup : nullptr},
      keeper_(std::move(keeper)),
      keeper_process_(std::move(keeper_process)),
      signals_(signal_descriptor(every_signal())),
      timer_(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK)) {
  if (!timer_) throw std::system_error(errno, std::generic_category(), "timerfd_create");
}

void Reaper::run() {
  while (!keeper_is_gone()) {
    wait_for_something();
    take_messages();
    take_signals();
    take_start_report();
    take_time();
    for (const int signal : witness_.take_due(std::chrono::steady_clock::now())) pass_on(signal);
  }
  end();
}

void Reaper::wait_for_something() const {
  pollfd ready[] = {{keeper_.descriptor(), POLLIN, 0},
                    {keeper_process_.descriptor(), POLLIN, 0},
                    {signals_.get(), POLLIN, 0},
                    {timer_.get(), POLLIN, 0},
                    {start_report_.get(), POLLIN, 0}};
  int milliseconds = -1;
  if (const auto due = witness_.next_due()) {
    const auto left = *due - std::chrono::steady_clock::now();
    milliseconds = static_cast<int>(
        std::max<std::int64_t>(0, std::chrono::ceil<std::chrono::milliseconds>(left).count()));
  }
  poll(ready, std::size(ready), milliseconds);
}

bool Reaper::keeper_is_gone() const { return keeper_.is_over() || keeper_process_.has_ended(); }

void Reaper::take_messages() {
  while (const auto message = keeper_.receive()) take(*message);
}

void Reaper::take(const Message& message) {
  switch (message.kind) {
    case Message::Kind::start:
      start(message.text);
      break;
    case Message::Kind::signal:
      take_signal_of_foreground(static_cast<int>(message.number),
                                static_cast<pid_t>(message.other));
      break;
    case Message::Kind::stop_by:
      if (!out_of_time_) set_stop_by(message.number);
      break;
    default:
      break;
  }
}

// If the command has made its own process group, as an interactive shell does, it receives no
// signal that is sent to ours; then the reaper passes on every signal.
void Reaper::take_signal_of_foreground(int signal, pid_t sender) {
  const pid_t group = command_ > 0 ? getpgid(command_) : getpgrp();
  if (group == getpgrp()) {
    witness_.told(signal, sender, std::chrono::steady_clock::now());
    return;
  }
  if (signal == SIGCONT) hand_over_terminal(group);
  pass_on(signal);
}

// When a stopped job is brought to the foreground its shell gives the terminal to our group.
void Reaper::hand_over_terminal(pid_t group) {
  const io::Descriptor terminal(open("/dev/tty", O_RDWR | O_CLOEXEC));
  if (terminal && tcgetpgrp(terminal.get()) == getpgrp()) tcsetpgrp(terminal.get(), group);
}

void Reaper::take_signals() {
  while (const auto received = next_signal(signals_)) {
    if (received->signal == SIGCHLD) {
      reap();
    } else {
      witness_.saw(received->signal, received->sender, std::chrono::steady_clock::now());
    }
  }
}

// Reaps the command, and processes that the command left behind, which are now the reaper's
// children.
void Reaper::reap() {
  int status = 0;
  pid_t child = 0;
  while ((child = waitpid(-1, &status, WNOHANG | WUNTRACED | WCONTINUED)) > 0) {
    if (child == command_) take_status(status);
  }
}

void Reaper::take_status(int status) {
  if (WIFSTOPPED(status)) {
    keeper_.send({Message::Kind::stopped, WSTOPSIG(status)});
  } else if (WIFCONTINUED(status)) {
    keeper_.send({Message::Kind::continued});
  } else {
    take_start_report();
    command_ = 0;
    keeper_.send({Message::Kind::exited, status});
  }
}

void Reaper::start(const std::string& environment) {
  Command command = options_.command;
  for (auto& entry : parse(environment)) command.environment.push_back(std::move(entry));
  int ends[2];
  const pid_t reaper = getpid();
  if (pipe2(ends, O_CLOEXEC) != 0 || (command_ = fork()) < 0) {
    keeper_.send({Message::Kind::not_started, errno});
    return;
  }
  if (command_ == 0) become(command, inherited_, takedown_.cgroup, reaper, ends[1]);
  ::close(ends[1]);
  start_report_ = io::Descriptor(ends[0]);
  has_started_ = true;
  close_what_is_the_commands();
}

// Closes the descriptors that the command has inherited, so that the reader of a pipe sees its end
// when the command closes it.
void Reaper::close_what_is_the_commands() const {
  std::vector<unsigned> kept;
  for (const int descriptor : {keeper_.descriptor(), keeper_process_.descriptor(), signals_.get(),
                               timer_.get(), start_report_.get()}) {
    kept.push_back(static_cast<unsigned>(descriptor));
  }
  std::sort(kept.begin(), kept.end());
  unsigned from = 0;
  for (const unsigned descriptor : kept) {
    if (descriptor > from) close_range(from, descriptor - 1, 0);
    from = descriptor + 1;
  }
  close_range(from, ~0U, 0);
}

void Reaper::take_start_report() {
  pollfd report{start_report_.get(), POLLIN, 0};
  if (!start_report_ || poll(&report, 1, 0) <= 0) return;
  int error = 0;
  if (read(start_report_.get(), &error, sizeof error) == sizeof error) {
    keeper_.send({Message::Kind::not_started, error});
  }
  start_report_.close();
}

// Sends the signal to the command. The reaper has not reaped it, so no other process has its id.
void Reaper::pass_on(int signal) const {
  if (command_ > 0) kill(command_, signal);
}

void Reaper::set_stop_by(std::int64_t nanoseconds) const {
  itimerspec when{};
  when.it_value.tv_sec = static_cast<time_t>(nanoseconds / 1'000'000'000);
  when.it_value.tv_nsec = static_cast<long>(nanoseconds % 1'000'000'000);
  timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
}

// The limit has passed, and the keeper should have stopped the command long ago. The reaper kills
// everything. If the keeper does not end now either, it hangs.
void Reaper::take_time() {
  std::uint64_t count = 0;
  if (read(timer_.get(), &count, sizeof count) != sizeof count) return;
  if (out_of_time_) keeper_process_.send(SIGKILL);
  if (!has_started_ || out_of_time_) return;
  out_of_time_ = true;
  takedown_.kill_all(reaper_kill_patience);
  command_ = 0;
  keeper_.send({Message::Kind::out_of_time});
  itimerspec again{};
  again.it_value.tv_sec = keeper_patience.count();
  timerfd_settime(timer_.get(), 0, &again, nullptr);
}

// The keeper has ended before the reaper, so it was killed: a keeper that lets processes of an
// ended command go on kills the reaper before it ends.
void Reaper::end() {
  takedown_.kill_all(reaper_kill_patience);
  if (takedown_.cgroup != nullptr) takedown_.cgroup->remove();
  _exit(0);
}

}  // namespace baton::process
