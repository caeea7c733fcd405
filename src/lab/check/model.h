// What the explorer needs of a model: its first states, their successors, and what shall hold.
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
    sometimes  // judge() has its bit in states that show it; a model in which none does is idle
  };
  std::string name;
  Kind kind = Kind::always;
};

// Stand-in for the explorer's own callables.
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
// Equal states have equal encodings and the other way round. The order in which steps are visited
// is the same whenever it is asked for.
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
