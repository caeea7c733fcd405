// How the library reaches behind its public objects.
#pragma once

#include <future>
#include <memory>
#include <utility>

#include "baton/client.h"
#include "service/client/core.h"

namespace baton {
inline namespace v1 {
namespace detail {

struct Access {
  static client::Core& core(const Client& client) {
    return *static_cast<client::Core*>(client.core_.get());
  }
  static client::Core& core(const Election& election) {
    return *static_cast<client::Core*>(election.core_.get());
  }
  static std::shared_ptr<client::Core> share(const std::shared_ptr<void>& core) {
    return std::static_pointer_cast<client::Core>(core);
  }
  static Client client(std::shared_ptr<client::Core> core) { return Client(std::move(core)); }
  static Lock lock(std::shared_ptr<HeldLock> hold) { return Lock(std::move(hold)); }
  static Leadership leadership(Lock lock) { return Leadership(std::move(lock)); }
  static Watch watch(std::shared_ptr<Watching> watching) { return Watch(std::move(watching)); }
  static const std::shared_ptr<HeldLock>& hold(const Lock& lock) { return lock.hold_; }
};

}  // namespace detail
}  // namespace v1
}  // namespace baton

namespace baton::client {

using detail::Access;

// Starts something that calls back, and waits until it does.
template <class T, class Start>
Result<T> wait_for(const Core& core, Start start) {
  if (core.is_own_thread())
    return Failure{Error::bad_request, "a blocking call within a callback would never end"};
  auto promise = std::make_shared<std::promise<Result<T>>>();
  auto future = promise->get_future();
  start([promise](Result<T> result) { promise->set_value(std::move(result)); });
  return future.get();
}

// A reply of which only the error matters.
inline Replied only_error(Callback<void> done) {
  return [done = std::move(done)](const Result<proto::Reply>& reply) {
    done(reply ? Result<void>() : Result<void>(reply.failure()));
  };
}

}  // namespace baton::client
