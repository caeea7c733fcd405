#include "service/process/detached.h"

#include <fcntl.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>

#include "io/descriptor.h"
#include "service/process/cgroup.h"
#include "service/process/descendants.h"
#include "service/process/exit_codes.h"

namespace baton::process {

namespace {

const std::string mark_name = "BATON_DETACHED";

void open_null_streams() {
  const int null = open("/dev/null", O_RDWR);
  for (int stream = 0; stream <= 2; ++stream) dup2(null, stream);
}

// The first descriptor above the standard streams is the one that tells the starter what happened.
[[noreturn]] void become(Command command, int report) {
  setsid();
  if (fork() > 0) _exit(0);
  dup2(report, 3);
  fcntl(3, F_SETFD, FD_CLOEXEC);
  close_range(4, ~0U, 0);
  open_null_streams();
  leave_cgroup_of_run();
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  command.environment.emplace_back(mark_name, std::to_string(getpid()));
  const int error = execute(command);
  [[maybe_unused]] const ssize_t written = write(3, &error, sizeof error);
  _exit(exit_code::not_found);
}

}  // namespace

int start_detached(const Command& command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return errno;
  const io::Descriptor from(ends[0]);
  io::Descriptor to(ends[1]);
  const pid_t between = fork();
  if (between < 0) return errno;
  if (between == 0) become(command, to.get());
  to.close();
  int status = 0;
  while (waitpid(between, &status, 0) < 0 && errno == EINTR) {
  }
  int error = 0;
  ssize_t size = 0;
  while ((size = read(from.get(), &error, sizeof error)) < 0 && errno == EINTR) {
  }
  return size == sizeof error ? error : 0;
}

bool is_detached(pid_t id) {
  const std::string number = std::to_string(id);
  const std::string environment = '\0' + read_file("/proc/" + number + "/environ") + '\0';
  return environment.find('\0' + mark_name + "=" + number + '\0') != std::string::npos;
}

}  // namespace baton::process
