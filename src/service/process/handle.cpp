#include "service/process/handle.h"

#include <poll.h>
#include <sys/syscall.h>

namespace baton::process {

Handle::Handle(pid_t process)
    : descriptor_(static_cast<int>(syscall(SYS_pidfd_open, process, 0))) {}

bool Handle::send(int signal) const {
  return syscall(SYS_pidfd_send_signal, descriptor_.get(), signal, nullptr, 0) == 0;
}

bool Handle::wait_for_end(std::chrono::milliseconds patience) const {
  pollfd watched{descriptor_.get(), POLLIN, 0};
  return poll(&watched, 1, static_cast<int>(patience.count())) > 0;
}

}  // namespace baton::process
