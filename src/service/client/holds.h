// The holds of a client: granted, lost, wanted back by the server, and released.
//
// A hold that the server ends (an operator broke it, or it lasted for too long) is lost at once.
// The work on it has stopped when its Lock is released or gone. Only then the client acknowledges
// the end; until then the server reminds it after each reconnect, and gives the lock to nobody else
// before the lease is over.
#pragma once

#include <set>

#include "baton/client.h"
#include "service/client/held_lock.h"

namespace baton::client {

// The whole of what is held, let go of.
proto::Request release_of(const HeldLock& hold);
// Several names were granted together, and some of them are lost (their fence is 0) before the
// client has heard of any. Nobody works on the others: one release for each.
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
  // Nobody works on it any more. Error::none: it was held until now, and the caller releases it.
  Failure let_go(const std::shared_ptr<HeldLock>& hold, Outbox& out);
  // If it was not held: what tells the server that nobody works any more on the names that it
  // wanted back. The other names that were taken together with them are released.
  static std::vector<proto::Request> acknowledgements(HeldLock& hold);

  // Error::none: it is held.
  static Failure why_not_held(const HeldLock& hold);
  void tell_jeopardy(bool is_near, Outbox& out) const;
  void lose_all(const Failure& why, Outbox& out);

  // The server wants a name back. Returns the request to be made at once, if there is one.
  std::optional<proto::Request> hear(const proto::HoldOver& over, Outbox& out);
  // The server will say again of so many holds that they are over.
  void expect_reminders(std::uint32_t count) { reminders_left_ = count; }
  bool expects_reminders() const { return reminders_left_ > 0; }
  // Ended holds of the session that another process took, and may still work on.
  const std::vector<LostHold>& unknown() const { return unknown_; }

  // Adds what is held to a report.
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
