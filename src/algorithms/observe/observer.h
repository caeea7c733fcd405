// The common part of observers: the protocol inside, whose steps they pass on.
#pragma once

#include <cstdint>
#include <limits>
#include <variant>

#include "algorithms/layer/pass_on.h"
#include "algorithms/observe/protocol.h"

namespace baton {

namespace detail {
// The messages of the protocol inside, unchanged, after the observer's own.
template <class Inner, class... Own>
struct MessagesBeside;
template <class... Inner, class... Own>
struct MessagesBeside<std::variant<Inner...>, Own...> {
  using type = std::variant<Own..., Inner...>;
};
}  // namespace detail

// `Own` are the observer's own messages, `Tells` its events.
template <Protocol P, class Tells, class... Own>
class Observer {
 public:
  using Observed = P;
  using Message = typename detail::MessagesBeside<typename P::Message, Own...>::type;
  using Event = Tells;
  using Out = Outbox<Message, Event>;
  static constexpr std::size_t own_messages = sizeof...(Own);

  Observer(NodeId self, const Setup& setup) : self_(self), setup_(&setup), observed_(self, setup) {}

  // Runs a handler of the protocol inside, or a command of its application.
  template <class Handler>
  void let_observed(Out& out, Handler handler) {
    OutboxOf<P> box(out.chooser());
    handler(observed_, box);
    out.pass_on_messages(box, [](const typename P::Message& m) { return widened<Message>(m); });
    pass_on_timers(box, out);
    if constexpr (requires(const typename P::Event& event) { out.emit(event); }) {
      for (const auto& event : box.events()) out.emit(event);
    }
  }

  const P& observed() const { return observed_; }

 protected:
  // A timer for the observer itself; the protocol inside counts its own from 0.
  static constexpr TimerId own_timer{std::numeric_limits<std::uint32_t>::max()};

  NodeId self_;
  const Setup* setup_;
  P observed_;
};

}  // namespace baton
