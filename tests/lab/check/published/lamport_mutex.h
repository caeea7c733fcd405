// Lamport's lock of 1978 as it is specified in TLA+: LamportMutex of tlaplus/Examples, by S. Merz.
//
// L. Lamport, "Time, clocks, and the ordering of events in a distributed system", Communications of
// the ACM 21(7), 1978.
//
// It is here to hold the explorer against TLC: the same specification must give the same numbers.
// Differences from src/algorithms/mutex/lamport.h are the specification's: only a request carries a
// clock, only its receipt advances one, and entering again while inside is a step that changes
// nothing.
// The clocks grow for ever, so that states in which one is above `max_clock` are not kept.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "lab/check/model.h"

namespace baton::check::published {

class LamportMutex {
 public:
  static constexpr std::size_t most_processes = 4;
  static constexpr unsigned most_clock = 14;  // so that max_clock + 1 has four bits
  static constexpr std::size_t channel_capacity = 3;
  static constexpr std::size_t most_bytes = 34;

  static constexpr PropertySet mutual_exclusion = 1U << 0;
  static constexpr PropertySet bounded_channels = 1U << 1;
  static constexpr PropertySet entry = 1U << 2;
  static constexpr PropertySet contention = 1U << 3;

  // What is under way from one process to another, the oldest first. A message is a number: 0 is a
  // release, 1 to max_clock a request with that clock, max_clock + 1 an acknowledgement.
  struct Channel {
    std::uint8_t count = 0;
    std::array<std::uint8_t, channel_capacity> messages{};
  };

  struct Process {
    std::uint8_t clock = 1;
    std::array<std::uint8_t, most_processes> requests{};  // by process; 0: none that it knows of
    std::uint8_t acks = 0;                                // bit q: q has acknowledged its request
  };

  struct State {
    std::array<Process, most_processes> processes{};
    std::array<std::array<Channel, most_processes>, most_processes> channels{};  // [from][to]
    std::uint8_t critical = 0;  // bit p: p is in the critical section
    bool overflow = false;      // a channel was full, and the message for it is gone
  };

  enum class Action : std::uint8_t {
    request,
    enter,
    exit,
    receive_request,
    receive_ack,
    receive_release
  };

  struct Step {
    Action action{};
    std::uint8_t process = 0;
    std::uint8_t peer = 0;  // the sender of what is received
  };

  class Worker;

  explicit LamportMutex(std::size_t processes = 3, unsigned max_clock = 6)
      : size_(processes), max_clock_(max_clock) {
    if (processes < 1 || processes > most_processes) {
      throw std::length_error("LamportMutex has room for 1 to 4 processes");
    }
    if (max_clock < 1 || max_clock > most_clock) {
      throw std::length_error("LamportMutex has room for clocks from 1 to 14");
    }
  }

  std::size_t size() const { return size_; }
  unsigned max_clock() const { return max_clock_; }

  static const std::vector<Property>& properties() {
    static const std::vector<Property> all{{"mutual exclusion", Property::Kind::always},
                                           {"bounded channels", Property::Kind::always},
                                           {"entry", Property::Kind::sometimes},
                                           {"contention", Property::Kind::sometimes}};
    return all;
  }

  // Processes are counted from 1, as in the specification.
  static std::string describe(const Step& step) {
    const std::string self = std::to_string(step.process + 1);
    const std::string peer = std::to_string(step.peer + 1);
    switch (step.action) {
      case Action::request:
        return self + " requests";
      case Action::enter:
        return self + " enters";
      case Action::exit:
        return self + " exits";
      case Action::receive_request:
        return self + " receives the request of " + peer;
      case Action::receive_ack:
        return self + " receives the acknowledgement of " + peer;
      case Action::receive_release:
        return self + " receives the release of " + peer;
    }
    return {};
  }

 private:
  std::size_t size_;
  unsigned max_clock_;
};

class LamportMutex::Worker {
 public:
  explicit Worker(const LamportMutex& model)
      : size_(model.size()),
        everyone_(static_cast<std::uint8_t>((1U << model.size()) - 1)),
        max_clock_(static_cast<std::uint8_t>(model.max_clock())),
        ack_(static_cast<std::uint8_t>(model.max_clock() + 1)),
        width_(static_cast<unsigned>(std::bit_width(model.max_clock() + 1))) {}

