// Randomized election among processes without names: the highest throw of the dice leads.
//
// After A. Itai and M. Rodeh, "Symmetry breaking in distributed networks", Information and
// Computation 88(1), 1990, who do it on a ring; here everyone talks to everyone.
//
// Idea: each process draws b random bits and tells all others. If only one process drew the highest
// number, it leads; otherwise all draw again.
//
// Assumes: no message is lost and no process stops. Each knows how many they are. Channels need not
// be FIFO and may duplicate. Processes have no identities: one sees the others as ports, numbered
// by itself, and the protocol compares nothing but what was drawn. Promises: one leader, known to
// all, after a number of rounds that is finite with probability 1. Costs: N(N−1) messages a round.
// A round is the last with probability N·Σ v^(N−1) / 2^(bN), v from 1 to 2ᵇ−1, which is at least 1
// − C(N,2)/2ᵇ.
//
// Why at random? Let all processes run the same deterministic program, have no names and no
// different inputs, and let messages sent at the same time arrive at the same time. Then all begin
// in the same state, send the same, receive the same and go on to the same state. So it remains for
// ever, and when one decides to lead all do. `wrong-anonymous-deterministic` is such a program; and
// this one, with no bits to draw, would draw for ever.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>

#include "core/node_set.h"
#include "core/protocol.h"

namespace baton {

class Randomized {
 public:
  static constexpr Parameter bits{.name = "bits",
                                  .help = "random bits that each process draws",
                                  .least = 1,
                                  .most = 31,
                                  .usual = always<8>,
                                  .small = 1};

  struct Draw {
    Clock round;
    std::uint32_t value;
  };
  using Message = std::variant<Draw>;
  using Event = Elected;
  using Out = Outbox<Message, Event>;

  // The draws of a round, as far as this process knows them.
  struct Tally {
    NodeSet heard;  // ports
    std::uint32_t highest = 0;
    NodeId drawn_by = nobody;  // the port, or this process itself
    bool is_tied = false;

    void add(NodeId port, std::uint32_t value);
  };
  struct State {
    Clock round;              // of the draws; the same clock for all
    bool is_drawing = false;  // in this round, and does not know its result yet
    Tally now;
    Tally ahead;  // the next round, which others may have begun
    NodeId leader = nobody;
  };

  Randomized(NodeId self, const Setup& setup);

  void elect(Out& out);
  void receive(NodeId from, const Message& message, Out& out);

  const State& state() const { return state_; }
  void assume(State state) { state_ = std::move(state); }
  static const Info& info();

  // The probability that one round is enough for so many processes with so many bits.
  static double chance_of_one_round(std::uint32_t size, std::uint32_t bits);

 protected:
  void begin_round(std::uint32_t value, Out& out);
  void note(NodeId from, const Draw& draw);
  bool should_join() const { return !state_.is_drawing && !state_.ahead.heard.empty(); }
  bool has_heard_all() const {
    return state_.is_drawing && state_.now.heard.size() + 1 == setup_->size;
  }
  void believe(NodeId leader, Out& out);

  NodeId self_;
  const Setup* setup_;
  State state_;

 private:
  std::uint32_t draw(Out& out) const;
  void go_on(Out& out);
};

}  // namespace baton
