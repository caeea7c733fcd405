#include "service/process/supervise.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "service/process/foreground.h"
#include "service/process/lease_keeper.h"

namespace baton::process {

namespace {

Handle handle_of(pid_t process) {
  Handle handle(process);
  if (!handle) throw std::system_error(errno, std::generic_category(), "pidfd_open");
  return handle;
}

void give_streams_away() {
  const io::Descriptor null(open("/dev/null", O_RDWR | O_CLOEXEC));
  dup2(null.get(), STDIN_FILENO);
  dup2(null.get(), STDOUT_FILENO);
}

// The children that this process had before the command, as when a shell replaces itself by baton.
std::set<pid_t> children_before() {
  std::set<pid_t> children;
  for (const Process& process : quick_descendants_of(getpid())) children.insert(process.id);
  return children;
}

}  // namespace

Outcome run_supervised(const Options& options, Holder& holder) {
  const std::set<pid_t> spared = children_before();
  const InheritedSignals inherited = InheritedSignals::take();
  const std::optional<Cgroup> cgroup = options.use_cgroup ? Cgroup::make() : std::nullopt;
  block(signals_of_foreground());
  prctl(PR_SET_CHILD_SUBREAPER, 1);

  auto [mine, its] = make_channel();
  Handle self = handle_of(getpid());
  const pid_t keeper = fork();
  if (keeper < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (keeper == 0) {
    mine = Channel();
    LeaseKeeper(options, inherited, cgroup, holder, std::move(its), std::move(self)).run();
  }
  its = Channel();
  self.close();
  give_streams_away();
  const Takedown takedown{cgroup ? &*cgroup : nullptr, spared};
  const Outcome outcome = Foreground(std::move(mine), keeper, handle_of(keeper), takedown).run();

  prctl(PR_SET_CHILD_SUBREAPER, 0);
  inherited.restore();
  return outcome;
}

void end_like(const Outcome& outcome) {
  if (outcome.signal != 0) {
    // A core file of this process would tell nothing, and could replace the command's.
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    std::signal(outcome.signal, SIG_DFL);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, outcome.signal);
    sigprocmask(SIG_UNBLOCK, &only, nullptr);
    raise(outcome.signal);
  }
  std::exit(outcome.exit_code);
}

}  // namespace baton::process
