// Between a host and those with whom it shares its names, such as a group of peers.
//
// A host with a gate grants a lock or an election only when it was let in: its state is gated
// (service/state/state.h). It says what it wants here, and is answered by Host::open(). All calls
// are on the loop's thread, and may be answered before they return.
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
  // Somebody waits for the name: Host::open() when this server has it. Said once, until leave().
  virtual void want(service::Namespace space, const std::string& name) = 0;
  // The name is of no use here: to be given up if this server has it, or has asked for it. Said
  // after each open() that was used, or came too late, and when nobody waits any more; also after
  // a revoke(). So it may be said of a name that is not had any more.
  virtual void leave(service::Namespace space, const std::string& name) = 0;

  // This server ends: nothing will be granted here any more.
  virtual void close() = 0;

  // For so long from now on what is open here is nobody else's, and how long that can be at most.
  virtual service::Duration promised() const = 0;
  virtual service::Duration longest_promise() const = 0;

  // The others do not keep up: nothing more is read from clients for a while.
  virtual bool is_congested() const { return false; }
  // Nothing is to be done now: whether to look again at once, as one of them is about to speak.
  virtual bool stays_awake() { return false; }

  // Somebody here leads an election, has something new to say, or leads no more.
  virtual void led(const service::Change& change) = 0;

  // For people: why nothing is granted now; empty if it is.
  virtual std::string trouble() const { return {}; }

  // Calls back, now or later. What is held and waited for elsewhere, one entry for each name and
  // server; a leader that this server was told of by Host::elsewhere() may be left out.
  virtual void complete_locks(const proto::Read::Locks& asked,
                              std::function<void(OthersLocks)> done) = 0;
};

}  // namespace baton::server
