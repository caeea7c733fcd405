// The client's calls as coroutines of Boost.Asio. The only header of the client library that
// includes Boost (1.81, which must be the one that the library was built with).
//
//   awaitable<void> work(baton::Client& client) {
//     auto lock = co_await baton::co_lock(client, "nightly-backup");
//     if (!lock) co_return;
//     ...
//     co_await baton::co_release(*lock);
//   }
//
// A coroutine resumes on its own executor. If you spawn it on executor_of(client), it runs on the
// client's own thread: each call then saves two thread switches, but the coroutine must not block
// that thread. Each acquisition uses a new owner unless you pass one, because coroutines share
// threads. When Asio cancels a coroutine that waits for a lock, the client withdraws the request
// and the call returns Error::cancelled.
// gcc 12 miscompiles braced lists inside co_await: it destroys them twice, or does not compile
// them. Build options and lists of names in a separate statement before the co_await.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "baton/client.h"
#include "baton/export.h"

namespace baton {
inline namespace v1 {

// The executor of the client's own thread.
BATON_EXPORT boost::asio::any_io_executor executor_of(Client& client);

namespace detail {

// Two sources can end a wait: the coroutine's cancellation, and the stop token that the caller
// passed.
struct GiveUp {
  explicit GiveUp(const std::stop_token& callers) {
    if (callers.stop_possible())
      also.emplace(callers, std::function<void()>([this] { source.request_stop(); }));
  }

  std::stop_source source;
  std::optional<std::stop_callback<std::function<void()>>> also;
};

// Calls `start` with a callback and waits until `start` calls it back. If the coroutine is
// cancelled and the operation can be withdrawn, co_wait withdraws it.
template <class T, class Start>
boost::asio::awaitable<Result<T>> co_wait(Start start, std::shared_ptr<GiveUp> give_up = {}) {
  namespace asio = boost::asio;
  auto initiate = [](auto handler, Start begin, std::shared_ptr<GiveUp> giving_up) {
    auto executor = asio::get_associated_executor(handler);
    auto slot = asio::get_associated_cancellation_slot(handler);
    if (giving_up && slot.is_connected())
      slot.assign([giving_up](asio::cancellation_type) { giving_up->source.request_stop(); });
    auto kept = std::make_shared<decltype(handler)>(std::move(handler));
    auto work = asio::make_work_guard(executor);
    begin([kept, work, executor](Result<T> result) mutable {
      asio::dispatch(executor, [kept, result = std::move(result)]() mutable {
        auto last = std::move(*kept);
        std::move(last)(std::move(result));
      });
    });
  };
  co_return co_await asio::async_initiate<const asio::use_awaitable_t<>&, void(Result<T>)>(
      std::move(initiate), asio::use_awaitable, std::move(start), give_up);
}

}  // namespace detail

inline boost::asio::awaitable<Result<Lock>> co_lock(Client& client, Names names,
                                                    LockOptions options) {
  auto give_up = std::make_shared<detail::GiveUp>(options.give_up);
  options.give_up = give_up->source.get_token();
  return detail::co_wait<Lock>(
      [&client, names = std::move(names), options = std::move(options)](auto done) mutable {
        client.async_lock(std::move(names), std::move(options), std::move(done));
      },
      std::move(give_up));
}
inline boost::asio::awaitable<Result<Lock>> co_lock(Client& client, Names names) {
  return co_lock(client, std::move(names), LockOptions());
}

inline boost::asio::awaitable<Result<Lock>> co_try_lock(Client& client, Names names,
                                                        LockOptions options) {
  options.wait = std::chrono::microseconds(0);
  return co_lock(client, std::move(names), std::move(options));
}
inline boost::asio::awaitable<Result<Lock>> co_try_lock(Client& client, Names names) {
  return co_try_lock(client, std::move(names), LockOptions());
}

inline boost::asio::awaitable<Result<void>> co_release(Lock& lock) {
  return detail::co_wait<void>([&lock](auto done) { lock.async_release(std::move(done)); });
}

inline boost::asio::awaitable<Result<void>> co_downgrade(Lock& lock) {
  return detail::co_wait<void>([&lock](auto done) { lock.async_downgrade(std::move(done)); });
}

inline boost::asio::awaitable<Result<void>> co_upgrade(
    Lock& lock, std::optional<std::chrono::microseconds> wait = {}, bool despite_deadlock = false) {
  return detail::co_wait<void>([&lock, wait, despite_deadlock](auto done) {
    lock.async_upgrade(wait, despite_deadlock, std::move(done));
  });
}

inline boost::asio::awaitable<Result<Leadership>> co_campaign(Election& election, std::string value,
                                                              CampaignOptions options) {
  auto give_up = std::make_shared<detail::GiveUp>(options.give_up);
  options.give_up = give_up->source.get_token();
  return detail::co_wait<Leadership>(
      [&election, value = std::move(value), options = std::move(options)](auto done) mutable {
        election.async_campaign(std::move(value), std::move(options), std::move(done));
      },
      std::move(give_up));
}
inline boost::asio::awaitable<Result<Leadership>> co_campaign(Election& election,
                                                              std::string value) {
  return co_campaign(election, std::move(value), CampaignOptions());
}

inline boost::asio::awaitable<Result<void>> co_proclaim(Leadership& leadership, std::string value) {
  return detail::co_wait<void>([&leadership, value = std::move(value)](auto done) mutable {
    leadership.async_proclaim(std::move(value), std::move(done));
  });
}

inline boost::asio::awaitable<Result<void>> co_resign(Leadership& leadership) {
  return detail::co_wait<void>(
      [&leadership](auto done) { leadership.async_resign(std::move(done)); });
}

inline boost::asio::awaitable<Result<std::optional<Leader>>> co_leader(Election& election) {
  return detail::co_wait<std::optional<Leader>>(
      [&election](auto done) { election.async_leader(std::move(done)); });
}

inline boost::asio::awaitable<Result<Stored>> co_put(Client& client, std::string key,
                                                     std::string value, PutOptions options) {
  return detail::co_wait<Stored>(
      [&client, key = std::move(key), value = std::move(value), options](auto done) mutable {
        client.async_put(std::move(key), std::move(value), options, std::move(done));
      });
}

inline boost::asio::awaitable<Result<Stored>> co_put(Client& client, std::string key,
                                                     std::string value) {
  return co_put(client, std::move(key), std::move(value), PutOptions());
}

inline boost::asio::awaitable<Result<File>> co_get(Client& client, std::string key) {
  return detail::co_wait<File>([&client, key = std::move(key)](auto done) mutable {
    client.async_get(std::move(key), std::move(done));
  });
}

inline boost::asio::awaitable<Result<FileList>> co_list(Client& client, std::string prefix,
                                                        bool keys_only = false) {
  return detail::co_wait<FileList>(
      [&client, prefix = std::move(prefix), keys_only](auto done) mutable {
        client.async_list(std::move(prefix), keys_only, std::move(done));
      });
}

inline boost::asio::awaitable<Result<void>> co_remove(Client& client, std::string key,
                                                      std::optional<std::uint64_t> version = {}) {
  return detail::co_wait<void>([&client, key = std::move(key), version](auto done) mutable {
    client.async_remove(std::move(key), version, std::move(done));
  });
}

}  // namespace v1
}  // namespace baton
