// The server's metrics in the text format of Prometheus (0.0.4). docs/metrics.md has the list;
// names and meanings are stable.
#pragma once

#include <string>

#include "http/counters.h"
#include "server/host.h"

namespace baton::http {

std::string metrics(server::Host& host, const Counters& counters);

}  // namespace baton::http
