// What the service manager that started this process (systemd) wants to hear and has prepared: see
// sd_notify(3) and sd_listen_fds(3).
#pragma once

#include <string>
#include <vector>

namespace baton::server {

// "READY=1", "STOPPING=1", "STATUS=…". Nothing happens if nobody wants to know.
void notify_supervisor(const std::string& message);

// Sockets that are passed to this process, to be listened on. Asked once: children do not see them.
std::vector<int> take_passed_sockets();

}  // namespace baton::server
