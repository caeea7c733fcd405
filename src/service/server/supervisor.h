// Talks to the service manager that started this process (systemd): see sd_notify(3) and
// sd_listen_fds(3).
#pragma once

#include <string>
#include <vector>

namespace baton::server {

// Sends "READY=1", "STOPPING=1" or "STATUS=…". Does nothing without a service manager.
void notify_supervisor(const std::string& message);

// The listening sockets that the service manager passed to this process. Call it once: it removes
// them from the environment, so that child processes do not see them.
std::vector<int> take_passed_sockets();

}  // namespace baton::server
