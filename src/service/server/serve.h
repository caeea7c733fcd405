// A server process: log, signals, supervisor, and a host that runs until it is told to stop.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "service/server/host.h"

namespace baton::server {

// What a process that served ends with.
inline constexpr int served = 0;
inline constexpr int could_not_begin = 2;  // the message says why
inline constexpr int could_not_go_on = 4;  // the journal failed

struct ServeOptions : HostOptions {
  bool log_as_json = false;
  std::string log_level = "info";
  // The host is there and about to run; what is returned goes before it does.
  std::function<std::shared_ptr<void>(Host&)> attend;
};

// Until SIGTERM or SIGINT.
int serve(const ServeOptions& options);

}  // namespace baton::server
