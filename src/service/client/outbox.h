// What the parts of a client decide, for their host (core.h) to carry out.
//
// A part (Session, Requests, Reads, Watches, Holds) knows no thread, clock, lock or socket. It is
// told what happened, changes its own state, and leaves what it decided here. The host's duties:
// 1. send the frames, in order;
// 2. then hang up, if that was decided;
// 3. run the calls one after another, on the client's own thread and without the lock.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "baton/client.pb.h"
#include "baton/result.h"

namespace baton::client {

// Since some moment, in microseconds.
using Micros = std::int64_t;

// Whoever waits for the answer to a request or to a read. Empty: nobody does.
using Replied = std::function<void(Result<proto::Reply>)>;
using Answered = std::function<void(Result<proto::Answer>)>;

struct Outbox {
  std::string frames;
  std::optional<std::string> hang_up;  // why
  std::deque<std::function<void()>> calls;

  void send(const proto::ClientMessage& message);
  void call(std::function<void()> function) { calls.push_back(std::move(function)); }
  // The last that `done` is needed for.
  template <class T>
  void answer(std::function<void(Result<T>)>& done, std::type_identity_t<Result<T>> result) {
    if (!done) return;
    call([done = std::exchange(done, nullptr), result = std::move(result)]() mutable {
      done(std::move(result));
    });
  }
};

// What was asked and is not answered, by number, and so in the order in which it was asked. An
// Entry has at least a `done` and the time at which it was `made`.
template <class Entry>
class Unanswered {
 public:
  bool empty() const { return all_.empty(); }
  // When the first of them was asked; 0: there is none.
  Micros oldest() const { return all_.empty() ? 0 : all_.begin()->second.made; }
  void fail_all(const Failure& why, Outbox& out) {
    for (auto& [number, entry] : std::exchange(all_, {})) out.answer(entry.done, why);
  }
  // Those that have waited for so long.
  void fail_older(Micros made, const Failure& why, Outbox& out) {
    for (; !all_.empty() && oldest() <= made; all_.erase(all_.begin()))
      out.answer(all_.begin()->second.done, why);
  }

 protected:
  std::map<std::uint64_t, Entry> all_;
};

// What a server says went wrong.
inline Error error_of(std::uint32_t number) {
  return number > 255 ? Error::internal : static_cast<Error>(number);
}

}  // namespace baton::client
