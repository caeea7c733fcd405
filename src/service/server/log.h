// The server's log, on standard error: for people, or one JSON object per line.
#pragma once

#include <spdlog/logger.h>

#include <memory>
#include <string>

namespace baton::server {

// `level` is one of trace, debug, info, warning, error, critical, off.
std::shared_ptr<spdlog::logger> make_log(bool as_json, const std::string& level);

}  // namespace baton::server