  template <class Visit>
  void initial(Visit&& visit) const {
    visit(State{});
  }

  template <class Visit>
  void successors(const State& state, Visit&& visit) const {
    for (std::size_t p = 0; p < size_; ++p) {
      if (state.processes[p].requests[p] == 0) take(state, Action::request, p, p, visit);
      if (may_enter(state.processes[p], p)) take(state, Action::enter, p, p, visit);
      if ((state.critical & bit(p)) != 0) take(state, Action::exit, p, p, visit);
      for (std::size_t q = 0; q < size_; ++q) {
        const Channel& channel = state.channels[q][p];
        if (channel.count > 0) take(state, receipt_of(channel.messages[0]), p, q, visit);
      }
    }
  }

  PropertySet judge(const State& state) const {
    unsigned requesting = 0;
    for (std::size_t p = 0; p < size_; ++p) {
      requesting += state.processes[p].requests[p] != 0 ? 1U : 0U;
    }
    PropertySet found = 0;
    if ((state.critical & (state.critical - 1)) != 0) found |= mutual_exclusion;
    if (state.overflow) found |= bounded_channels;
    if (state.critical != 0) found |= entry;
    if (requesting > 1) found |= contention;
    return found;
  }

  bool within(const State& state) const {
    for (std::size_t p = 0; p < size_; ++p) {
      if (state.processes[p].clock > max_clock_) return false;
    }
    return true;
  }

  // Clocks, requests and messages take as many bits as max_clock + 1 does, and a channel takes no
  // more than what is under way in it: 8 to 15 bytes for 3 processes and clocks up to 6.
  std::size_t encode(const State& state, std::uint8_t* bytes) const {
    Packer packer{bytes};
    for (std::size_t p = 0; p < size_; ++p) {
      const Process& process = state.processes[p];
      packer.put(process.clock, width_);
      for (std::size_t q = 0; q < size_; ++q) packer.put(process.requests[q], width_);
      packer.put(process.acks, static_cast<unsigned>(size_));
      for (std::size_t q = 0; q < size_; ++q) {
        if (q != p) packer.put(state.channels[p][q].count, 2);
      }
    }
    packer.put(state.critical, static_cast<unsigned>(size_));
    packer.put(state.overflow ? 1 : 0, 1);
    for (std::size_t p = 0; p < size_; ++p) {
      for (std::size_t q = 0; q < size_; ++q) {
        const Channel& channel = state.channels[p][q];
        for (std::size_t i = 0; i < channel.count; ++i) packer.put(channel.messages[i], width_);
      }
    }
    return static_cast<std::size_t>(packer.finish() - bytes);
  }

  void decode(const std::uint8_t* bytes, std::size_t /*size*/, State& state) const {
    state = State{};
    Unpacker unpacker{bytes};
    for (std::size_t p = 0; p < size_; ++p) {
      Process& process = state.processes[p];
      process.clock = unpacker.take(width_);
      for (std::size_t q = 0; q < size_; ++q) process.requests[q] = unpacker.take(width_);
      process.acks = unpacker.take(static_cast<unsigned>(size_));
      for (std::size_t q = 0; q < size_; ++q) {
        if (q != p) state.channels[p][q].count = unpacker.take(2);
      }
    }
    state.critical = unpacker.take(static_cast<unsigned>(size_));
    state.overflow = unpacker.take(1) != 0;
    for (std::size_t p = 0; p < size_; ++p) {
      for (std::size_t q = 0; q < size_; ++q) {
        Channel& channel = state.channels[p][q];
        for (std::size_t i = 0; i < channel.count; ++i) channel.messages[i] = unpacker.take(width_);
      }
    }
  }

