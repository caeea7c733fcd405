// The server's metrics in the text format of Prometheus (0.0.4). docs/metrics.md has the list;
// names and meanings are stable.
#pragma once

#include <string>

#include "service/http/counters.h"
#include "service/server/host.h"

namespace baton::http {

std::string metrics(server::Host& host, const Counters& counters);

}  // namespace baton::http
