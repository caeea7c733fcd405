// The servers with which this one shares its journal (a cluster) or its names (a group of peers).
#pragma once

#include <functional>

#include "baton/client.pb.h"
#include "service/state/command.h"

namespace baton::server {

class OtherServers {
 public:
  virtual ~OtherServers() = default;

  // Adds the other servers' status, and calls back, now or later.
  virtual void complete_status(proto::Status status,
                               std::function<void(const proto::Status&)> done) = 0;
  // How far this server's copy of the journal may be behind.
  virtual service::Duration age() const { return {}; }
};

}  // namespace baton::server
