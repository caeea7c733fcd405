// A request that the HTTP server refuses before it asks the service, and the HTTP form of errors.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "baton/error.h"
#include "service/http/exchange.h"

namespace baton::http {

class Refused : public std::runtime_error {
 public:
  explicit Refused(const std::string& message, Error error = Error::bad_request,
                   unsigned status = 0)
      : std::runtime_error(message), error_(error), status_(status) {}

  Error error() const { return error_; }
  Response response() const;

 private:
  Error error_;
  unsigned status_;  // 0: the error's own
};

// The status code that stands for an error; docs/http.md has the table.
unsigned status_of(Error error);
// {"error":"busy","code":1,"message":"…"}
Response error_response(Error error, const std::string& message);

}  // namespace baton::http
