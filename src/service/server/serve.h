// A server process: log, signals, supervisor, and a host that runs until it is told to stop.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "service/server/host.h"

namespace baton::server {

// Exit codes of a server process.
inline constexpr int served = 0;
inline constexpr int could_not_begin = 2;  // the message says why
inline constexpr int could_not_go_on = 4;  // the journal failed

struct ServeOptions : HostOptions {
  bool log_as_json = false;
  std::string log_level = "info";
  // Called when the host is about to run. The object that it returns is destroyed before the host.
  std::function<std::shared_ptr<void>(Host&)> attend;
};

// Serves until SIGTERM or SIGINT, and returns an exit code.
int serve(const ServeOptions& options);

}  // namespace baton::server
