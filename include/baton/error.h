// The errors of requests to the lock service. The numbers are part of the client protocol and never
// change; docs/errors.md says what to do about each.
#pragma once

#include <cstdint>
#include <string_view>

#include "baton/export.h"

namespace baton {

enum class Error : std::uint8_t {
  none = 0,
  // The answer is no.
  busy = 1,       // try: somebody else holds it
  timed_out = 2,  // the wait lasted as long as the caller allowed
  // The wait would close a cycle of waiting processes; the message names the cycle.
  would_deadlock = 3,
  not_held = 4,   // this owner of this session does not hold it
  cancelled = 5,  // the caller gave up the wait
  conflict = 6,   // the file has another version than the caller expected
  not_found = 7,
  stale = 8,  // the resource has seen a newer fencing token
  // The session or the hold is gone.
  session_lost = 10,  // expired, broken or closed: everything that it held is lost
  lock_lost = 11,     // this hold has ended: an operator broke it, or it lasted longer than allowed
  // The request makes no sense.
  bad_request = 20,   // the message says why
  slots_differ = 21,  // others use the lock with another number of slots
  too_large = 22,
  too_many = 23,     // a limit is reached
  compacted = 24,    // the server no longer keeps this revision: list anew, then watch
  unsupported = 25,  // this kind of service does not offer it: a group of peers offers only a part
  // The service cannot be had now.
  unavailable = 30,  // no server answers, or no server may serve
  not_leader = 31,   // another server leads
  shutting_down = 32,
  version = 33,  // client and server have no common protocol version
  internal = 40
};

// A sentence, without the full stop.
BATON_EXPORT std::string_view message_of(Error error);
// The enumerator's own name: "would_deadlock".
BATON_EXPORT std::string_view name_of(Error error);

}  // namespace baton
