#include "service/process/lease_keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <iterator>
#include <system_error>

#include "service/process/reaper.h"

namespace baton::process {

namespace {

using std::chrono::milliseconds;

// How long killed processes may take to end.
constexpr milliseconds keeper_kill_patience{3000};
constexpr milliseconds reaper_patience{1000};
constexpr milliseconds foreground_check{50};
constexpr milliseconds foreground_watch{1000};

std::string text_of(const Environment& environment) {
  std::string text;
  for (const auto& [name, value] : environment) text += name + "=" + value + '\0';
  return text;
}

Outcome of_status(int status) {
  if (WIFSIGNALED(status)) return {128 + WTERMSIG(status), WTERMSIG(status), {}};
  return {WEXITSTATUS(status), 0, {}};
}

Outcome of_start_error(int error, const Command& command) {
  const std::string name = command.words.empty() ? "" : command.words.front();
  return {error == ENOENT ? exit_code::not_found : exit_code::not_executable, 0,
          name + ": " + std::strerror(error)};
}

}  // namespace

LeaseKeeper::LeaseKeeper(const Options& options, const InheritedSignals& inherited,
                         const std::optional<Cgroup>& cgroup, Holder& holder, Channel foreground,
                         Handle foreground_process)
    : options_(options),
      inherited_(inherited),
      cgroup_(cgroup),
      holder_(holder),
      foreground_(std::move(foreground)),
      foreground_process_(std::move(foreground_process)),
      foreground_id_(getppid()),
      takedown_{.cgroup = cgroup ? &*cgroup : nullptr} {}

void LeaseKeeper::run() {
  block(every_signal());
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_NAME, "lock-keeper");
  start_reaper();
  leave_terminal();
  try {
    holder_.begin();
    for (;;) {
      wait_for_something();
      if (foreground_process_.has_ended()) stop_and_end({}, true);
      take_from_holder();
      take_from_reaper();
      take_from_foreground();
      note_continued();
    }
  } catch (const std::exception& error) {
    stop_and_end({exit_code::failed, 0, error.what()}, false);
  }
}

// The reaper is made before the keeper leaves the session: it and the command remain there.
void LeaseKeeper::start_reaper() {
  auto [mine, its] = make_channel();
  Handle self(getpid());
  reaper_id_ = fork();
  if (reaper_id_ == 0) {
    foreground_ = Channel();
    foreground_process_.close();
    mine = Channel();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_NAME, "lock-reaper");
    Reaper(options_, inherited_, cgroup_, std::move(its), std::move(self)).run();
  }
  if (reaper_id_ > 0) reaper_process_ = Handle(reaper_id_);
  if (!reaper_process_) tell_and_exit({exit_code::failed, 0, std::strerror(errno)});
  reaper_ = std::move(mine);
}

// Keeps standard error open for messages of the holder.
void LeaseKeeper::leave_terminal() {
  setsid();
  const io::Descriptor null(open("/dev/null", O_RDWR | O_CLOEXEC));
  dup2(null.get(), STDIN_FILENO);
  dup2(null.get(), STDOUT_FILENO);
}

void LeaseKeeper::wait_for_something() const {
  pollfd ready[] = {{foreground_.descriptor(), POLLIN, 0},
                    {foreground_process_.descriptor(), POLLIN, 0},
                    {reaper_.descriptor(), POLLIN, 0},
                    {reaper_process_.descriptor(), POLLIN, 0},
                    {lost_ ? -1 : holder_.descriptor(), POLLIN, 0}};
  poll(ready, std::size(ready),
       watch_foreground_until_ ? static_cast<int>(foreground_check.count()) : -1);
}

void LeaseKeeper::take_from_holder() {
  if (lost_) return;
  const Holder::State state = holder_.state();
  if (state == Holder::State::lost) return take_loss();
  if (state == Holder::State::failed) {
    end({holder_.failure_code(), 0, holder_.message()}, false);
  }
  relay_stop_by();
  if (state == Holder::State::held && phase_ == Phase::waiting) {
    phase_ = Phase::offered;
    foreground_.send({Message::Kind::held});
  }
}

void LeaseKeeper::take_loss() {
  lost_ = true;
  const std::string why = holder_.message();
  if (phase_ != Phase::running) end({exit_code::lost, 0, why}, false);
  if (options_.on_lost == OnLost::stop) stop_and_end({exit_code::lost, 0, why}, false);
  foreground_.send({Message::Kind::say, 0, 0, why});
  if (options_.on_lost == OnLost::signal) {
    // Nobody can have sent it to the group in the name of process -1.
    reaper_.send({Message::Kind::signal, options_.lost_signal, -1});
  }
}

