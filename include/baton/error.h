// What can go wrong with a request to the lock service. The numbers are part of the client protocol
// and never change; docs/errors.md says what to do about each.
#pragma once

#include <cstdint>
#include <string_view>

#include "baton/export.h"

namespace baton {

enum class Error : std::uint8_t {
  none = 0,
  // The answer is no.
  busy = 1,            // try: somebody else holds it
  timed_out = 2,       // the wait is over
  would_deadlock = 3,  // waiting for it could never end; the message names the cycle
  not_held = 4,        // by this owner of this session
  cancelled = 5,       // the wait was given up
  conflict = 6,        // a file has another version than was expected
  not_found = 7,
  stale = 8,  // a fencing token: a newer one has been seen
  // The session or the hold is gone.
  session_lost = 10,  // expired, broken or closed: everything that it held is lost
  lock_lost = 11,     // this hold is over: broken by an operator, or held longer than allowed
  // The request makes no sense.
  bad_request = 20,   // the message says why
  slots_differ = 21,  // the lock is in use with another number of slots
  too_large = 22,
  too_many = 23,     // of something that is bounded
  compacted = 24,    // a watch from a revision that is no longer kept: read anew, then watch
  unsupported = 25,  // not by this kind of service: a group of peers has only some of it
  // The service cannot be had now.
  unavailable = 30,  // no server answers, or none may serve
  not_leader = 31,   // another server leads
  shutting_down = 32,
  version = 33,  // client and server do not understand each other
  internal = 40
};

// A sentence, without the full stop.
BATON_EXPORT std::string_view message_of(Error error);
// The enumerator's own name: "would_deadlock".
BATON_EXPORT std::string_view name_of(Error error);

}  // namespace baton
