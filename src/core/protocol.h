// The contract between protocols and hosts.
//
// A protocol is a value: a class whose methods are the "upon" clauses of its paper. It has no
// thread, socket, clock, randomness, logging or global. A handler changes the state and puts its
// decisions into an outbox, which the host carries out. The protocol keeps everything that it
// remembers in one plain aggregate, `State`, which generic code can compare, hash, print and encode
// (core/reflect.h). The shared `Setup` holds what never changes (the group, a ring, a tree, voting
// sets); it is no part of the state.
//
// Each kind of protocol has its own commands and events. A host relies on these concepts and on
// nothing else; a protocol knows no host.
#pragma once

#include <concepts>
#include <variant>

#include "core/fence.h"
#include "core/ids.h"
#include "core/info.h"
#include "core/outbox.h"
#include "core/setup.h"

namespace baton {

template <class P>
using OutboxOf = Outbox<typename P::Message, typename P::Event>;

// The protocol's description of itself. An AnyLock, or a layer around one, reads it from the setup.
template <class P>
const Info& info_of(const Setup& setup) {
  if constexpr (requires { P::info(setup); }) {
    return P::info(setup);
  } else {
    return P::info();
  }
}

template <class P>
concept Protocol = std::copyable<P> && std::constructible_from<P, NodeId, const Setup&> &&
    requires(P protocol, const P& constant, NodeId from, const typename P::Message& message,
             OutboxOf<P>& out) {
  typename P::State;
  // A layer puts its state together from that of the protocol inside it, and returns it by value.
  { constant.state() } -> std::convertible_to<typename P::State>;
  protocol.receive(from, message, out);
} &&(
    requires {
      { P::info() } -> std::same_as<const Info&>;
    } ||
    requires(const Setup& setup) {
      { P::info(setup) } -> std::same_as<const Info&>;
    });

// Optional clauses. A host uses those that the class has.
template <class P>
concept Starts = requires(P protocol, OutboxOf<P>& out) {
  protocol.start(out);
};
template <class P>
concept HasTimers = requires(P protocol, TimerId timer, OutboxOf<P>& out) {
  protocol.expire(timer, out);
};
template <class P>
concept HeedsSuspicion = requires(P protocol, NodeId node, OutboxOf<P>& out) {
  protocol.suspect(node, out);
};
// The opposite: a process that was suspected is alive after all, or again.
template <class P>
concept HeedsTrust = requires(P protocol, NodeId node, OutboxOf<P>& out) {
  protocol.trust(node, out);
};
// A message could not be handed over because its receiver is down: the sender's own host noticed,
// as TCP does when a connection is refused.
template <class P>
concept HeedsReturns = requires(P protocol, NodeId to, const typename P::Message& message,
                                OutboxOf<P>& out) {
  protocol.returned(to, message, out);
};
// Called instead of start() at a process that comes back after a crash.
template <class P>
concept Recovers = requires(P protocol, OutboxOf<P>& out) {
  protocol.recover(out);
};
// Called last, before a process ends of its own accord.
template <class P>
concept Leaves = requires(P protocol, OutboxOf<P>& out) {
  protocol.leave(out);
};
// Declares the part of the state that survives a crash. After each step the host writes durable()
// to disk before it carries out anything else of that step. After a restart the host constructs the
// process from it.
template <class P>
concept HasDurable = requires(const P& protocol, NodeId self, const Setup& setup,
                              const typename P::Durable& durable) {
  { protocol.durable() } -> std::same_as<const typename P::Durable&>;
  P(self, setup, durable);
};

namespace detail {
struct NothingDurable {};
template <class P>
struct Durable {
  using type = NothingDurable;
};
template <HasDurable P>
struct Durable<P> {
  using type = typename P::Durable;
};
}  // namespace detail

// The type of a protocol's durable state; an empty struct for most protocols.
template <class P>
using DurableOf = typename detail::Durable<P>::type;

// The one event of a mutual-exclusion protocol: its process is now inside the critical section.
struct Entered {};

// The events of a mutual-exclusion protocol that survives crashes. Granted: the process is inside,
// with a fence to show to the resource. Lost: it is no longer inside, although it did not release.
struct Granted {
  FencingToken fence;
};
struct Lost {};
using FencedEvent = std::variant<Granted, Lost>;

// A mutual-exclusion protocol. The application calls request() when it is outside and not
// waiting, and release() when it is inside. The constructor's last argument is a process that is
// inside the critical section from the beginning, or nobody: a group that is rebuilt after a
// failure starts with its lock held.
template <class P>
concept MutexProtocol = Protocol<P> && std::same_as<typename P::Event, Entered> &&
    std::constructible_from<P, NodeId, const Setup&, NodeId> &&
    requires(P protocol, OutboxOf<P>& out) {
  protocol.request(out);
  protocol.release(out);
};

// A mutual-exclusion protocol that survives crashes. After Lost its process is outside and must not
// call release().
template <class P>
concept FencedMutexProtocol = Protocol<P> && std::same_as<typename P::Event, FencedEvent> &&
    requires(P protocol, OutboxOf<P>& out) {
  protocol.request(out);
  protocol.release(out);
};

// The one event of an election: its process now takes `leader` for the leader. The epoch stays
// zero in algorithms that have none.
struct Elected {
  NodeId leader;
  Epoch epoch{};
};

// An election protocol. The application calls elect() to hold an election: at the beginning, or
// because it suspects that the leader has failed.
template <class P>
concept ElectionProtocol = Protocol<P> && std::same_as<typename P::Event, Elected> &&
    requires(P protocol, OutboxOf<P>& out) {
  protocol.elect(out);
};

// Under which heading hosts count a message. `enter`: it serves to enter the critical section.
// `exit`: leaving caused it, and nobody was waiting for it as a reply; its struct says so with
// `static constexpr Phase phase = Phase::exit;`. `upkeep`: a layer sends it on its own account,
// such as a heartbeat or an acknowledgement; it belongs to no entry.
enum class Phase : unsigned char { enter, exit, upkeep };

template <class M>
constexpr Phase phase_of() {
  if constexpr (requires { requires std::same_as<decltype(M::phase), const Phase>; }) {
    return M::phase;
  } else {
    return Phase::enter;
  }
}

}  // namespace baton
