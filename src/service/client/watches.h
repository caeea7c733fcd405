// The watches of a client: it is told of each change of a file or election once and in order,
// across reconnects.
#pragma once

#include <map>

#include "service/client/outbox.h"

namespace baton::client {

// Of a file prefix or of an election.
struct WatchRequest {
  proto::Namespace space = proto::LOCK;
  std::string prefix;
  std::uint64_t after = 0;  // the revision up to which all has been told
  std::function<void(const proto::Change&)> changed;
  std::function<void(const Failure&)> ended;
};

class Watches {
 public:
  // The message is to be sent if the server hears it now.
  proto::ClientMessage add(WatchRequest request);
  // None: it has ended.
  std::optional<WatchRequest> remove(std::uint64_t number);
  void hear(const proto::Changes& changes, Outbox& out);
  // On a new connection: each from where it was.
  void repeat(Outbox& out) const;
  void fail_all(const Failure& why, Outbox& out);

 private:
  std::uint64_t next_ = 1;
  std::map<std::uint64_t, WatchRequest> all_;
};

}  // namespace baton::client
