// A session, or a hold of it: held until it is released or lost. Knows who is told when a loss is
// near and when it has happened. The core's mutex guards it.
#pragma once

#include <atomic>
#include <memory>
#include <stop_token>
#include <vector>

#include "service/client/outbox.h"

namespace baton::client {

struct Claim {
  enum class State : std::uint8_t { asked, held, lost, released };

  std::atomic<State> state{State::asked};
  Failure why{Error::none, {}};  // once it is lost
  std::stop_source lost;
  std::vector<std::function<void(const Failure&)>> on_lost;
  std::vector<std::function<void(bool)>> on_jeopardy;

  bool is(State now) const { return state == now; }
  void lose(Failure because) {
    why = std::move(because);
    state = State::lost;
  }
  void add_on_lost(std::function<void(const Failure&)> callback, Outbox& out) {
    if (is(State::held))
      on_lost.push_back(std::move(callback));
    else if (is(State::lost))
      out.call([callback = std::move(callback), why = why] { callback(why); });
  }
  void add_on_jeopardy(std::function<void(bool)> callback) {
    if (is(State::held)) on_jeopardy.push_back(std::move(callback));
  }
};

// Those who are told of a loss; but nobody if the claim is released before they are called.
inline void tell_lost(const std::shared_ptr<Claim>& claim, Outbox& out) {
  out.call([claim] { claim->lost.request_stop(); });
  for (auto& callback : std::exchange(claim->on_lost, {}))
    out.call([claim, callback = std::move(callback)] {
      if (claim->is(Claim::State::lost)) callback(claim->why);
    });
}

inline void tell_jeopardy(const std::shared_ptr<Claim>& claim, bool is_near, Outbox& out) {
  for (const auto& callback : claim->on_jeopardy)
    out.call([claim, callback, is_near] {
      if (claim->is(Claim::State::held)) callback(is_near);
    });
}

}  // namespace baton::client