// Tells the reaper the time by which the command must end. There is no such time without a command,
// or if the command may survive the loss.
void LeaseKeeper::relay_stop_by() {
  if (phase_ != Phase::running || options_.on_lost != OnLost::stop) return;
  const auto limit = holder_.stop_by();
  const std::int64_t nanoseconds = limit ? limit->count() : 0;
  if (nanoseconds == told_stop_by_) return;
  told_stop_by_ = nanoseconds;
  reaper_.send({Message::Kind::stop_by, nanoseconds});
}

void LeaseKeeper::take_from_foreground() {
  while (const auto message = foreground_.receive()) {
    if (message->kind == Message::Kind::go) start_command();
    if (message->kind == Message::Kind::cancel) end({}, true);
    if (message->kind == Message::Kind::signal) reaper_.send(*message);
  }
}

void LeaseKeeper::start_command() {
  const Message start{Message::Kind::start, 0, 0, text_of(holder_.environment())};
  if (!reaper_.send(start)) {
    end({exit_code::failed, 0, std::string("cannot start the command: ") + std::strerror(errno)},
        true);
  }
  phase_ = Phase::running;
  relay_stop_by();
}

void LeaseKeeper::take_from_reaper() {
  const bool gone = reaper_process_.has_ended();
  while (const auto message = reaper_.receive()) {
    const int number = static_cast<int>(message->number);
    switch (message->kind) {
      case Message::Kind::not_started:
        end(of_start_error(number, options_.command), true);
      case Message::Kind::exited:
        take_ending(number);
        break;
      case Message::Kind::stopped:
        watch_foreground_until_.reset();
        foreground_.send(*message);
        break;
      case Message::Kind::continued:
        watch_foreground_until_ = std::chrono::steady_clock::now() + foreground_watch;
        foreground_.send(*message);
        break;
      case Message::Kind::out_of_time:
        stop_and_end({exit_code::lost, 0, "the lock was not renewed in time"}, false);
      default:
        break;
    }
  }
  if (gone) stop_and_end({exit_code::failed, 0, "the reaper of the command was killed"}, true);
}

void LeaseKeeper::take_ending(int status) {
  Outcome outcome = of_status(status);
  if (lost_ && options_.on_lost == OnLost::signal) outcome = {exit_code::lost, 0, {}};
  if (options_.leftovers == Leftovers::stop) stop_and_end(outcome, !lost_);
  if (cgroup_) cgroup_->let_go();
  end(outcome, !lost_);
}

// The foreground stopped because the command had stopped. Now the command goes on by itself, so
// wake the foreground; look again for a while, because it may be about to stop only now.
void LeaseKeeper::note_continued() {
  if (!watch_foreground_until_) return;
  wake_foreground();
  if (std::chrono::steady_clock::now() > *watch_foreground_until_) watch_foreground_until_.reset();
}

void LeaseKeeper::wake_foreground() {
  const auto foreground = look_up(foreground_id_);
  if (foreground && foreground->state == 'T') foreground_process_.send(SIGCONT);
}

void LeaseKeeper::stop_and_end(Outcome outcome, bool release) {
  takedown_.ask_all_to_end(options_.kill_after, reaper_id_, [this, release] {
    if (!release || lost_) return;
    lost_ = holder_.state() == Holder::State::lost;
    relay_stop_by();
  });
  release = release && !lost_;
  const std::vector<Process> left = takedown_.kill_all(keeper_kill_patience);
  if (!left.empty()) {
    if (!outcome.message.empty()) outcome.message += "; ";
    outcome.message += "could not be stopped: " + describe(left);
    release = false;
    is_all_stopped_ = false;
  }
  end(outcome, release);
}

void LeaseKeeper::end(Outcome outcome, bool release) {
  reaper_process_.send(SIGKILL);
  reaper_process_.wait_for_end(reaper_patience);
  if (release) {
    holder_.release();
  } else if (lost_ && is_all_stopped_) {
    holder_.stopped();
  }
  tell_and_exit(outcome);
}

void LeaseKeeper::tell_and_exit(const Outcome& outcome) {
  if (cgroup_) cgroup_->remove();
  foreground_.send({Message::Kind::ended, outcome.exit_code, outcome.signal, outcome.message});
  // A foreground that is stopped, or is just about to stop because the command had, must be woken
  // up.
  const auto deadline = std::chrono::steady_clock::now() + foreground_watch;
  while (!foreground_process_.has_ended() && std::chrono::steady_clock::now() < deadline) {
    wake_foreground();
    pollfd answer{foreground_.descriptor(), POLLIN, 0};
    poll(&answer, 1, static_cast<int>(foreground_check.count()));
    const auto message = foreground_.receive();
    if (foreground_.is_over() || (message && message->kind == Message::Kind::understood)) break;
  }
  _exit(0);
}

}  // namespace baton::process
