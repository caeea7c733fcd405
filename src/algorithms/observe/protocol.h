// The contract of layers that observe. They run a protocol inside them, add messages of their own
// to its messages, and find out about the whole group what no process sees by itself.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <string>
#include <vector>

#include "core/protocol.h"

namespace baton {

// The event of protocols that tell their application nothing.
struct NoEvent {};

// Names a snapshot by its initiator and its number there, since several may be under way.
struct SnapshotId {
  NodeId initiator;
  SequenceNumber number;

  friend constexpr auto operator<=>(const SnapshotId&, const SnapshotId&) = default;

  std::string text() const {
    return std::to_string(initiator.value) + '.' + std::to_string(number.value);
  }
};

// A message that was under way when the state of the group was recorded.
template <class M>
struct Carried {
  NodeId from;
  NodeId to;
  M message;
};

// The events of observers. A process has recorded its own state for a snapshot.
struct Recorded {
  SnapshotId snapshot;
};
// A snapshot is complete at its initiator: a state in which the whole group may have been.
template <class P>
struct GlobalState {
  SnapshotId snapshot;
  std::vector<typename P::State> states;               // of each process
  std::vector<Carried<typename P::Message>> channels;  // the messages under way
};
// The computation has terminated: all processes are passive, and no message is under way.
struct Announced {};

// `Observed` is the protocol inside. The observer's own message types are the first
// `own_messages` alternatives of its messages; the others are those of the protocol inside.
template <class P>
concept ObservationProtocol = Protocol<P> && Protocol<typename P::Observed> &&
    requires(const P& observer) {
  { P::own_messages } -> std::convertible_to<std::size_t>;
  { observer.observed() } -> std::same_as<const typename P::Observed&>;
};

// Observers that begin on a command. The others watch from the beginning.
template <class P>
concept BeginsWhenTold = requires(P observer, OutboxOf<P>& out) {
  observer.observe(out);
};

// A promise of some protocols to observers: a quantity that no step changes, counted over states
// and messages under way.
template <class P>
concept Conserves = Protocol<P> && requires(const Setup& setup, const typename P::State& state,
                                            const typename P::Message& message) {
  { P::amount_in(state) } -> std::same_as<std::uint64_t>;
  { P::amount_in(message) } -> std::same_as<std::uint64_t>;
  { P::amount_in_all(setup) } -> std::same_as<std::uint64_t>;
};
// A promise of some protocols to observers: a passive process stays passive, and sends nothing,
// until a message arrives.
template <class P>
concept Computation = Protocol<P> && requires(const typename P::State& state) {
  { P::is_passive(state) } -> std::same_as<bool>;
};

}  // namespace baton
