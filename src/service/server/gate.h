// The gate stands between a host and the servers that share its names, such as a group of peers.
//
// A host with a gate grants a lock or an election only after the gate has opened the name: its
// state is gated (service/state/state.h). The host asks with want(), and the gate answers with
// Host::open(). All calls are on the loop's thread; the gate may answer before want() returns.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "baton/client.pb.h"
#include "service/server/answers.h"
#include "service/server/other_servers.h"
#include "service/state/command.h"

namespace baton::server {

class Gate : public OtherServers {
 public:
  // A client here waits for the name. The gate calls Host::open() when this server has the name.
  // The host calls want() once, until leave().
  virtual void want(service::Namespace space, const std::string& name) = 0;
  // This server does not need the name any more: the gate gives it up if this server has it, or has
  // asked for it. The host calls leave() after each open(), used or too late; when nobody waits any
  // more; and after a revoke(). So the gate may not have the name any more.
  virtual void leave(service::Namespace space, const std::string& name) = 0;

  // This server ends, and grants nothing any more.
  virtual void close() = 0;

  // For how long from now on no other server can have the names that are open here; and how long
  // that can be at most.
  virtual service::Duration promised() const = 0;
  virtual service::Duration longest_promise() const = 0;

  // The other servers do not keep up: this server stops reading from clients for a while.
  virtual bool is_congested() const { return false; }
  // The loop has nothing to do. True if it should look again at once instead of sleeping, because
  // another server will probably send a message.
  virtual bool stays_awake() { return false; }

  // A client here began to lead an election, changed its value, or stopped leading.
  virtual void led(const service::Change& change) = 0;

  // For people: why this server grants nothing now; empty if it grants.
  virtual std::string trouble() const { return {}; }

  // Calls back, now or later, with the holders and waiters at other servers: one entry for each
  // name and server. The gate may leave out a leader that it has reported by Host::elsewhere().
  virtual void complete_locks(const proto::Read::Locks& asked,
                              std::function<void(OthersLocks)> done) = 0;
};

}  // namespace baton::server
