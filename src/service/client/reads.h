// What a client has asked to be told: reads, whose answers may come in parts.
#pragma once

#include <cstdint>

#include "service/client/outbox.h"

namespace baton::client {

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
