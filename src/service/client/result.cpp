#include "baton/result.h"

namespace baton {
inline namespace v1 {

std::string to_string(const Failure& failure) {
  std::string text(message_of(failure.error));
  if (!failure.message.empty()) text += ": " + failure.message;
  return text;
}

Failed::Failed(Failure failure)
    : std::runtime_error(to_string(failure)), failure_(std::move(failure)) {}

}  // namespace v1
}  // namespace baton
