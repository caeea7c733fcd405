// Bully with a timeout that is too short.
//
// An answer may take the time of two messages, there and back. A process that waits for one only
// takes a slow process for a crashed one and announces itself, and so does the slow one: two lead.
// If the higher one's announcement is the first of the two to arrive at a process, that process
// stays with the lower one for good.
#pragma once

#include "algorithms/election/bully.h"

namespace baton {

class WrongBullyImpatient : public Bully {
 public:
  WrongBullyImpatient(NodeId self, const Setup& setup);
  static const Info& info();
};

}  // namespace baton
