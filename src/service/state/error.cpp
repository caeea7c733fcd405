#include "baton/error.h"

namespace baton {

std::string_view message_of(Error error) {
  switch (error) {
    case Error::none:
      return "no error";
    case Error::busy:
      return "somebody else holds it";
    case Error::timed_out:
      return "the wait is over";
    case Error::would_deadlock:
      return "waiting for it could never end";
    case Error::not_held:
      return "it is not held by this owner of this session";
    case Error::cancelled:
      return "the wait was given up";
    case Error::conflict:
      return "the file has another version than was expected";
    case Error::not_found:
      return "there is no such thing";
    case Error::stale:
      return "the fencing token is out of date";
    case Error::session_lost:
      return "the session is over, and with it everything that it held";
    case Error::lock_lost:
      return "this hold is over: it was broken, or lasted longer than allowed";
    case Error::bad_request:
      return "the request makes no sense";
    case Error::slots_differ:
      return "the lock is in use with another number of slots";
    case Error::too_large:
      return "it is too large";
    case Error::too_many:
      return "there are too many";
    case Error::compacted:
      return "that revision is no longer kept: read anew, then watch";
    case Error::unsupported:
      return "this kind of service cannot do it";
    case Error::unavailable:
      return "the service cannot be reached, or may not serve now";
    case Error::not_leader:
      return "another server leads";
    case Error::shutting_down:
      return "the server is shutting down";
    case Error::version:
      return "client and server do not understand each other";
    case Error::internal:
      return "the server went wrong";
  }
  return "unknown error";
}

std::string_view name_of(Error error) {
  switch (error) {
    case Error::none:
      return "none";
    case Error::busy:
      return "busy";
    case Error::timed_out:
      return "timed_out";
    case Error::would_deadlock:
      return "would_deadlock";
    case Error::not_held:
      return "not_held";
    case Error::cancelled:
      return "cancelled";
    case Error::conflict:
      return "conflict";
    case Error::not_found:
      return "not_found";
    case Error::stale:
      return "stale";
    case Error::session_lost:
      return "session_lost";
    case Error::lock_lost:
      return "lock_lost";
    case Error::bad_request:
      return "bad_request";
    case Error::slots_differ:
      return "slots_differ";
    case Error::too_large:
      return "too_large";
    case Error::too_many:
      return "too_many";
    case Error::compacted:
      return "compacted";
    case Error::unsupported:
      return "unsupported";
    case Error::unavailable:
      return "unavailable";
    case Error::not_leader:
      return "not_leader";
    case Error::shutting_down:
      return "shutting_down";
    case Error::version:
      return "version";
    case Error::internal:
      return "internal";
  }
  return "unknown";
}

}  // namespace baton
