#include "service/http/refused.h"

#include <boost/json.hpp>

#include "io/json_text.h"
#include "service/http/info_json.h"

namespace baton::http {

unsigned status_of(Error error) {
  switch (error) {
    case Error::none:
      return 200;
    case Error::busy:
    case Error::timed_out:
    case Error::would_deadlock:
    case Error::not_held:
    case Error::cancelled:
    case Error::stale:
    case Error::slots_differ:
      return 409;
    case Error::conflict:
      return 412;
    case Error::not_found:
      return 404;
    case Error::session_lost:
    case Error::lock_lost:
    case Error::compacted:
      return 410;
    case Error::bad_request:
    case Error::version:
      return 400;
    case Error::too_large:
      return 413;
    case Error::too_many:
      return 429;
    case Error::unavailable:
    case Error::not_leader:
    case Error::shutting_down:
      return 503;
    case Error::unsupported:
      return 501;
    case Error::internal:
      return 500;
  }
  return 500;
}

Response error_response(Error error, const std::string& message) {
  return {.status = status_of(error),
          .body = io::json_text(json_of_error({error, message})) + "\n"};
}

Response Refused::response() const {
  Response response = error_response(error_, what());
  if (status_ != 0) response.status = status_;
  return response;
}

}  // namespace baton::http
