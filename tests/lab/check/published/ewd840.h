// Termination detection on a ring as it is specified in TLA+: EWD840 of tlaplus/Examples, by S.
// Merz.
//
// E. W. Dijkstra, W. H. J. Feijen and A. J. M. van Gasteren, "Derivation of a termination detection
// algorithm for distributed computations", Information Processing Letters 16(5), 1983 (EWD 840).
//
// It is here to hold the explorer against TLC: the same specification must give the same numbers.
// Messages arrive as they are sent. The first token is black; where it is, who is active and who is
// black is left open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "lab/check/model.h"

namespace baton::check::published {

class Ewd840 {
 public:
  static constexpr std::size_t most_processes = 8;
  static constexpr std::size_t most_bytes = 3;

  static constexpr PropertySet termination_detection = 1U << 0;
  static constexpr PropertySet dijkstras_invariant = 1U << 1;
  static constexpr PropertySet detection = 1U << 2;
  static constexpr PropertySet white_token = 1U << 3;

  // Sets of nodes: bit i stands for node i.
  struct State {
    std::uint8_t active = 0;
    std::uint8_t black = 0;
    std::uint8_t token_at = 0;
    bool token_black = true;
  };

  enum class Action : std::uint8_t { initiate_probe, pass_token, send_message, deactivate };

  struct Step {
    Action action{};
    std::uint8_t node = 0;
    std::uint8_t to = 0;  // whom the message activates
  };

  class Worker;

  explicit Ewd840(std::size_t nodes = 4) : size_(nodes) {
    if (nodes < 1 || nodes > most_processes) {
      throw std::length_error("EWD 840 has room for 1 to 8 nodes");
    }
  }

  std::size_t size() const { return size_; }

  static const std::vector<Property>& properties() {
    static const std::vector<Property> all{{"termination detection", Property::Kind::always},
                                           {"Dijkstra's invariant", Property::Kind::always},
                                           {"detection", Property::Kind::sometimes},
                                           {"white token", Property::Kind::sometimes}};
    return all;
  }

  static std::string describe(const Step& step) {
    const std::string node = std::to_string(step.node);
    switch (step.action) {
      case Action::initiate_probe:
        return node + " initiates a probe";
      case Action::pass_token:
        return node + " passes the token";
      case Action::send_message:
        return node + " sends " + std::to_string(step.to) + " a message";
      case Action::deactivate:
        return node + " becomes passive";
    }
    return {};
  }

 private:
  std::size_t size_;
};

class Ewd840::Worker {
 public:
  explicit Worker(const Ewd840& model) : size_(model.size()) {}

  template <class Visit>
  void initial(Visit&& visit) const {
    const unsigned sets = 1U << size_;
    for (unsigned active = 0; active < sets; ++active) {
      for (unsigned black = 0; black < sets; ++black) {
        for (std::size_t at = 0; at < size_; ++at) {
          visit(State{static_cast<std::uint8_t>(active), static_cast<std::uint8_t>(black),
                      static_cast<std::uint8_t>(at), true});
        }
      }
    }
  }

  template <class Visit>
  void successors(const State& state, Visit&& visit) const {
    move_token(state, visit);
    for (std::size_t i = 0; i < size_; ++i) {
      if (!has(state.active, i)) continue;
      for (std::size_t j = 0; j < size_; ++j) {
        if (j != i) send(state, i, j, visit);
      }
      State next = state;
      next.active &= static_cast<std::uint8_t>(~bit(i));
      give(visit, Action::deactivate, i, i, next);
    }
  }

  PropertySet judge(const State& state) const {
    const bool detected =
        state.token_at == 0 && !state.token_black && !has(state.black, 0) && !has(state.active, 0);
    PropertySet found = 0;
    if (detected && state.active != 0) found |= termination_detection;
    if (!invariant(state)) found |= dijkstras_invariant;
    if (detected) found |= detection;
    if (!state.token_black) found |= white_token;
    return found;
  }

  bool within(const State& /*state*/) const { return true; }

  std::size_t encode(const State& state, std::uint8_t* bytes) const {
    bytes[0] = state.active;
    bytes[1] = state.black;
    bytes[2] = static_cast<std::uint8_t>(state.token_at << 1 | (state.token_black ? 1 : 0));
    return 3;
  }

  void decode(const std::uint8_t* bytes, std::size_t /*size*/, State& state) const {
    state =
        State{bytes[0], bytes[1], static_cast<std::uint8_t>(bytes[2] >> 1), (bytes[2] & 1U) != 0};
  }

 private:
  static bool has(std::uint8_t set, std::size_t i) { return (set >> i & 1U) != 0; }
  static std::uint8_t bit(std::size_t i) { return static_cast<std::uint8_t>(1U << i); }

  // All nodes that the token has visited are passive, or a black node is still to be visited, or
  // the token is black.
  static bool invariant(const State& state) {
    const bool visited_are_passive = state.active >> (state.token_at + 1) == 0;
    const bool black_ahead = (state.black & ((2U << state.token_at) - 1)) != 0;
    return visited_are_passive || black_ahead || state.token_black;
  }

  template <class Visit>
  static void give(Visit&& visit, Action action, std::size_t node, std::size_t to,
                   const State& next) {
    visit(Step{action, static_cast<std::uint8_t>(node), static_cast<std::uint8_t>(to)}, next);
  }

  // Node 0 begins a new round unless the last one was conclusive; an active node keeps the token
  // unless the round is inconclusive anyway. TLC takes a guard's disjunction for as many steps as
  // there are reasons that hold: so that its numbers come out, each of them is a visit.
  template <class Visit>
  void move_token(const State& state, Visit&& visit) const {
    const std::size_t at = state.token_at;
    const bool stained = state.token_black || has(state.black, at);
    int reasons = (state.token_black ? 1 : 0) + (has(state.black, at) ? 1 : 0);
    if (at != 0 && !has(state.active, at)) ++reasons;
    State next = state;
    next.black &= static_cast<std::uint8_t>(~bit(at));
    next.token_at = static_cast<std::uint8_t>(at == 0 ? size_ - 1 : at - 1);
    next.token_black = at != 0 && stained;
    const Action action = at == 0 ? Action::initiate_probe : Action::pass_token;
    for (; reasons > 0; --reasons) give(visit, action, at, at, next);
  }

  // A message against the token's direction makes its sender black.
  template <class Visit>
  void send(const State& state, std::size_t from, std::size_t to, Visit&& visit) const {
    State next = state;
    next.active |= bit(to);
    if (to > from) next.black |= bit(from);
    give(visit, Action::send_message, from, to, next);
  }

  std::size_t size_;
};

static_assert(Model<Ewd840>);
static_assert(std::is_trivially_copyable_v<Ewd840::State>);

}  // namespace baton::check::published
