// The decisions of the parts of a client; their host (core.h) carries them out.
//
// A part (Session, Requests, Reads, Watches, Holds) has no thread, clock, lock or socket. It is
// told what happened, changes its own state, and leaves here what it decided. The host's duties:
// 1. send the frames, in order;
// 2. then hang up, if that was decided;
// 3. run the calls one after another, on the client's own thread and without the lock.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "baton/client.pb.h"
#include "baton/result.h"
#include "io/frames.h"

namespace baton::client {

// Since some moment, in microseconds.
using Micros = std::int64_t;

// The callback that waits for the answer to a request or to a read. Empty: none.
using Replied = std::function<void(Result<proto::Reply>)>;
using Answered = std::function<void(Result<proto::Answer>)>;

struct Outbox {
  std::string frames;
  std::optional<std::string> hang_up;  // why
  std::deque<std::function<void()>> calls;

  void send(const proto::ClientMessage& message) { io::append_frame(frames, message); }
  void call(auto function) { calls.emplace_back(std::move(function)); }
  // Calls `done`, if anybody waits, with a value or a Failure; and lets go of it.
  template <class T, class Told>
  void answer(std::function<void(Result<T>)>& done, Told&& told) {
    if (!done) return;
    calls.emplace_back([done = std::exchange(done, nullptr),
                        told = std::remove_cvref_t<Told>(std::forward<Told>(told))]() mutable {
      done(std::move(told));
    });
  }
};

// The error that a server's message names.
inline Error error_of(std::uint32_t number) {
  return number > 255 ? Error::internal : static_cast<Error>(number);
}

}  // namespace baton::client
