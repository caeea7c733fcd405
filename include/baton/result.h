// The result of a call of the client library: a value, or an Error with a message.
//
//   auto lock = client.lock("nightly-backup");
//   if (!lock) complain(lock.error(), lock.message());
//
// Nothing in the library throws for errors that can happen in normal operation. If you prefer
// exceptions, call value(): it throws Failed instead of returning an error.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "baton/error.h"
#include "baton/export.h"

namespace baton {
inline namespace v1 {

struct Failure {
  Error error = Error::internal;
  std::string message{};  // details beyond the error itself; may be empty
};

// "somebody else holds it: nightly-backup".
BATON_EXPORT std::string to_string(const Failure& failure);

class BATON_EXPORT Failed : public std::runtime_error {
 public:
  explicit Failed(Failure failure);
  Error error() const { return failure_.error; }
  const Failure& failure() const { return failure_; }

 private:
  Failure failure_;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Failure failure) : failure_(std::move(failure)) {}

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }

  // Error::none if there is a value.
  Error error() const { return ok() ? Error::none : failure_.error; }
  // A message for people; empty if there is a value.
  std::string message() const { return ok() ? std::string() : to_string(failure_); }
  const Failure& failure() const { return failure_; }

  T& value() & { return check(), *value_; }
  const T& value() const& { return check(), *value_; }
  T&& value() && { return check(), std::move(*value_); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  void check() const {
    if (!ok()) throw Failed(failure_);
  }

  std::optional<T> value_;
  Failure failure_{Error::none, {}};
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Failure failure) : failure_(std::move(failure)) {}

  bool ok() const { return failure_.error == Error::none; }
  explicit operator bool() const { return ok(); }
  Error error() const { return failure_.error; }
  std::string message() const { return ok() ? std::string() : to_string(failure_); }
  const Failure& failure() const { return failure_; }
  void value() const {
    if (!ok()) throw Failed(failure_);
  }

 private:
  Failure failure_{Error::none, {}};
};

}  // namespace v1
}  // namespace baton
