// The explorer's requirements on a model: first states, successors, and properties.
//
// A model is immutable and shared by all threads. Each thread has a worker of its own, which may
// keep scratch space and caches; workers of one model must agree on every state's encoding.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace baton::check {

// Bit i stands for property i.
using PropertySet = std::uint32_t;

struct Property {
  enum class Kind : std::uint8_t {
    always,    // judge() has its bit in states that violate it
    sometimes  // judge() has its bit in states that show it; a model without such a state is idle
  };
  std::string name;
  Kind kind = Kind::always;
};

// A stand-in for the explorer's own callables.
template <class M>
struct AnyVisitor {
  void operator()(const typename M::State&) const {}
  void operator()(const typename M::Step&, const typename M::State&) const {}
};

// `Worker` is made from the model, and has:
//   initial(visit)               calls visit(state) for each first state
//   successors(state, visit)     calls visit(step, next) for each step that is possible
//   judge(state)                 the properties that the state violates or shows
//   within(state)                false: the state counts as generated, but is not kept
//   encode(state, bytes)         writes at most M::most_bytes, and returns how many
//   decode(bytes, size, state)   the inverse
// Two states are equal if and only if their encodings are. The worker visits the steps of a state
// in the same order every time.
template <class M>
concept Model = requires(const M& model, typename M::Worker& worker, typename M::State& state,
                         const typename M::State& constant, std::uint8_t* bytes,
                         const std::uint8_t* from, AnyVisitor<M> visit) {
  requires std::copyable<typename M::State>;
  requires std::copyable<typename M::Step>;
  requires std::constructible_from<typename M::Worker, const M&>;
  { M::most_bytes } -> std::convertible_to<std::size_t>;
  { model.properties() } -> std::convertible_to<const std::vector<Property>&>;
  worker.initial(visit);
  worker.successors(constant, visit);
  { worker.judge(constant) } -> std::same_as<PropertySet>;
  { worker.within(constant) } -> std::same_as<bool>;
  { worker.encode(constant, bytes) } -> std::same_as<std::size_t>;
  worker.decode(from, std::size_t{}, state);
};

}  // namespace baton::check
