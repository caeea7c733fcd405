// The contract between shared-memory algorithms and the hosts that run or check them.
//
// A machine is a value: N processes over shared registers, all of it in one plain aggregate,
// `State`, which generic code can compare, hash, print and encode (core/reflect.h). It has no
// thread and no randomness. Its host decides which process goes next; one step is one atomic
// action, at most one access to a shared register. Where the outcome of a step is open (a read
// that overlaps a write), the machine says how many outcomes there are and the host decides: a
// random scheduler draws one, a checker tries them all.
//
// A process outside its critical section may stay there for ever: its next step is its start, and a
// host that wants it to stay outside does not schedule it. The host owes a process anywhere else
// its next step; the algorithms ask for no other fairness.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>

#include "core/ids.h"
#include "core/info.h"

namespace baton {

// A number drawn in the doorway; 0 is no ticket. Tickets are compared with each other and nothing
// else, so that it matters little how far apart they are.
using Ticket = Strong<struct TicketTag, std::uint32_t>;

enum class Section : std::uint8_t {
  outside,  // in the noncritical section
  doorway,  // on its way in, in the part that is done in a bounded number of its own steps
  waiting,  // on its way in, where it may have to wait for others
  inside,   // in the critical section; its next step leaves it
  leaving   // in the exit protocol
};

template <class M>
concept SharedMachine = std::copyable<M> && std::constructible_from<M, std::uint32_t> &&
    requires(M machine, const M& constant, NodeId process, std::uint32_t choice) {
  typename M::State;
  typename M::Options;
  { M::info() } -> std::same_as<const Info&>;
  { constant.state() } -> std::same_as<const typename M::State&>;
  { constant.size() } -> std::same_as<std::uint32_t>;
  { constant.section(process) } -> std::same_as<Section>;
  // True if the process can take a step now.
  { constant.enabled(process) } -> std::same_as<bool>;
  // The number of outcomes of that step, at least 1; `choice` is below it.
  { constant.choices(process) } -> std::same_as<std::uint32_t>;
  machine.step(process, choice);
  // Puts the machine into a state that it, or another of its size and options, has reached.
  machine.assume(constant.state());
  // The step in the algorithm's words, for traces: "reads num[1]".
  { constant.next_step(process) } -> std::same_as<std::string>;
};

}  // namespace baton
