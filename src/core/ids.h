// The vocabulary of every protocol: strong types, so that a clock can never be passed for an id.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace baton {

// A number that means one thing. The tag keeps two such numbers apart, and tells generic code
// (printing, encoding, canonical forms) what the number means.
template <class Tag, class Rep>
struct Strong {
  using rep = Rep;
  Rep value{};

  friend constexpr auto operator<=>(Strong, Strong) = default;
};

// A process of the group. Protocols always see the dense numbers 0 … N−1; hosts and layers map
// them to whatever names the outside world uses.
using NodeId = Strong<struct NodeTag, std::uint32_t>;

inline constexpr NodeId nobody{std::numeric_limits<std::uint32_t>::max()};

// Lamport's scalar time.
using Clock = Strong<struct ClockTag, std::uint64_t>;

// Numbers the requests of one process: first, second, …
using SequenceNumber = Strong<struct SequenceTag, std::uint64_t>;

constexpr Clock next(Clock clock) { return {clock.value + 1}; }
constexpr SequenceNumber next(SequenceNumber number) { return {number.value + 1}; }

// Virtual or real time. One message time, the unit in which the field states delays, is a
// million ticks, so that random delays and rates are not noticeably rounded.
using Ticks = Strong<struct TicksTag, std::int64_t>;

inline constexpr Ticks message_time{1'000'000};
inline constexpr Ticks forever{std::numeric_limits<std::int64_t>::max()};

constexpr Ticks operator+(Ticks a, Ticks b) { return {a.value + b.value}; }
constexpr Ticks operator-(Ticks a, Ticks b) { return {a.value - b.value}; }
constexpr Ticks operator*(std::int64_t factor, Ticks t) { return {factor * t.value}; }
constexpr double in_message_times(Ticks t) {
  return static_cast<double>(t.value) / static_cast<double>(message_time.value);
}

// A timer of one protocol instance. Arming an armed timer moves it.
using TimerId = Strong<struct TimerTag, std::uint32_t>;

// A Lamport timestamp made total by the process id: {t, i} < {u, j} if t < u, or t = u and i < j.
struct Timestamp {
  Clock clock;
  NodeId node;

  friend constexpr auto operator<=>(const Timestamp&, const Timestamp&) = default;
};

// The sequence number of something that a process did. Numbers of different processes are never
// compared.
struct Numbered {
  NodeId node;
  SequenceNumber number;

  friend constexpr bool operator==(const Numbered&, const Numbered&) = default;
};

}  // namespace baton
