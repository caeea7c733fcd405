// The requests that a client has sent and that are not answered.
//
// Requests change something. Each has a number, and the client sends it again on every new
// connection until it is answered. The server knows the numbers that it has seen, and executes each
// request once; it keeps an answer until the client confirms it. A client confirms in order: each
// request says the number of the first that is unanswered. With 2, 3 and 4 sent and 3 answered,
// request 5 still confirms 2; when 2 is answered, request 6 confirms 4.
#pragma once

#include <map>
#include <vector>

#include "service/client/held_lock.h"
#include "service/client/outbox.h"

namespace baton::client {

class Holds;

// Gives up a wait; the request that waits is answered then.
proto::Request cancel_of(std::uint64_t waiting);

// By number, and so in the order in which it was asked.
template <class Entry>
class Unanswered {
 public:
  bool empty() const { return all_.empty(); }
  // When the first of them was asked; 0: there is none.
  Micros oldest() const { return all_.empty() ? 0 : all_.begin()->second.made; }
  void fail_all(const Failure& why, Outbox& out) {
    for (auto& [number, entry] : std::exchange(all_, {})) out.answer(entry.done, why);
  }
  // Fails the requests that were made at `made` or earlier.
  void fail_older(Micros made, const Failure& why, Outbox& out) {
    for (; !all_.empty() && oldest() <= made; all_.erase(all_.begin()))
      out.answer(all_.begin()->second.done, why);
  }

 protected:
  std::map<std::uint64_t, Entry> all_;
};

// --- Requests -----------------------------------------------------------------------------------

struct Pending {
  proto::ClientMessage message;
  Replied done;  // empty: nobody waits for the answer, or not any more
  std::shared_ptr<HeldLock> hold;
  Micros made = 0;
  std::uint64_t ticket = 0;  // its place in line, once told

  const proto::Request& asked() const { return message.request(); }
};

class Requests : public Unanswered<Pending> {
 public:
  explicit Requests(std::uint64_t first) : next_(first) {}

  std::uint64_t next() const { return next_; }
  // As many are unanswered as the server keeps answers for one session.
  bool is_full() const { return all_.size() >= 10'000; }
  bool contains(std::uint64_t id) const { return all_.contains(id); }
  // The message is to be sent if the server hears requests now.
  const proto::ClientMessage& add(proto::Request&& request, Replied&& done,
                                  std::shared_ptr<HeldLock>&& hold, Micros now);
  // The request is answered, and forgotten.
  Pending take(std::uint64_t id);
  void hear(const proto::Queued& queued);

  // On a new connection, to a server that has forgotten: what is held and waited for. A release, a
  // downgrade or an acknowledgement that is unanswered counts as carried out: the report answers
  // it. The report may undo an upgrade or a proclamation: those are asked for under a new number.
  void report(const Holds& holds, Micros now, Outbox& out);
  // After that, or if no report is wanted: all that is unanswered.
  void repeat(bool has_reported, Outbox& out);

  // The server keeps deadlines. If no server answers, this gives up the waits that are a second
  // overdue, and returns their numbers: each is to be cancelled, since it may be granted yet.
  std::vector<std::uint64_t> give_up_overdue(Micros now, Outbox& out);

 private:
  void confirm(proto::Request& request) const;

  std::uint64_t next_;
};

// --- Reads --------------------------------------------------------------------------------------

struct Reading {
  proto::ClientMessage message;
  proto::Answer so_far;
  Answered done;
  Micros made = 0;
};

class Reads : public Unanswered<Reading> {
 public:
  // The message is to be sent if the server hears it now.
  const proto::ClientMessage& add(proto::Read read, Answered done, Micros now);
  void hear(proto::Answer& answer, Outbox& out);
  // On a new connection: all that is unanswered, from its beginning.
  void repeat(Outbox& out);
  // Of the last answer that may be stale: what happened before so long ago was in it.
  Micros age() const { return age_; }

 private:
  std::uint64_t next_ = 1;
  Micros age_ = 0;
};

}  // namespace baton::client
