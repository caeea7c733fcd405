// Counters of the HTTP server, for the metrics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace baton::http {

struct Counters {
  std::map<std::pair<std::string, unsigned>, std::uint64_t> answered;  // by route and status
  std::size_t connections = 0;
  std::size_t streams = 0;
  double started_s = 0;  // since 1970
};

}  // namespace baton::http
