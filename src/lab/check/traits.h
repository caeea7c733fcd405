// The checker's facts about a protocol's class besides its handlers: its optional clauses, and its
// declarations.
#pragma once

#include <concepts>
#include <utility>

#include "algorithms/observe/protocol.h"
#include "core/info.h"
#include "core/protocol.h"

namespace baton::check {

struct Traits {
  Kind kind{};
  bool fenced = false;  // a lock that survives crashes

  // Clauses (core/protocol.h).
  bool starts = false;
  bool has_timers = false;
  bool heeds_suspicion = false;
  bool heeds_returns = false;
  bool leaves = false;

  // Canonical forms.
  bool rewritable = false;          // its numbers have one, so any number of requests is finite
  bool simplifies = false;          // drops from messages what makes no difference to the receiver
  bool numbers_by_process = false;  // sequence numbers of different processes are not compared
  unsigned gap = 2;                 // differences of numbers up to this matter

  bool piles_up = false;  // any number of messages may wait for a slow process

  // Observers.
  bool begins_when_told = false;
  bool detects_termination = false;
};

namespace detail {

template <class P>
concept Resumable = requires(P protocol, typename P::State state) {
  protocol.assume(std::move(state));
};

template <class P>
concept Simplifies = Resumable<P> &&
    requires(const P& protocol, NodeId from, typename P::Message& message) {
  protocol.simplify(from, message);
};

template <class P>
constexpr bool numbers_by_process() {
  if constexpr (requires { P::numbers_by_process; }) {
    return P::numbers_by_process;
  } else {
    return false;
  }
}

}  // namespace detail

template <class P>
constexpr Traits traits_of() {
  Traits traits;
  traits.kind = ElectionProtocol<P>      ? Kind::election
                : ObservationProtocol<P> ? Kind::observation
                                         : Kind::mutual_exclusion;
  traits.fenced = FencedMutexProtocol<P>;
  traits.starts = Starts<P>;
  traits.has_timers = HasTimers<P>;
  traits.heeds_suspicion = HeedsSuspicion<P>;
  traits.heeds_returns = HeedsReturns<P>;
  traits.leaves = Leaves<P>;
  traits.rewritable = detail::Resumable<P>;
  traits.simplifies = detail::Simplifies<P>;
  traits.numbers_by_process = detail::numbers_by_process<P>();
  if constexpr (requires { P::number_gap; }) traits.gap = P::number_gap;
  if constexpr (requires { P::piles_up; }) traits.piles_up = P::piles_up;
  traits.begins_when_told = BeginsWhenTold<P>;
  if constexpr (ObservationProtocol<P>) {
    traits.detects_termination = Computation<typename P::Observed>;
  }
  return traits;
}

}  // namespace baton::check
