// The holds of a client: granted, lost, wanted back by the server, and released.
//
// If the server ends a hold (an operator broke it, it lasted for too long), the hold is lost at
// once. The client knows that the work under it has stopped only when its Lock is released or
// destroyed. Until the client acknowledges that, nobody else gets the lock before the lease
// expires, and the server reminds the client after each reconnect.
#pragma once

#include <set>

#include "baton/client.h"
#include "service/client/held_lock.h"

namespace baton::client {

// The whole of what is held, let go of.
proto::Request release_of(const HeldLock& hold);
// Of several names that were granted together before their client could hear of it, some are lost
// (their fence is 0): nobody works on the others.
std::vector<proto::Request> release_of_rest(const proto::Acquire& asked,
                                            const proto::Reply::Granted& granted);

class Holds {
 public:
  // Of a session that was attached to: it may hold what this client does not know.
  explicit Holds(bool is_attached) : is_attached_(is_attached) {}

  bool empty() const { return held_.empty(); }
  // The server said yes to a request that concerns this hold.
  void answered(const std::shared_ptr<HeldLock>& hold, const proto::Request& request,
                const proto::Reply::Granted& granted);
  // The application has stopped working on the hold. Error::none: the client held it until now, and
  // must release it.
  Failure let_go(const std::shared_ptr<HeldLock>& hold, Outbox& out);
  // If let_go() returns an error: the requests that acknowledge all holds that the server wanted
  // back. If several names were acquired together, they also release the others.
  static std::vector<proto::Request> acknowledgements(HeldLock& hold);

  // Error::none: it is held.
  static Failure why_not_held(const HeldLock& hold);
  void tell_jeopardy(bool is_near, Outbox& out) const;
  void lose_all(const Failure& why, Outbox& out);

  // The server wants a name back. The request that is to be made at once, if there is one.
  std::optional<proto::Request> hear(const proto::HoldOver& over, Outbox& out);
  // So many will be said again of holds that ended earlier.
  void expect_reminders(std::uint32_t count) { reminders_left_ = count; }
  bool expects_reminders() const { return reminders_left_ > 0; }
  // Of which this client does not know who works on them.
  const std::vector<LostHold>& unknown() const { return unknown_; }

  // Adds all holds to the report for a server that has crashed.
  void describe(proto::Reclaim& reclaim) const;

 private:
  using Set = std::set<std::shared_ptr<HeldLock>>;

  bool is_attached_;
  Set held_;
  Set stopping_;  // the server wants them back, and work may go on
  std::uint32_t reminders_left_ = 0;
  std::vector<LostHold> unknown_;
};

}  // namespace baton::client
