// A layer's handling of the outbox of the protocol inside it: it passes everything on to its own
// outbox.
#pragma once

#include <variant>

#include "core/outbox.h"

namespace baton {

template <class M, class E, class Out>
void pass_on_timers(const Outbox<M, E>& inner, Out& out) {
  for (const auto& timer : inner.timers()) out.arm(timer.id, timer.after);
}

// The same alternative in a variant that has more of them.
template <class Wider, class Narrow>
Wider widened(const Narrow& message) {
  return std::visit([](const auto& alternative) { return Wider(alternative); }, message);
}

}  // namespace baton
