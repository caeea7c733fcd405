#include "algorithms/shared/semaphore.h"

namespace baton {

void CountingSemaphore::wait() {
  std::unique_lock guard(mutex_);
  positive_.wait(guard, [this] { return value_ > 0; });
  --value_;
}

bool CountingSemaphore::try_wait() {
  const std::scoped_lock guard(mutex_);
  if (value_ == 0) return false;
  --value_;
  return true;
}

void CountingSemaphore::signal() {
  // Notifies under the mutex: a waiter that gets through may destroy the semaphore as soon as it
  // holds the mutex, and must not do so before the notification is over.
  const std::scoped_lock guard(mutex_);
  ++value_;
  positive_.notify_one();
}

std::uint32_t CountingSemaphore::value() const {
  const std::scoped_lock guard(mutex_);
  return value_;
}

}  // namespace baton
