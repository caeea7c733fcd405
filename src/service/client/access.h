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

// The same with a function of the public class, of which `start` is the form that calls back.
template <class T, auto start, class Public, class... Args>
Result<T> wait_for(Public& object, Args... args) {
  return wait_for<T>(Access::core(object),
                     [&](auto done) { (object.*start)(std::move(args)..., std::move(done)); });
}

// Tells `done` what `get` makes of a reply or an answer, or why there is none.
template <class T, class Get>
auto told(Callback<T> done, Get get) {
  return [done = std::move(done), get = std::move(get)](const auto& result) {
    if (!result) return done(result.failure());
    done(get(*result));
  };
}
inline Replied only_error(Callback<void> done) {
  return told(std::move(done), [](const proto::Reply&) { return Result<void>(); });
}

}  // namespace baton::client