 private:
  // Numbers side by side, the lowest bits first.
  struct Packer {
    void put(std::uint8_t value, unsigned width) {
      word |= static_cast<std::uint64_t>(value) << filled;
      filled += width;
      if (filled >= 32) {
        for (unsigned i = 0; i < 4; ++i) end[i] = static_cast<std::uint8_t>(word >> (8 * i));
        end += 4;
        word >>= 32;
        filled -= 32;
      }
    }

    std::uint8_t* finish() {
      for (unsigned written = 0; written < filled; written += 8) {
        *end++ = static_cast<std::uint8_t>(word >> written);
      }
      return end;
    }

    std::uint8_t* end;
    std::uint64_t word = 0;
    unsigned filled = 0;
  };

  struct Unpacker {
    std::uint8_t take(unsigned width) {
      while (filled < width) {
        word |= static_cast<std::uint32_t>(*next++) << filled;
        filled += 8;
      }
      const auto value = static_cast<std::uint8_t>(word & ((1U << width) - 1));
      word >>= width;
      filled -= width;
      return value;
    }

    const std::uint8_t* next;
    std::uint32_t word = 0;
    unsigned filled = 0;
  };

  static constexpr std::uint8_t release = 0;

  static std::uint8_t bit(std::size_t p) { return static_cast<std::uint8_t>(1U << p); }

  Action receipt_of(std::uint8_t message) const {
    if (message == release) return Action::receive_release;
    return message == ack_ ? Action::receive_ack : Action::receive_request;
  }

  // Everyone has acknowledged p's request, and p knows of no older one.
  bool may_enter(const Process& process, std::size_t p) const {
    if (process.acks != everyone_) return false;
    const std::uint8_t own = process.requests[p];
    for (std::size_t q = 0; q < size_; ++q) {
      const std::uint8_t other = process.requests[q];
      if (other != 0 && (other < own || (other == own && q < p))) return false;
    }
    return true;
  }

  template <class Visit>
  void take(const State& state, Action action, std::size_t p, std::size_t q, Visit&& visit) const {
    State next = state;
    apply(action, p, q, next);
    visit(Step{action, static_cast<std::uint8_t>(p), static_cast<std::uint8_t>(q)}, next);
  }

  void apply(Action action, std::size_t p, std::size_t q, State& state) const {
    Process& self = state.processes[p];
    switch (action) {
      case Action::request:
        self.requests[p] = self.clock;
        self.acks = bit(p);
        return broadcast(p, self.clock, state);
      case Action::enter:
        state.critical |= bit(p);
        return;
      case Action::exit:
        state.critical &= static_cast<std::uint8_t>(~bit(p));
        self.requests[p] = 0;
        self.acks = 0;
        return broadcast(p, release, state);
      case Action::receive_request:
        self.requests[q] = receive(state.channels[q][p]);
        self.clock = static_cast<std::uint8_t>(std::max(self.clock, self.requests[q]) + 1);
        return send(p, q, ack_, state);
      case Action::receive_ack:
        receive(state.channels[q][p]);
        self.acks |= bit(q);
        return;
      case Action::receive_release:
        receive(state.channels[q][p]);
        self.requests[q] = 0;
        return;
    }
  }

  void broadcast(std::size_t from, std::uint8_t message, State& state) const {
    for (std::size_t to = 0; to < size_; ++to) {
      if (to != from) send(from, to, message, state);
    }
  }

  static void send(std::size_t from, std::size_t to, std::uint8_t message, State& state) {
    Channel& channel = state.channels[from][to];
    if (channel.count == channel_capacity) {
      state.overflow = true;
      return;
    }
    channel.messages[channel.count++] = message;
  }

  static std::uint8_t receive(Channel& channel) {
    const std::uint8_t first = channel.messages[0];
    channel.messages = {channel.messages[1], channel.messages[2], 0};
    --channel.count;
    return first;
  }

  std::size_t size_;
  std::uint8_t everyone_;
  std::uint8_t max_clock_;
  std::uint8_t ack_;  // as a message
  unsigned width_;
};

static_assert(Model<LamportMutex>);
static_assert(std::is_trivially_copyable_v<LamportMutex::State>);

}  // namespace baton::check::published
